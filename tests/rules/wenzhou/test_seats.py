"""The draw for seats, before the first hand and after the dealer's last figure (W2, W33)."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations, product

import pytest

from rules.errors import RulesError
from rules.games.wenzhou import WENZHOU, WENZHOU_RULES, Parameters, WenzhouMatch
from rules.games.wenzhou.adapter import winds_drawn
from rules.play import Drawing, drawn
from rules.records.record import evening, seats_line
from rules.steps import Outcome
from tests.rules.test_record import played

RESEAT = Parameters(after_fourth="reseat", dealer_scale=(2,))
DUE = WenzhouMatch(RESEAT, dealer=1, scores=(10, 20, 30, -60), hands=4, reseating=True)


def drawing(match: WenzhouMatch = DUE) -> Drawing:
    asked = WENZHOU_RULES.before_hand(match)
    assert asked is not None
    return asked


def test_no_seats_are_drawn_unless_a_draw_is_due() -> None:
    assert WENZHOU_RULES.before_hand(WenzhouMatch()) is None


def test_the_eldest_throws_for_east_and_the_drawn_winds_decide_the_seats() -> None:
    # Seat 1 counts 7 from itself: seat 3 is east. It counts 5 more: seat 1 takes the first wind.
    reseated = drawn(drawing(), [1, (6, 1), (4, 1), (1, 6, 2, 5)])
    # Seats 1, 2, 3, 0 draw in this order from four, three, two and one winds.
    assert reseated.moves == (2, 0, 1, 3)
    assert reseated.match == WenzhouMatch(RESEAT, dealer=3, scores=(20, 30, 10, -60), hands=4)


def test_the_player_who_draws_east_sits_there_and_deals() -> None:
    for dice in product((1, 4, 6), repeat=4):
        winds = winds_drawn(2, dice)
        reseated = drawn(drawing(), [0, (1, 2), (1, 2), dice])
        assert reseated.moves[winds_drawn(2, dice).index(0)] == reseated.match.dealer == 2
        assert sorted(winds) == [0, 1, 2, 3]


@pytest.mark.parametrize("taker", range(4))
def test_every_order_of_the_winds_has_the_same_probability(taker: int) -> None:
    orders = Counter(winds_drawn(taker, dice) for dice in product(range(1, 7), repeat=4))
    assert orders == dict.fromkeys(permutations(range(4)), 6**4 // 24)


def test_east_makes_the_second_throw_if_the_house_plays_so() -> None:
    asked = drawing(WenzhouMatch(Parameters(seat_draw_method="east"), reseating=True))
    next(asked)
    asked.send(2)
    assert asked.send((1, 2)).facts()["by"] == 0


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ([], "seats needs more outcomes than 0"),
        ([7], "cannot choose 7 as eldest"),
        ([0, (1, 9)], "1 to 6"),
    ],
)
def test_impossible_outcomes_of_a_draw_for_seats_are_refused(
    outcomes: list[Outcome], message: str
) -> None:
    with pytest.raises(RulesError, match=message):
        drawn(drawing(), outcomes)


def test_a_record_with_a_draw_for_seats_that_was_not_due_is_refused() -> None:
    _, lines = played("wenzhou", 1)
    lines.append(seats_line(WENZHOU.setup(), [0, (1, 2), (1, 2), (1, 1, 1, 1)]))
    with pytest.raises(RulesError, match=f"Line {len(lines)} .*: No draw for seats is due here"):
        list(evening(lines, lambda game, changed: Parameters()))


def test_W2_seats_are_drawn_before_the_first_hand_on_request() -> None:
    match = WENZHOU_RULES.to_draw(WENZHOU_RULES.match(Parameters(), 4, 0))
    seated = drawn(drawing(match), [2, (3, 3), (4, 4), (6, 5, 4, 3)])
    assert seated.match == WenzhouMatch(dealer=3)
    assert sorted(seated.moves) == [0, 1, 2, 3]
    assert WENZHOU_RULES.before_hand(seated.match) is None


def test_a_record_that_begins_with_seats_without_its_game_is_refused() -> None:
    with pytest.raises(RulesError, match="Line 1 of the record lacks game"):
        list(evening([json.dumps({"seats": []})], lambda game, changed: Parameters()))
