"""Tests the ledger: after any permitted changes every tile is accounted for exactly once."""

from __future__ import annotations

from collections import Counter
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from controller.run.ledger import Ledger, LedgerError
from rules.geometry import Place, Walls

WALLS = Walls.even(2)
PLACES = WALLS.places
SEATS = 4
seats = some.integers(0, SEATS - 1)
sets = some.integers(0, 1)


def in_play(*, number: int = 0) -> Ledger:
    """Return the ledger of a table with two sets, one of them raised."""
    tiles = WALLS.count
    return Ledger.of(2, tiles).gathered(number).built(number, tiles).raised(number, PLACES)


def test_a_set_with_a_tile_too_many_or_too_few_never_rises() -> None:
    tiles = WALLS.count
    gathered = Ledger.of(2, tiles).gathered(0)
    exceeding = gathered.exceeding(0, 1)
    assert (exceeding.accounted, exceeding.expected) == (2 * tiles + 1, 2 * tiles)
    with pytest.raises(LedgerError, match="1 of its tiles are left over"):
        exceeding.built(0, tiles)
    for ledger in (Ledger.of(2, tiles), gathered, gathered.built(0, tiles - 1)):
        with pytest.raises(LedgerError, match=f"of {tiles} tiles"):
            ledger.raised(0, PLACES)
    assert exceeding.exceeding(0, 0).built(0, tiles).raised(0, PLACES).on_top == 0


def test_the_ledger_names_the_set_that_is_open_and_where_the_others_are() -> None:
    assert in_play().gathered(1).words(1) == "this is set 2 of 2, set 1 is on the table"
    assert Ledger.of(1, 28).gathered(0).words(0) == "this is set 1 of 1"


class ChangesOfTwoSets(RuleBasedStateMachine):
    """Random permitted changes of the ledger of a table with two sets."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger.of(2, WALLS.count)

    def where(self, number: int) -> str:
        return self.ledger.sets[number].where

    @rule(number=sets)
    def the_set_is_pushed_in(self, number: int) -> None:
        if self.where(number) in ("boxed", "top"):
            self.ledger = self.ledger.gathered(number)

    @rule(number=sets)
    def the_set_is_built(self, number: int) -> None:
        if self.where(number) == "drum":
            self.ledger = self.ledger.built(number, WALLS.count)

    @rule(number=sets)
    def the_walls_rise(self, number: int) -> None:
        if self.where(number) == "trays" and self.ledger.on_top is None:
            self.ledger = self.ledger.raised(number, PLACES)

    @precondition(lambda self: self.ledger.on_top is not None)
    @rule(seat=seats, choice=some.data())
    def a_packet_comes_to_a_seat(self, seat: int, choice: some.DataObject) -> None:
        number = self.ledger.on_top
        assert number is not None
        standing = sorted(self.ledger.sets[number].standing)
        if not standing:
            return
        packet = choice.draw(some.lists(some.sampled_from(standing), unique=True, max_size=4))
        self.ledger = self.ledger.delivered(number, seat, tuple(packet))

    @precondition(lambda self: self.ledger.on_top is not None)
    @rule(seat=seats)
    def a_seat_returns_its_lots(self, seat: int) -> None:
        number = self.ledger.on_top
        assert number is not None
        lots = self.ledger.sets[number].hands.get(seat, ())
        self.ledger = self.ledger.returned(number, lots)

    @invariant()
    def every_tile_is_accounted_for(self) -> None:
        assert self.ledger.accounted == self.ledger.expected == 2 * WALLS.count

    @invariant()
    def no_tile_on_top_is_in_two_places(self) -> None:
        number = self.ledger.on_top
        if number is not None:
            tile_set = self.ledger.sets[number]
            places = [
                *tile_set.standing,
                *(place for hand in tile_set.hands.values() for place in hand),
            ]
            assert Counter(places) == Counter(PLACES)


TestChangesOfTwoSets = ChangesOfTwoSets.TestCase


@given(dealt=some.sampled_from(PLACES), first=seats, second=seats)
def test_a_place_is_dealt_once(dealt: Place, first: int, second: int) -> None:
    before = in_play().delivered(0, first, (dealt,))
    unchanged = replace(before)
    with pytest.raises(LedgerError) as refused:
        before.delivered(0, second, (dealt,))
    assert str(refused.value) == f"{dealt} was to go to seat {second}, but no tile is at {dealt}."
    assert before == unchanged


def test_a_packet_that_names_a_place_twice_is_refused() -> None:
    ledger = in_play()
    with pytest.raises(LedgerError, match=r"w0\.1u was to go to seat 2"):
        ledger.delivered(0, 2, (PLACES[0], PLACES[0]))
    assert ledger == in_play()


def test_tiles_of_the_set_below_cannot_be_dealt() -> None:
    ledger = in_play().gathered(1).built(1, WALLS.count)
    with pytest.raises(LedgerError, match=r"w0\.1u was to go to seat 0"):
        ledger.delivered(1, 0, (PLACES[0],))


def test_a_lot_that_was_not_drawn_cannot_be_returned() -> None:
    ledger = in_play().delivered(0, 1, PLACES[:2])
    with pytest.raises(LedgerError) as refused:
        ledger.returned(0, PLACES[1:3])
    assert str(refused.value) == f"{PLACES[2]} was to go back to its place, but no seat has it."
    assert ledger == in_play().delivered(0, 1, PLACES[:2])


def test_returned_lots_can_be_dealt_again() -> None:
    ledger = in_play().delivered(0, 1, PLACES[:2]).returned(0, PLACES[:2])
    assert ledger.sets[0].standing == frozenset(PLACES)
    assert ledger.delivered(0, 3, PLACES[:2]).sets[0].hands[3] == PLACES[:2]


def test_a_hand_keeps_the_order_of_its_deliveries() -> None:
    ledger = in_play().delivered(0, 1, PLACES[4:6]).delivered(0, 1, PLACES[:2])
    assert ledger.sets[0].hands[1] == PLACES[4:6] + PLACES[:2]


@pytest.mark.parametrize("counted", [WALLS.count - 1, WALLS.count + 1])
def test_a_wrong_count_stays_in_the_ledger_until_the_next_count(counted: int) -> None:
    ledger = Ledger.of(1, WALLS.count).gathered(0).built(0, counted)
    assert (ledger.accounted, ledger.expected) == (counted, WALLS.count)
    again = ledger.gathered(0)
    assert again.accounted == counted
    assert again.built(0, WALLS.count).accounted == WALLS.count


def test_one_set_can_be_on_top_while_the_other_is_boxed() -> None:
    ledger = in_play()
    assert (ledger.on_top, ledger.boxed) == (0, 1)
    assert (ledger.gathered(0).on_top, ledger.gathered(1).boxed) == (None, None)


def test_the_ledger_cannot_be_modified() -> None:
    ledger = in_play().delivered(0, 1, PLACES[:2])
    with pytest.raises(FrozenInstanceError):
        ledger.sets = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        ledger.sets[0].counted = 7  # type: ignore[misc]
    with pytest.raises(TypeError):
        ledger.sets[0].hands[1] = ()  # type: ignore[index]


def test_a_table_without_tiles_has_nothing_to_account_for() -> None:
    bare = Ledger.of(1, 0).gathered(0).built(0, 0).raised(0, ())
    assert (bare.accounted, bare.expected, bare.on_top) == (0, 0, 0)
