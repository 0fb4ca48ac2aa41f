"""The fast list of legal actions, compared with a check of every action, in random play."""

from __future__ import annotations

from dataclasses import fields, replace
from random import Random

import pytest
from hypothesis import given, settings

from rules.games.filipino import Parameters
from rules.games.filipino.hand import FLORES, packed_tiles, unpacked
from rules.games.filipino.legal import (
    _why_claim_illegal,
    candidates,
    checked_candidates,
    claimants,
    each,
)
from rules.games.filipino.table import FilipinoTable, Offer
from rules.games.filipino.wins import Declared, wins
from rules.melds import Counts
from rules.tiles import Face
from tests.quick import tries
from tests.rules.filipino.dealing import SET, play_of
from tests.rules.filipino.test_filipino_properties import houses, seeds, some_player


def with_more_jokers(table: FilipinoTable, random: Random) -> FilipinoTable:
    """The table with more jokers and equal tiles in one hand, which are rare in random hands."""
    seat = random.randrange(4)
    hand = table.hands[seat]
    kept = [face for face in hand.concealed if face != table.joker]
    random.shuffle(kept)
    many = [face for face in kept[:4] for _ in range(3)]
    size = len(hand.concealed)
    jokers = [table.joker] * random.randrange(4)
    plain = [face for face in SET if face != table.joker and not table.house.is_flores(face)]
    tiles: list[Face | None] = []
    for face in (*jokers, *many, *kept[4:], *plain):
        # The set has four tiles of a face; unknown tiles are None.
        if len(tiles) < size and (face is None or tiles.count(face) < 4):
            tiles.append(face)
    concealed = tuple(sorted(filter(None, tiles), key=lambda face: face[-1] + face))
    return table.with_hand(seat, replace(hand, concealed=concealed))


@pytest.mark.evidence
@settings(max_examples=tries(10, quick=6, evidence=200))
@given(seeds, houses)
def test_the_fast_list_has_the_same_actions_in_the_same_order(seed: int, house: Parameters) -> None:
    random = Random(seed)
    play = play_of(seed, house)
    player = some_player(random)
    while play.settlement is None:
        table = play.table
        assert tuple(each(table)) == tuple(checked_candidates(table))
        assert table.__dict__.keys() == {field.name for field in fields(FilipinoTable)}
        for hand in table.hands:
            packed = packed_tiles(hand.concealed, house, table.joker)
            assert hand.packed(table.joker, table.house) == packed
        changed = with_more_jokers(table, random)
        assert tuple(each(changed)) == tuple(checked_candidates(changed))
        if table.turn in table.to_act and table.phase == "turn":
            face = random.choice(SET[:-8])
            offer = Offer(face, table.turn)
            claim = replace(changed, phase="claim")
            slow = [
                seat
                for seat in ((table.turn + step) % 4 for step in (1, 2, 3))
                if any(
                    act.verb != "pass" and _why_claim_illegal(claim, act, offer) is None
                    for act in candidates(claim, seat, offer)
                )
            ]
            if not house.is_flores(face):
                assert list(claimants(claim, offer)) == slow
                asking = replace(claim, offer=replace(offer, asked=tuple(slow)))
                assert tuple(each(asking)) == tuple(checked_candidates(asking))
        play = play.apply(player(play, play.to_act[0]))


def test_packed_tiles_have_the_counts_of_a_declared_hand() -> None:
    random = Random(8)
    house = Parameters()
    for _ in range(2000):
        faces = tuple(random.sample(SET, 17))
        joker = random.choice(faces)
        packed = packed_tiles(faces, house, joker)
        flores = sum(map(house.is_flores, faces))
        assert packed >> FLORES == flores
        if house.is_flores(joker):
            continue
        if flores:
            assert not wins(Declared(faces, joker), house)
        else:
            assert unpacked(packed) == (Declared(faces, joker).counts, faces.count(joker))
        assert Counts.unpacked(packed).size == 17 - flores - faces.count(joker)
