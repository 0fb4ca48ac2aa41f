"""The order of discards: single honours first, caishen last."""

from __future__ import annotations

from rules.games.wenzhou.discard_order import first_discards
from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.state import SeatHand
from rules.games.wenzhou.tiles import Caishen, set_down
from rules.melds import kind_of
from tests.rules.wenzhou.hands import BASE, tiles
from tests.rules.wenzhou.tables import MISFITS, allowed, changed, go, table, why_not


def discards(hand: str, thrown: str = "", **more: object) -> set[str]:
    """The legal discards of the dealer, after tiles of these kinds were discarded."""
    play = table({0: hand}, **more)  # type: ignore[arg-type]
    before = frozenset(map(kind_of, thrown.split()))
    texts = allowed(changed(play, thrown=before), 0)
    return {text.removeprefix("discard ") for text in texts if text.startswith("discard")}


def test_WZ_30_single_honours_are_discarded_first_and_first_of_all_those_seen_before() -> None:
    assert discards("E SS 3m 4m White C 345m 678m 123p 4p") == {"1z", "2z"}
    assert discards("E N SS 3m 4m White C 345m 678m 123p", thrown="4z") == {"4z"}


def test_WZ_30_a_caishen_is_discarded_only_if_the_hand_has_no_other_tile() -> None:
    play = table({0: f"{BASE} 78s C EE"})
    assert "the hand has another tile (W22)" in why_not(play, "0 discard 2m")
    left = SeatHand(("2m", "2m"))
    bare = changed(play, seats=(left, *play.position.seats[1:]))
    assert allowed(bare, 0) == {"discard 2m"}


def test_WZ_31_white_as_a_wind_is_discarded_first_and_caishen_do_not_count() -> None:
    assert discards("E White 3m 4m 345m 678m 123p 456p 8s", indicator="1z") == {"5z"}


def test_E12_an_honour_that_can_be_added_to_its_pong_is_not_single() -> None:
    caishen = Caishen("2m")
    hand = SeatHand(tiles("E N 3m"), (set_down(tiles("EEE"), caishen),))
    assert first_discards(hand, caishen, Parameters()) == {kind_of("4z")}
    strict = Parameters(pong_extension_exempt=False)
    assert first_discards(hand, caishen, strict) == {kind_of("1z"), kind_of("4z")}


def test_E13_a_claimed_discard_counts_as_discarded() -> None:
    play = table({0: f"{MISFITS} Green", 1: "EE 345m 678m 123p 45p 7s W N"})
    play = go(play, "0 discard 1z", "1 pong", "all pass")
    assert play.position.discards == ()
    assert play.position.thrown == {kind_of("1z")}


def test_E14_a_pair_of_honours_can_be_broken_instead() -> None:
    assert discards(f"{BASE} SS E 8s 9s") == {"1z", "2z"}


def test_E16_any_tile_can_be_discarded_if_the_house_has_no_order() -> None:
    assert "1m" in discards(f"{MISFITS} Green", parameters=Parameters(discard_order=False))


def test_the_sentence_names_the_tiles_that_are_discarded_first() -> None:
    play = table({0: f"{MISFITS} Green"})
    assert "1z or 2z or 3z or 6z (W16)" in why_not(play, "0 discard 1m")
    play = changed(play, thrown=frozenset({kind_of("6z")}))
    assert "goes first; discard 6z (W17)" in why_not(play, "0 discard 1z")
