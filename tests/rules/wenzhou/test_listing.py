"""The fast list of legal actions, compared with a check of every action, in random play."""

from __future__ import annotations

import random
from dataclasses import fields

import pytest
from hypothesis import given

from rules.games.wenzhou import WenzhouMatch
from rules.games.wenzhou.actions import Pass
from rules.games.wenzhou.legal import _candidates, checked_candidates, each, why_not
from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.state import Position, Stage
from rules.games.wenzhou.wins import is_complete, is_complete_packed
from rules.melds import KINDS, Counts
from rules.values import changed
from tests.rules.wenzhou.tables import shuffled
from tests.rules.wenzhou.test_properties import HOUSES, SEEDS, mixed


@given(SEEDS, HOUSES)
@pytest.mark.slow
def test_the_fast_list_has_the_same_actions_in_the_same_order(seed: int, house: Parameters) -> None:
    chance = random.Random(seed)
    play = shuffled(seed, WenzhouMatch(house, dealer=seed % 4))
    while play.settlement is None:
        position = play.position
        assert tuple(each(position)) == tuple(checked_candidates(position))
        assert play.position.__dict__.keys() == {field.name for field in fields(Position)}
        for hand in position.seats:
            assert hand.packed(position.deal.caishen) == position.deal.caishen.packed(hand.known)
        if position.stage in (Stage.CLAIM, Stage.ROB):
            for seat in position.asked:
                claims = [action for action in each(position) if action.seat == seat]
                assert len(claims) > 1, "a seat was asked that can only pass"
        play = play.apply(mixed(play, chance))


def asking(position: Position) -> Position:
    """The position with every other seat asked for a claim."""
    return changed(position, asked=tuple({0, 1, 2, 3} - {position.turn}))


@given(SEEDS)
def test_a_seat_is_asked_if_and_only_if_it_has_a_legal_claim(seed: int) -> None:
    chance = random.Random(seed)
    play = shuffled(seed)
    while play.settlement is None:
        position = play.position
        if position.stage is Stage.CLAIM and not position.answers:
            for seat in {0, 1, 2, 3} - {position.turn}:
                claims = [
                    action
                    for action in _candidates(position, seat)
                    if not isinstance(action, Pass) and why_not(asking(position), action) is None
                ]
                assert bool(claims) == (seat in position.asked)
        play = play.apply(mixed(play, chance))


@pytest.mark.slow
def test_a_packed_hand_is_complete_if_its_counts_are_and_was_ready_one_tile_before() -> None:
    chance = random.Random(4)
    refused = 0
    for _ in range(20_000):
        melds = chance.randrange(6)
        size, wild = 17 - 3 * melds, chance.choice((0, 0, 1, 2, 3))
        near = chance.sample(range(KINDS), 9)
        kinds = [chance.choice(near) for _ in range(max(0, size - wild))]
        wild = size - len(kinds)
        packed = sum(1 << 3 * kind for kind in kinds) + (wild << 3 * KINDS)
        if max(map(kinds.count, kinds), default=0) <= 4:
            complete = is_complete(Counts.of(kinds), wild, melds)
            assert is_complete_packed(packed, melds) == complete
            for kind in {*kinds, KINDS} if wild else kinds:
                # The hand before its last tile, with a caishen in the place of that tile.
                ready = packed - (1 << 3 * kind) + (1 << 3 * KINDS)
                refused += not is_complete_packed(ready, melds)
                assert is_complete_packed(ready, melds) or not complete
    assert refused > 1_000
