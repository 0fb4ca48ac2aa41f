"""Backgammon: properties of every game, checked in random play."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.loader import load_game
from config.validation.game_parameters import game_parameters
from rules.games.backgammon import (
    BACKGAMMON,
    BACKGAMMON_RULES,
    Action,
    BackgammonBoard,
    BackgammonPlay,
    Cube,
    Move,
    Parameters,
    Roll,
    parse,
    sensible,
    start,
)
from rules.games.backgammon.actions import in_order
from rules.games.backgammon.moves import STEPS
from rules.play import IllegalActionError, random_action
from rules.setup import settle

EVERYTHING = Parameters(doubling_cube=True, beavers=True, jacoby=True, automatic_doubles=2)
seeds = st.integers(0, 2**32)


def opened(parameters: Parameters = EVERYTHING) -> BackgammonPlay:
    return start(settle(BACKGAMMON.setup(parameters=parameters), [(3,), (1,)]))


def played(rng: random.Random, actions: int = 2000) -> tuple[BackgammonPlay, list[Action]]:
    """A random game with or without a cube, with at most `actions` actions, and its actions."""
    play = opened(rng.choice((EVERYTHING, Parameters())))
    done: list[Action] = []
    while play.settlement is None and len(done) < actions:
        action = random_action(play, rng.choice)
        play = play.apply(action)
        done.append(action)
    return play, done


@given(seeds)
@pytest.mark.slow
def test_a_game_replays_from_its_text_and_keeps_its_men(seed: int) -> None:
    play, done = played(random.Random(seed))
    again = opened(play.parameters)
    for action in done:
        again = again.apply(parse(action.seat, str(action)))
        for men in again.board:
            assert sum(men >> 4 * point & 15 for point in range(26)) == 15
        assert BackgammonBoard.parse(str(again.board)) == again.board
    assert again == play
    settled = play.settlement
    assert settled is not None
    assert sum(settled.balance().values()) == 0
    assert play.to_act == ()
    assert not list(play.legal_actions)


@given(seeds, st.integers(0, 60))
def test_every_legal_action_can_be_applied_and_read_from_its_text(seed: int, actions: int) -> None:
    play, _ = played(random.Random(seed), actions)
    before = replace(play)
    legal = list(play.legal_actions)
    assert len(set(legal)) == len(legal) == len(play.legal_actions)
    for action in legal:
        assert parse(action.seat, str(action)) == action
        assert action in replace(play).legal_actions
        assert replace(play).apply(action) == play.apply(action)
    assert play == before


def written(play: BackgammonPlay, option: tuple[int, ...]) -> Move:
    """The move of an option, built step by step: the first man who reaches a blot hits it."""
    hit: set[int] = set()
    steps = []
    for number in option:
        step = STEPS[number]
        is_blot = play.board.men(1 - play.turn, 25 - step.target) == 1 and step.target > 0
        steps.append(step._replace(hits=is_blot and step.target not in hit))
        hit.add(step.target)
    return Move(play.turn, in_order(steps))


@given(seeds, st.integers(0, 100))
def test_moves_are_the_options_in_the_same_order(seed: int, actions: int) -> None:
    play, _ = played(random.Random(seed), actions)
    assert list(play.moves) == [written(play, option) for option in play.options]
    assert [play.move(option) for option in play.options] == list(play.moves)


points = st.integers(1, 25)
steps = st.lists(st.tuples(points, st.integers(1, 24)), min_size=1, max_size=4)


@given(seeds, st.integers(0, 60), steps)
def test_an_illegal_action_is_refused_with_a_sentence_and_changes_nothing(
    seed: int, actions: int, ways: list[tuple[int, int]]
) -> None:
    play, _ = played(random.Random(seed), actions)
    text = " ".join(
        f"{'bar' if source == 25 else source}/{'off' if source <= far else source - far}"
        for source, far in ways
    )
    others: list[Action] = [
        Roll(0, (3, 7)),
        *(Cube(seat, "take") for seat in (0, 1)),
        Move(0, ()),
        Move(1, ()),
    ]
    before = replace(play)
    for action in (parse(0, text), parse(1, text), *others):
        if action not in play.legal_actions:
            with pytest.raises(IllegalActionError, match=r"^.{8,}\.$"):
                play.apply(action)
    assert play == before


@given(seeds)
@pytest.mark.slow
def test_the_actions_of_a_sensible_player_are_legal(seed: int) -> None:
    assert winner_against_a_random_player(seed) in (0, 1)


@pytest.mark.slow
def test_a_sensible_player_beats_a_random_one_in_nearly_every_game() -> None:
    won = sum(winner_against_a_random_player(seed) == 0 for seed in range(40))
    assert won >= 38


def winner_against_a_random_player(seed: int) -> int | None:
    """The winner between a sensible player at seat 0 and a random player at seat 1."""
    rng = random.Random(seed)
    play = opened(Parameters())
    while play.settlement is None:
        (seat,) = play.to_act
        if play.wants_dice:
            play = play.apply(sensible(play, seat, (rng.randint(1, 6), rng.randint(1, 6))))
        elif seat == 0:
            play = play.apply(sensible(play, seat))
        else:
            play = play.apply(random_action(play, rng.choice))
    return play.settlement.winner


def test_sensible_players_finish_a_match() -> None:
    match = BACKGAMMON_RULES.match(replace(EVERYTHING, match_points=5), 2, 0)
    while not match.over:
        play = opened(match.parameters)
        while play.settlement is None:
            action = BACKGAMMON_RULES.sensible(play, play.to_act[0])
            play = play.apply(action)
        match = match.after(play)
    assert max(match.scores) >= 5


def test_the_file_of_the_game_has_the_defaults_of_the_rules() -> None:
    config = load_game("backgammon")
    assert game_parameters(config) == Parameters()
    assert set(config.parameters) == set(Parameters.__dataclass_fields__)
