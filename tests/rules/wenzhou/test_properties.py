"""Wenzhou mahjong: properties of every hand, checked in random play."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.games.wenzhou import WENZHOU, WENZHOU_RULES, WenzhouMatch, WenzhouPlay
from rules.games.wenzhou.actions import Chow, Discard, Draw, Kong, Pass, Pong, WenzhouAction, Win
from rules.games.wenzhou.setup import Parameters
from rules.play import IllegalActionError, random_action
from tests.rules.wenzhou.tables import all_tiles, shuffled

SEEDS = st.integers(0, 10**9)
HOUSES = st.builds(
    Parameters,
    dealer_scale=st.sampled_from([(2, 4, 6, 8), (3, 5, 7, 9)]),
    after_fourth=st.sampled_from(["pass", "reseat"]),
    kong_source=st.sampled_from(["tail", "draws"]),
    reserve=st.sampled_from([0, 1, 14, 16]),
    pong_pass_lock=st.booleans(),
    white_counts_as_face=st.booleans(),
    caishen_single_strict=st.booleans(),
    any_tile_wait_discard=st.booleans(),
    three_caishen_any_on_discard=st.booleans(),
    garbage_first_turn=st.sampled_from(["forbid", "hard"]),
    caishen_money=st.integers(0, 2),
    all_pungs_double=st.booleans(),
    discard_order=st.booleans(),
)
FACES = tuple(dict.fromkeys(WENZHOU.tiles.faces))


def all_actions() -> list[WenzhouAction]:
    """Every action that has a text, except wins that show tiles."""
    actions: list[WenzhouAction] = []
    for seat in range(4):
        actions += [Draw(seat), Pong(seat), Kong(seat), Win(seat), Pass(seat)]
        actions += [kind(seat, face) for kind in (Draw, Discard, Kong) for face in FACES]
        actions += [
            Chow(seat, (one, other)) for one, other in product(FACES, FACES) if one[1] == other[1]
        ]
    return actions


def mixed(play: WenzhouPlay, chance: random.Random) -> WenzhouAction:
    """A sensible action, so that claims, kongs and wins occur, or sometimes a random action."""
    if chance.random() < 0.3:
        action: WenzhouAction = random_action(play, chance.choice)
        return action
    sensible: WenzhouAction = WENZHOU_RULES.sensible(play, chance.choice(play.to_act))
    return sensible


@given(SEEDS, HOUSES)
@pytest.mark.slow
def test_tiles_are_conserved_payments_sum_to_zero_and_a_replay_is_the_same_hand(
    seed: int, house: Parameters
) -> None:
    chance = random.Random(seed)
    match = WenzhouMatch(house, dealer=seed % 4, streak=1 + seed % 5)
    play = first = shuffled(seed, match)
    whole = sorted(WENZHOU.tiles.faces)
    texts: list[tuple[int, str]] = []
    while play.settlement is None:
        action = mixed(play, chance)
        texts.append((action.seat, str(action)))
        play = play.apply(action)
        assert sorted(map(str, all_tiles(play))) == whole
    settlement = play.settlement
    assert sum(settlement.balance().values()) == 0
    assert settlement.reasons
    assert not play.to_act and not play.legal_actions
    again = first
    for seat, text in texts:
        again = again.apply(WENZHOU_RULES.parse(seat, text))
    assert again == play
    following = match.after(play)
    assert sum(following.scores) == 0 and following.hands == 1


@given(SEEDS)
@pytest.mark.slow
def test_every_listed_action_is_legal_and_no_other(seed: int) -> None:
    chance = random.Random(seed)
    play = shuffled(seed)
    every = all_actions()
    for _ in range(chance.randrange(40)):
        if play.settlement is None:
            play = play.apply(mixed(play, chance))
    offered = set(play.legal_actions)
    for action in offered:
        assert action in play.legal_actions
        assert play.apply(action) != play
    before = play.position
    for action in every:
        if action not in offered and action in play.legal_actions:
            assert same_by_another_text(play, action)
    for action in chance.sample(every, 30):
        if action not in play.legal_actions:
            with pytest.raises(IllegalActionError, match=r"\w.*\.$"):
                play.apply(action)
    assert play.position is before


def same_by_another_text(play: WenzhouPlay, action: WenzhouAction) -> bool:
    """Whether the action is a chow written in the other order, or a draw that names its tile."""
    if isinstance(action, Chow):
        return Chow(action.seat, action.own[::-1]) in set(play.legal_actions)
    return isinstance(action, Draw) and play.apply(action) == play.apply(Draw(action.seat))


@given(SEEDS)
def test_sensible_players_finish_a_hand(seed: int) -> None:
    play = shuffled(seed)
    steps = 0
    while play.settlement is None:
        play = play.apply(WENZHOU_RULES.sensible(play, play.to_act[0]))
        steps += 1
    assert steps < 500
