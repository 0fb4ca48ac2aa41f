"""Properties of the set-ups of all games, for any dice, choices and tiles."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import IllegalOutcomeError, IllegalSetupError
from rules.games import GAMES, da_san, filipino, find_game, pai_gow
from rules.setup import Game, Seating, Setup, replay
from rules.steps import Choose, DrawLot, Outcome, Ready, Step, Throw, TurnUp

HOUSES: list[tuple[str, object]] = [(name, None) for name in GAMES] + [
    ("filipino", filipino.Parameters(replacement_end="outer", replacement_by="immediate")),
    ("filipino", filipino.Parameters(second_flores="stays", mano_batches=(8, 8, 1))),
    ("filipino", filipino.Parameters(plus_n_range=(2, 5), pairs_double=True)),
    ("filipino", filipino.Parameters(honours_as_flores=False, columns=(12, 24, 18, 18))),
    ("pai_gow", pai_gow.Parameters(pile_view="banker", deal_direction="clockwise")),
    ("pai_gow", pai_gow.Parameters(physical_setup=False, n_dice=2)),
    ("da_san", da_san.Parameters(deal_mode="batch")),
]

ILLEGAL: list[Outcome] = [7, -1, "2 o'clock", "", (), (0, 7), (1, 2, 3, 4), (1,) * 9, True]


def outcome_of(step: Step, game: Game, chance: Random) -> Outcome:
    """A random outcome of the step."""
    match step:
        case Throw():
            return tuple(chance.randint(1, 6) for _ in range(step.dice * step.times))
        case Choose():
            return chance.choice((step.default, *step.among))
        case TurnUp() | DrawLot():
            return chance.choice((None, *game.tiles.faces))
    return None


def run_at_random(setup: Setup, chance: Random) -> list[Setup]:
    """The set-up before each step, and finished, with random outcomes."""
    values = [setup]
    while (step := values[-1].pending) is not None:
        try:
            values.append(values[-1].apply(outcome_of(step, setup.game, chance)))
        except IllegalOutcomeError:
            values.append(values[-1].apply(None))
    return values


def random_run(seed: int) -> list[Setup]:
    chance = Random(seed)
    name, parameters = chance.choice(HOUSES)
    game = GAMES[name]
    players = chance.choice(game.players)
    return run_at_random(
        game.setup(players=players, dealer=chance.randrange(players), parameters=parameters), chance
    )


RUNS = st.integers(min_value=0, max_value=2**32).map(random_run)


def test_the_games_are_those_of_the_command_line() -> None:
    mahjong, others = {"wenzhou", "filipino"}, {"pai_gow", "backgammon", "da_san"}
    dominoes = {"block", "draw", "sebastopol", "bergen", "muggins", "threes", "matador", "sniff"}
    assert mahjong | others | dominoes <= set(GAMES)
    assert find_game("sniff").title == "Sniff"
    with pytest.raises(IllegalSetupError, match="There is no game 'chess'; choose one"):
        find_game("chess")


@given(RUNS)
def test_every_tile_is_dealt_once_or_left(values: list[Setup]) -> None:
    end = values[-1]
    hands = [place for hand in end.hands.values() for place in hand]
    assert len(hands) == len(set(hands))
    assert set(hands) <= set(end.layout.places)
    assert len(hands) + end.left == end.layout.count == len(end.game.tiles)


@given(RUNS)
def test_the_tiles_that_are_left_for_the_play_were_not_dealt(values: list[Setup]) -> None:
    end = values[-1]
    hands = {place for hand in end.hands.values() for place in hand}
    ready = end.ready
    assert isinstance(ready, Ready)
    assert ready.indicator not in hands
    assert hands.isdisjoint(ready.draws)
    assert len(ready.draws) == len(set(ready.draws))
    if ready.replacements:
        assert set(ready.replacements) == set(ready.draws)
    if ready.indicator is not None:
        assert ready.indicator not in ready.draws
        assert len(ready.draws) == end.left - 1
    if ready.opened is not None:
        assert end.deal[0].places[0] == ready.opened.first


@given(RUNS)
def test_an_outcome_does_not_change_the_old_value(values: list[Setup]) -> None:
    for number, value in enumerate(values):
        assert len(value.done) == len(value.outcomes) == number
        assert value.done == values[-1].done[:number]
        if number < len(values) - 1:
            assert value.pending == values[-1].done[number][0]
            assert value.ready is None


@given(RUNS, st.integers(0, 10_000))
def test_a_branch_from_an_old_value_equals_its_replay(values: list[Setup], seed: int) -> None:
    old = values[seed % len(values)]
    for branch in (run_at_random(old, Random(seed))[-1], run_at_random(old, Random(seed + 1))[-1]):
        again = replay(old.game, old.seating, old.parameters, branch.outcomes)
        assert again == branch
        assert (again.done, again.ready) == (branch.done, branch.ready)


@given(RUNS, st.integers(0, 10_000), st.sampled_from(ILLEGAL))
def test_an_illegal_outcome_is_refused_in_a_sentence_and_changes_nothing(
    values: list[Setup], at: int, outcome: Outcome
) -> None:
    value = values[at % len(values)]
    step = value.pending
    if isinstance(step, Choose) and type(outcome) is int and outcome in step.among:
        return
    if isinstance(step, Throw) and outcome == (1,) * (step.dice * step.times):
        return
    before = (value.outcomes, value.done, value.pending)
    with pytest.raises(IllegalOutcomeError) as refused:
        value.apply(outcome)
    sentence = str(refused.value)
    assert sentence[0].isupper() or sentence[0] == "'"
    assert sentence.endswith(".")
    assert (value.outcomes, value.done, value.pending) == before
    assert run_at_random(value, Random(at))[-1].ready is not None


@given(RUNS)
def test_every_step_has_facts_with_its_name(values: list[Setup]) -> None:
    for step, _ in values[-1].done:
        assert isinstance(step.facts()["step"], str)


@pytest.mark.parametrize("name", GAMES)
def test_outcomes_beyond_the_end_are_refused(name: str) -> None:
    end = run_at_random(GAMES[name].setup(), Random(7))[-1]
    with pytest.raises(IllegalOutcomeError, match="The set-up is complete"):
        end.apply()
    with pytest.raises(IllegalOutcomeError, match="complete; leave out the"):
        replay(end.game, end.seating, end.parameters, (*end.outcomes, None))


@pytest.mark.parametrize(
    ("players", "dealer", "message"),
    [
        (0, 0, "by 4 players, not 0"),
        (-1, 0, "by 4 players, not -1"),
        (99, 0, "by 4 players, not 99"),
        (4, 4, "no seat 4 for the dealer"),
        (4, -1, "no seat -1 for the dealer"),
    ],
)
def test_a_replay_checks_the_seating_as_a_new_set_up_does(
    players: int, dealer: int, message: str
) -> None:
    wenzhou = find_game("wenzhou")
    with pytest.raises(IllegalSetupError, match=message):
        replay(wenzhou, Seating(players, dealer), wenzhou.parameters(), ())
