"""The check of hidden hands when they are shown: discards against the order are fined (E16)."""

from __future__ import annotations

import pytest

from rules.games.wenzhou import WENZHOU_RULES, WenzhouPlay
from rules.games.wenzhou.discard_check import Given, Taken, Trail, Unchecked, breaches
from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.state import Stage
from rules.games.wenzhou.tiles import Caishen
from rules.melds import kind_of
from tests.rules.wenzhou.hands import tiles
from tests.rules.wenzhou.tables import MISFITS, allowed, go, table, why_not

FINES = Parameters(discard_order_penalty=5, reserve=68)
"""A house that fines discards, with a reserve that ends the hand after three draws."""
NUMBERS = "1m 1m 4m 4m 7m 7m 1p 1p 4p 4p 7p 7p 1s 1s 4s"
"""Fifteen tiles without an honour."""


def drawn_hand(parameters: Parameters = FINES, seat_1_discards: str = "9s") -> WenzhouPlay:
    """A drawn hand in which each seat discards once; only the dealer's hand is known."""
    play = table({0: f"{NUMBERS} 6p 6p"}, parameters=parameters)
    return go(
        play,
        *("0 discard 6p", "all pass", "1 draw", f"1 discard {seat_1_discards}", "all pass"),
        *("2 draw", "2 discard 9p", "all pass", "3 draw", "3 discard 3z", "all pass"),
    )


def shown(play: WenzhouPlay, *hands: str) -> WenzhouPlay:
    """The play after seats 1, 2 and 3 have shown these hands."""
    for seat, hand in enumerate(hands, 1):
        play = play.apply(WENZHOU_RULES.parse(seat, f"show {' '.join(tiles(hand))}"))
    return play


SECOND = "2p 2p 5p 5p 8p 8p 2s 2s 5s 5s 8s 8s 3m 3m 6m 6m"
THIRD = "1z 1z 2z 2z 6p 6p 3m 3m 7s 7s 7s 7s 4z 4z 6z 6z"
KEPT = "3p 3p 3s 3s 6s 6s 9m 9m 9m 9m 6m 6m 5m 5m 8m 8m"


def test_a_seat_that_kept_a_single_wind_and_discarded_a_number_tile_pays_the_others() -> None:
    play = shown(drawn_hand(), "E 3p 3p 3s 3s 6s 6s 9m 9m 9m 9m 6m 6m 5m 5m 8m", SECOND)
    assert play.settlement is None and play.to_act == (3,)
    play = play.apply(WENZHOU_RULES.parse(3, f"show {THIRD}"))
    settlement = play.settlement
    assert settlement is not None
    assert settlement.balance() == {1: -15, 0: 5, 2: 5, 3: 5}
    assert "Seat 1 discarded '9s' against the order (W16, E16)." in settlement.reasons


def test_a_hand_that_followed_the_order_pays_nothing() -> None:
    play = shown(drawn_hand(), KEPT, SECOND)
    play = play.apply(WENZHOU_RULES.parse(3, f"show {THIRD}"))
    assert play.settlement is not None and play.settlement.payments == ()


def test_hands_are_shown_only_if_a_payment_depends_on_them() -> None:
    assert drawn_hand(Parameters(reserve=68)).settlement is not None
    assert drawn_hand(Parameters(reserve=68, discard_order=False)).settlement is not None
    play = drawn_hand()
    assert play.settlement is None and play.position.stage is Stage.SHOW
    assert play.to_act == (1, 2, 3)


def test_tiles_are_shown_one_by_one_or_together_but_none_that_is_elsewhere() -> None:
    play = drawn_hand()
    assert "show 5m" in allowed(play, 1) and "show 2" not in allowed(play, 1)
    assert "its 16 unknown tiles" in why_not(play, "1 show 2")
    assert "not 17" in why_not(play, "1 show " + " ".join(["5m"] * 17))
    assert "'1m' cannot be among the" in why_not(play, "1 show 1m 1m 1m")
    one = play.apply(WENZHOU_RULES.parse(1, "show 5m"))
    assert one.position.seats[1].hidden == 15 and 1 in one.to_act
    paid = table({}, parameters=Parameters(caishen_money=1, reserve=70))
    paid = go(paid, "0 discard 6p", "all pass", "1 draw", "1 discard 6p", "all pass")
    assert "shows only its number of caishen; write it as 'show 2'" in why_not(paid, "1 show 5m")


