"""Da San: the cases of the rules, by their numbers (DS-01 and DS-02: see the tests of set-ups)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from rules.games.da_san import DA_SAN, Bid, DaSanPlay, Lay, Parameters, Pass, parse, start
from rules.games.da_san.auction import Auction
from rules.games.da_san.position import ALL, Hand, Round, cards_of, faces_of, form_of
from rules.play import IllegalActionError
from rules.setup import settle

LOW = ("4h 5s 5h 6s 6h 7s 7h", "8s 8h 9s 9h 10s 10h", "Js Jh Qs Qh Ks Kh")


def dealt(
    hands: Sequence[str] = LOW,
    *,
    bid: tuple[tuple[int, int], ...] = ((0, 1), (1, 0), (2, 0)),
    **parameters: Any,
) -> DaSanPlay:
    """A hand with these few cards after the auction; the opener leads."""
    first, second, third = (Hand(cards_of(hand.split())) for hand in hands)
    return DaSanPlay(
        replace(Parameters(), **parameters),
        (first, second, third),
        Hand(),
        Auction(bid),
        opener=bid[0][0],
        round=Round(bid[0][0]),
    )


def calls(*bids: int, pass_final: bool = False) -> DaSanPlay:
    """The auction after these bids (0 is a pass); seat 0 opens."""
    play = shown("4h", pass_final=pass_final)
    for bid in bids:
        (seat,) = play.to_act
        play = play.apply(Bid(seat, bid) if bid else Pass(seat))
    return play


def shown(first: str, *, kitty: str = "", seat: int = 0, **parameters: Any) -> DaSanPlay:
    """A deal with this first card at a seat, these cards in the kitty, and the others in order."""
    setup = settle(DA_SAN.setup(parameters=replace(Parameters(), **parameters)))
    hands = {place for places in setup.hands.values() for place in places}
    left = [place for place in setup.layout.places if place not in hands]
    tiles = dict(zip(left, kitty.split(), strict=False)) | {setup.hands[seat][0]: first}
    rest = iter(faces_of(ALL & ~cards_of(tiles.values())))
    return start(setup, {place: tiles.get(place) or next(rest) for place in setup.layout.places})


def acted(play: DaSanPlay, *texts: str) -> DaSanPlay:
    """The play after these actions, each of the seat on turn."""
    for text in texts:
        play = play.apply(parse(play.to_act[0], text))
    return play


@pytest.mark.parametrize(
    ("bids", "bidder", "bid"),
    [
        pytest.param((1, 0, 0), 0, 1, id="DS-03"),
        pytest.param((1, 2, 0, 0), 1, 2, id="DS-04"),
        pytest.param((1, 0, 2, 3), 0, 3, id="DS-05"),
        pytest.param((1, 0, 2, 0, 3), 1, 3, id="DS-06"),
        pytest.param((3,), 0, 3, id="E2"),
    ],
)
def test_DS_03_to_06_the_auction_ends_on_3_or_two_passes_in_a_row(
    bids: tuple[int, ...], bidder: int, bid: int
) -> None:
    play = calls(*bids)
    assert play.auction.over
    assert (play.bidder, play.auction.bid) == (bidder, bid)
    assert [hand.size for hand in play.hands] == [20 if s == bidder else 16 for s in range(3)]
    assert play.to_act == (0,), "the opener leads, not the bidder (D10)"


def test_E1_a_house_can_exclude_a_seat_that_passed_from_the_auction() -> None:
    play = calls(1, 0, 2, pass_final=True)
    assert play.to_act == (0,)
    assert acted(play, "pass").auction.over


def test_DS_07_the_opener_cannot_pass() -> None:
    play = calls()
    assert play.to_act == (0,)
    with pytest.raises(IllegalActionError, match="The opener cannot pass"):
        play.apply(Pass(0))
    with pytest.raises(
        IllegalActionError, match=r"A bid of 2 is not higher than 2; bid 3, or pass\."
    ):
        acted(play, "bid 2", "bid 2")


def test_DS_08_a_run_is_beaten_by_a_higher_run_of_the_same_length() -> None:
    hands = ("6s 7s 8s 9s 4h", "7h 8d 9c 10s 4s", "4d 5d")
    play = acted(dealt(hands), "play 6s 7s 8s 9s", "play 7h 8d 9c 10s")
    assert play.hands[1] == Hand(cards_of(["4s"]))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("play Js Jh Jd Jc", "A four J cannot be played on a run 6 to 9; play the same type"),
        ("play 9h 10h Js Qh Kh", "A run 9 to K cannot be played on a run 6 to 9; play"),
    ],
)
def test_DS_09_the_type_and_the_number_of_cards_have_to_be_the_same(
    text: str, sentence: str
) -> None:
    hands = ("6s 7s 8s 9s 4h", "Js Jh Jd Jc 9h 10h Qh Kh", "4d 5d")
    play = acted(dealt(hands), "play 6s 7s 8s 9s")
    with pytest.raises(IllegalActionError, match=sentence):
        acted(play, text)


@pytest.mark.parametrize("cards", ["Qs Ks As", "As 2s 3s", "2s 3s 4s", "4s 5s", "6s 6h 7s 7h"])
def test_DS_10_cards_that_are_not_a_combination_cannot_be_played(cards: str) -> None:
    assert form_of(cards_of(cards.split())) is None
    play = dealt((f"{cards} 9s", "8s 8h", "Jh Qh"))
    with pytest.raises(
        IllegalActionError, match="is not a combination; play cards of one rank, or three or more"
    ):
        play.apply(Lay(0, tuple(cards.split())))


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("6s 6h 6d 7s 7h 7d 8s 8h 8d", "run of threes 6 to 8"),
        ("9s 9h 9d 9c 10s 10h 10d 10c Js Jh Jd Jc", "run of fours 9 to J"),
        ("6s 7h 8d", "run 6 to 8"),
        ("6s 6h 7s 7h 8s 8h", "run of pairs 6 to 8"),
        ("8s 8h 8d 8c", "four 8"),
        ("3s", "single 3"),
    ],
)
def test_DS_11_runs_of_one_to_four_of_a_rank_are_combinations(cards: str, name: str) -> None:
    form = form_of(cards_of(cards.split()))
    assert str(form) == name
    laid = acted(dealt((f"{cards} As", "8s 8h", "Jh Qh")), f"play {cards}").round
    assert laid is not None
    assert laid.best == form


@pytest.mark.parametrize(
    ("low", "high"), [("2s", "3s"), ("As", "2s"), ("Ks", "As"), ("2s 2h", "3s 3h")]
)
def test_DS_12_3_is_higher_than_2_and_2_than_ace_and_ace_than_king(low: str, high: str) -> None:
    play = acted(dealt((f"4h {low}", f"5h {high}", "Jh Qh")), f"play {low}")
    assert parse(1, f"play {high}") in play.legal_actions
    back = acted(dealt((f"4h {high}", f"5h {low}", "Jh Qh")), f"play {high}")
    assert parse(1, f"play {low}") not in back.legal_actions


def test_DS_12_an_equal_pair_does_not_beat() -> None:
    play = acted(dealt(("8s 8h 4h", "8d 8c 4d", "Jh Qh")), "play 8s 8h")
    with pytest.raises(
        IllegalActionError, match="A pair 8 does not beat a pair 8; play a higher one"
    ):
        acted(play, "play 8d 8c")


@pytest.mark.parametrize(
    ("bid", "bonus", "out", "gains"),
    [
        pytest.param(((0, 2), (1, 0), (2, 0)), False, 0, (4, -2, -2), id="DS-13"),
        pytest.param(((1, 1), (2, 0), (0, 3)), False, 1, (-6, 3, 3), id="DS-14"),
        pytest.param(((0, 1), (1, 0), (2, 0)), True, 0, (4, -2, -2), id="DS-15 won"),
        pytest.param(((0, 1), (1, 0), (2, 0)), True, 1, (-2, 1, 1), id="DS-15 lost"),
        pytest.param(((0, 1), (1, 0), (2, 0)), False, 0, (2, -1, -1), id="D16"),
    ],
)
def test_DS_13_to_15_the_first_seat_out_decides_who_pays(
    bid: tuple[tuple[int, int], ...], bonus: bool, out: int, gains: tuple[int, int, int]
) -> None:
    hands = ["4h 4s", "6h 6s", "7h 7s"]
    hands[out] = hands[out].split()[0]
    play = dealt(hands, bid=bid, forced_bid_bonus=bonus)
    while play.settlement is None:
        lay = Lay(play.to_act[0], faces_of(play.hands[play.to_act[0]].known)[:1])
        play = play.apply(lay if lay in play.legal_actions else Pass(lay.seat))
    assert play.to_act == ()
    assert play.settlement.winner == out
    balance = play.settlement.balance()
    assert tuple(balance[seat] for seat in range(3)) == gains


def test_DS_16_after_two_passes_the_seat_with_the_highest_play_leads() -> None:
    hands = ("5s 4h", "7s 4s", "4d 5d")
    play = acted(dealt(hands), "play 5s", "play 7s", "pass", "pass")
    assert play.to_act == (1,)
    assert play.gone == cards_of(["5s", "7s"])
    assert play.round == Round(1)
    with pytest.raises(IllegalActionError, match="The leader cannot pass"):
        acted(play, "pass")


def test_DS_17_a_seat_that_passed_can_still_play_in_the_round() -> None:
    hands = ("5s 4h", "Ks 4s", "8d 5d")
    play = acted(dealt(hands), "play 5s", "pass", "play 8d", "pass")
    assert acted(play, "play Ks").to_act == (2,)
    locked = acted(dealt(hands, pass_locks_round=True), "play 5s", "pass", "play 8d", "pass")
    assert locked.round == Round(2)


def test_DS_18_with_4_of_hearts_in_the_kitty_the_lowest_heart_opens_and_leads() -> None:
    play = shown("5h", kitty="4h 4s 4d 4c", seat=2)
    assert play.to_act == (2,)
    dug = acted(play, "bid 1", "bid 3")
    assert (dug.bidder, dug.to_act) == (0, (2,))
    assert cards_of(["4h"]) & dug.hands[0].known


def test_a_house_can_open_with_another_suit() -> None:
    setup = settle(DA_SAN.setup(parameters=Parameters(opening_suit="clubs")))
    tiles = {setup.hands[1][0]: "4c", setup.hands[0][0]: "4h"}
    assert start(setup, tiles).to_act == (1,)
