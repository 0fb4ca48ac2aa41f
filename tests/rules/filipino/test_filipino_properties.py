"""Filipino mahjong: properties of every hand, checked in random play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.errors import NotationError
from rules.games.filipino import FilipinoMatch, FilipinoPlay, Parameters, parse, sensible, start
from rules.games.filipino.actions import Act, face_under
from rules.games.filipino.hand import Hand
from rules.play import IllegalActionError, random_action
from tests.quick import tries
from tests.rules.filipino.dealing import SET, dealt, hidden_play, play_of, played

HOUSES = (
    Parameters(),
    Parameters(honours_as_flores=False, multi_win="next_in_turn", stack="sum"),
    Parameters(joker_in_melds=False, joker_discard="dead", exhaust_reserve=10),
    Parameters(joker_discard="forbidden", second_flores="stays", after_false_win="ends"),
    Parameters(back_to_back=2, middle=1, pairs_double=True, kong_secret=False, unit=3),
)
seeds = st.integers(0, 10**6)
houses = st.sampled_from(HOUSES)
ODD = [
    *(Act(seat, "win") for seat in range(4)),
    *(Act(seat, "draw") for seat in range(4)),
    *(Act(seat, "pass") for seat in range(4)),
    *(Act(seat, "false win") for seat in range(4)),
    *(Act(seat, "discard", (face,)) for seat in range(4) for face in ("5m", "1z", "9s", "1f")),
    *(Act(seat, "discard") for seat in range(4)),
    *(Act(seat, "pong", ("7s",) * 3) for seat in range(4)),
    *(Act(seat, "chow", ("1p", "2p", "3p*")) for seat in range(4)),
    *(Act(seat, "chow", ("8p", "9p", "1s")) for seat in range(4)),
    *(Act(seat, "secret", ("2m",) * 4) for seat in range(4)),
    *(Act(seat, "add", ("3s",)) for seat in range(4)),
    *(Act(seat, "flores", ("4f",)) for seat in range(4)),
]


def tiles_on(play: FilipinoPlay) -> Counter[str | None]:
    """The count of all tiles: in the wall, in hands and sets, in the middle, and the joker."""
    table = play.table
    found: list[str | None] = [face for _, face in table.wall.draws]
    found += [*table.middle, table.joker]
    for hand in table.hands:
        found += [*hand.concealed, *[None] * hand.unknown, *hand.flores]
        for meld in hand.melds:
            known = [face_under(tile, table.joker) for tile in meld.tiles]
            found += known or [None] * meld.size
    return Counter(found)


def some_player(random: Random) -> Callable[[FilipinoPlay, int], Act]:
    """A player who takes the sensible action half of the time, and else a random one."""

    def act(play: FilipinoPlay, seat: int) -> Act:
        if random.random() < 0.5:
            return sensible(play, seat)
        return random_action(play, random.choice)

    return act


@pytest.mark.slow
@pytest.mark.evidence
@given(seeds, houses)
@settings(max_examples=tries(12, quick=12, evidence=400))
def test_tiles_are_conserved_and_payments_sum_to_zero(seed: int, house: Parameters) -> None:
    random = Random(seed)
    play = play_of(seed, house)
    chooses = some_player(random)
    while play.settlement is None:
        assert tiles_on(play) == Counter(SET)
        assert {place for place, _ in play.table.wall.draws} == {
            place for place, _ in play.table.wall.replacements
        }
        play = play.apply(chooses(play, random.choice(play.to_act)))
    assert tiles_on(play) == Counter(SET)
    assert sum(play.settlement.balance().values()) == 0
    assert play.to_act == () and list(play.legal_actions) == []
    assert all(0 <= chips < house.chip_target for chips in play.chips)


@given(seeds, houses)
def test_hands_have_sixteen_tiles_and_one_on_the_turn(seed: int, house: Parameters) -> None:
    random = Random(seed)
    play = play_of(seed, house)
    while play.settlement is None:
        for seat, hand in enumerate(play.table.hands):
            acts = seat == play.table.turn and play.table.phase in ("turn", "discard")
            adding = play.table.offer is not None and play.table.offer.added is not None
            if not adding:
                assert hand.size + 3 * len(hand.melds) == 16 + acts
        play = play.apply(random_action(play, random.choice))


@pytest.mark.slow
@pytest.mark.evidence
@given(seeds, houses)
@settings(max_examples=tries(12, quick=12, evidence=400))
def test_the_texts_of_the_actions_replay_the_hand(seed: int, house: Parameters) -> None:
    random = Random(seed)
    setup, tiles = dealt(Random(seed), house)
    end, acts = played(start(setup, tiles), some_player(random))
    again = start(setup, tiles)
    for act in acts:
        again = again.apply(parse(act.seat, str(act)))
    assert again == end


@given(seeds, houses, st.booleans(), st.integers(0, 60))
@pytest.mark.slow
def test_every_legal_action_applies_and_every_other_is_refused_with_a_sentence(
    seed: int, house: Parameters, hidden: bool, acts: int
) -> None:
    random = Random(seed)
    play = hidden_play(seed, house) if hidden else play_of(seed, house)
    for _ in range(acts):
        if play.settlement is not None:
            break
        play = play.apply(random_action(play, random.choice))
    before = play.table
    listed = list(play.legal_actions)
    assert (play.settlement is None) == bool(listed)
    assert len(set(listed)) == len(listed) == len(play.legal_actions)
    for act in (*listed, *ODD):
        if act in play.legal_actions:
            assert play.apply(act) != play
        else:
            with pytest.raises(IllegalActionError, match=r" .*\.$"):
                play.apply(act)
        assert play.table is before
    for act in listed:
        assert parse(act.seat, str(act)) == act


@pytest.mark.slow
@settings(max_examples=12)
@given(seeds)
def test_a_hand_without_known_tiles_ends_with_all_tiles_accounted_for(seed: int) -> None:
    random = Random(seed)
    play = hidden_play(seed)
    while play.settlement is None:
        play = play.apply(random_action(play, random.choice))
        assert sum(tiles_on(play).values()) == len(SET)
    assert sum(play.settlement.balance().values()) == 0


@given(st.text(alphabet="drawiscponghkf 0123456789mpszf*", max_size=24))
def test_an_action_that_was_read_is_written_as_a_text_that_reads_back(text: str) -> None:
    try:
        act = parse(0, text)
    except NotationError:
        return
    assert parse(0, str(act)) == act


@pytest.mark.slow
def test_sensible_players_finish_most_hands() -> None:
    match = FilipinoMatch()
    drawn = 0
    for seed in range(60):
        play, _ = played(play_of(seed, match=match), sensible)
        match = match.after(play)
        assert play.settlement is not None
        drawn += play.settlement.winner is None
    assert match.hands == 60
    assert sum(match.scores) == 0
    assert drawn < 6


@pytest.mark.slow
def test_a_sensible_player_uses_only_his_own_tiles_and_the_open_tiles() -> None:
    for seed in range(20):
        play = play_of(seed)
        seat = play.to_act[0]
        table = play.table
        for other in range(4):
            if other != seat:
                table = table.with_hand(other, Hand((), 16, (), table.hands[other].flores))
        assert sensible(FilipinoPlay(table), seat) == sensible(play, seat)