# Discards that later draws excuse


def trail(*events: str) -> Trail:
    """The trail of these events of seat 1.

    `? 9s` is a discard of a hidden hand, `+` an unknown draw, `+ 9s` a known draw, `- 9s` tiles
    that leave the hand, and `9s` the discard of another seat.
    """
    found: list[Taken | Given | Unchecked] = []
    thrown: set[int] = set()
    for event in events:
        sign, *faces = event.split()
        if sign == "?":
            (face,) = tiles(faces[0])
            found.append(Unchecked(1, face, frozenset(thrown), frozenset()))
            thrown.add(kind_of(face))
        elif sign == "+":
            found.append(Taken(1, tiles(faces[0])[0] if faces else None))
        elif sign == "-":
            found.append(Given(1, tiles(" ".join(faces))))
        else:
            thrown.add(kind_of(tiles(event)[0]))
    return tuple(found)


@pytest.mark.parametrize(
    ("events", "kept", "rules"),
    [
        (["? 9s"], "E 5m", ["W16"]),
        (["? 9s", "+"], "E 5m", []),
        (["? 9s", "+ 5m"], "E 5m", ["W16"]),
        (["? 9s", "+ E"], "E 5m", []),
        (["? 9s", "+"], "E S 5m", ["W16"]),
        (["? 9s", "? E", "+"], "5m", ["W16"]),
        (["? 9s", "+", "? E"], "5m", []),
        (["? 9s"], "E E 5m", []),
        (["E", "? 9s"], "E 5m", ["W17"]),
        (["E", "? S"], "E 5m", ["W17"]),
        (["E", "? S"], "N 5m", []),
        (["E", "S", "? S"], "E 5m", []),
        (["E", "S", "? S"], "S E 5m", ["W17"]),
        (["? 9s", "- E E", "+"], "5m", []),
        (["? C"], "E", []),
    ],
)
def test_a_discard_is_fined_only_if_no_order_of_the_unknown_draws_excuses_it(
    events: list[str], kept: str, rules: list[str]
) -> None:
    hands = [(), tiles(kept), (), ()]
    found = breaches(trail(*events), hands, Caishen("2m"))
    assert [breach.rule for breach in found] == rules


def test_a_kept_honour_that_can_be_added_to_its_pong_is_not_fined() -> None:
    kept = Unchecked(1, "9s", frozenset(), frozenset({kind_of("1z")}))
    assert breaches((kept,), [(), ("1z",), (), ()], Caishen("2m")) == ()


def test_a_tile_claimed_for_the_win_does_not_excuse_earlier_discards() -> None:
    """Seat 1 wins with a pair of East, of which the second tile is a discard of seat 3."""
    play = table({0: f"{MISFITS} Green"}, parameters=Parameters(discard_order_penalty=5))
    play = go(play, "0 discard 2z", "all pass", "1 draw", "1 discard 2z", "all pass")
    play = go(play, "2 draw", "2 discard 3z", "all pass", "3 draw", "3 discard 3z", "all pass")
    play = go(play, "0 draw 4z", "0 discard 3z", "all pass", "1 draw", "1 discard 8p", "all pass")
    play = go(play, "2 draw", "2 discard 2s", "all pass", "3 draw", "3 discard 1z")
    play = go(play, "1 win 3m 4m 5m 6m 7m 8m 1p 2p 3p 4p 5p 6p 7s 8s 9s 1z", "all pass")
    assert play.position.stage is Stage.SHOW
    fined = breaches(
        play.position.trail,
        [hand.known for hand in play.position.seats],
        play.position.deal.caishen,
    )
    assert [(breach.seat, breach.face) for breach in fined if breach.seat == 1] == [(1, "8p")]
