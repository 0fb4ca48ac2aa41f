"""Da San: hidden cards, house rules, chips from hand to hand, and the notation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from config.loader import load_game
from config.validation.game_parameters import game_parameters
from rules.errors import IllegalSetupError, NotationError
from rules.games.da_san import DA_SAN, Bid, DaSanPlay, Lay, Parameters, Pass, begin, parse, start
from rules.games.da_san.position import Hand, cards_of
from rules.games.da_san.setup import kitty_places
from rules.play import IllegalActionError
from rules.setup import Setup, settle


def finished(**parameters: Any) -> Setup:
    return settle(DA_SAN.setup(parameters=replace(Parameters(), **parameters)))


def acted(play: DaSanPlay, *texts: str) -> DaSanPlay:
    """The play after these actions, each of the seat on turn."""
    for text in texts:
        play = play.apply(parse(play.to_act[0], text))
    return play


def test_hidden_hands_are_played_from_the_announced_actions() -> None:
    play = start(finished())
    assert play.to_act == (0, 1, 2), "the seat with the 4 of hearts is unknown"
    play = play.apply(Bid(1, 1))
    assert (play.opener, play.to_act) == (1, (2,))
    play = acted(play, "pass", "bid 3")
    assert [hand.hidden for hand in play.hands] == [20, 16, 16]
    play = acted(play, "play 4h 5h 6h", "pass", "play 7s 8s 9s")
    assert [hand.size for hand in play.hands] == [17, 13, 16]
    with pytest.raises(IllegalActionError, match=r"Seat 1 cannot hold 8s\."):
        play.apply(Lay(1, ("8s", "9h", "10h")))


def test_a_hidden_hand_offers_all_plays_that_it_could_have() -> None:
    play = acted(start(finished()), "bid 3")
    sizes = {len(lay.cards) for lay in play.legal_actions if isinstance(lay, Lay)}
    assert max(sizes) == 20
    short = replace(play, hands=(Hand(0, 2), play.hands[1], play.hands[2]))
    assert {len(lay.cards) for lay in short.legal_actions if isinstance(lay, Lay)} == {1, 2}


def test_a_partly_known_deal_decides_the_opener_if_the_opening_card_was_read() -> None:
    setup = finished()
    assert start(setup, {setup.hands[2][5]: "4h"}).to_act == (2,)
    assert start(setup, {setup.hands[2][5]: "5h"}).to_act == (0, 1, 2)


def test_D9_the_bidder_shows_the_kitty_if_the_house_plays_so() -> None:
    hidden, shows = (start(finished(reveal_kitty=shows)) for shows in (False, True))
    assert acted(hidden, "bid 3").revealed == ()
    assert shows.revealed == ()
    dug = acted(shows, "bid 3")
    assert dug.revealed == (None,) * 4 and dug.to_act == (0,)
    assert {str(act).split()[0] for act in dug.legal_actions} == {"reveal"}
    two = acted(dug, "reveal 4h 9c")
    assert two.revealed == ("4h", "9c", None, None) and two.to_act == (0,)
    seen = acted(two, "reveal Kd 3s")
    assert seen.revealed == ("4h", "9c", "Kd", "3s")
    assert (seen.hands[0].hidden, seen.hands[0].size) == (16, 20)
    assert "cannot hold 3s" in str(refused(acted(seen, "play 5h"), "play 3s"))


def test_D9_the_bidder_shows_the_kitty_before_doubling_or_playing() -> None:
    dug = acted(start(finished(reveal_kitty=True, bidder_may_double=True)), "bid 3")
    assert "shows 4 more cards" in str(refused(dug, "double"))
    assert "4 more cards of the kitty, not 5" in str(refused(dug, "reveal 4h 5h 6h 7h 8h"))
    assert str(refused(acted(dug, "reveal 4h"), "reveal 4h")).startswith(
        "4h cannot be in the kitty; it has been seen elsewhere."
    )
    assert (
        str(refused(start(finished()), "reveal 4h"))
        == "The kitty is not shown now; bid, pass or play instead."
    )
    seen = acted(dug, "reveal 4h 5h 6h 7h")
    assert {str(act) for act in seen.legal_actions} == {"pass", "double"}


def test_D9_a_kitty_that_was_read_is_not_shown() -> None:
    setup = finished(reveal_kitty=True)
    known = dict(zip(kitty_places(setup), ("4h", "5h", "6h", "7h"), strict=True))
    assert acted(start(setup, known), "bid 3").round is not None


def refused(play: DaSanPlay, text: str) -> IllegalActionError:
    with pytest.raises(IllegalActionError) as caught:
        acted(play, text)
    return caught.value


def test_a_seat_with_three_3s_has_to_bid_3_if_the_house_plays_so() -> None:
    setup = finished(three_threes_bid_3=True)
    tiles = dict(zip(setup.hands[0], ("4h", "3s", "3d", "3c"), strict=False))
    play = start(setup, tiles)
    assert list(play.legal_actions) == [Bid(0, 3)]
    with pytest.raises(IllegalActionError, match=r"Seat 0 holds three 3s and has to bid 3\."):
        play.apply(Bid(0, 1))


def test_the_bidder_can_double_if_the_house_plays_so() -> None:
    play = acted(start(finished(bidder_may_double=True)), "bid 3")
    assert play.to_act == (0,)
    assert {str(action) for action in play.legal_actions} == {"double", "pass"}
    with pytest.raises(IllegalActionError, match="the bidder doubles or passes"):
        acted(play, "play 4h")
    doubled = acted(play, "double")
    out = replace(doubled, hands=(Hand(cards_of(["4h"])), *doubled.hands[1:]))
    settled = acted(out, "play 4h").settlement
    assert settled is not None
    assert settled.balance() == {0: 12, 1: -6, 2: -6}


def test_chips_are_kept_from_hand_to_hand_and_the_first_seat_out_deals() -> None:
    play = acted(start(finished()), "bid 2", "pass", "pass")
    out = replace(play, hands=(Hand(cards_of(["4h"])), *play.hands[1:]))
    match = begin(Parameters(start_chips=3), dealer=2)
    match = match.after(acted(out, "play 4h"))
    assert (match.scores, match.dealer, match.over) == ((7, 1, 1), 0, False)
    match = replace(match, parameters=Parameters(chips_out="end", next_dealer="right"))
    match = match.after(acted(out, "play 4h"))
    assert (match.scores, match.dealer, match.over) == ((11, -1, -1), 1, True)
    with pytest.raises(IllegalActionError, match="The hand is not over"):
        match.after(play)


@pytest.mark.parametrize("text", ["bid 2", "pass", "double", "play 7h 8d 9c 10s", "play 3s 3h"])
def test_an_action_is_written_as_it_was_read(text: str) -> None:
    assert str(parse(1, text)) == text


def test_cards_are_read_in_any_order() -> None:
    assert parse(0, "play 9c 7h 10s 8d") == parse(0, "play 7h 8d 9c 10s")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bid 4", "'bid 4' is not an action of Da San"),
        ("play", "'play' is not an action of Da San"),
        ("play 1h", "'1h' is not a card; write 4h, 10s or Kd"),
        ("play 4h 4h", "names 4h twice"),
    ],
)
def test_a_text_that_is_not_an_action_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        parse(0, text)


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (Pass(1), r"It is seat 0's turn, not seat 1's\."),
        (Bid(0, 3), r"The auction is over; play cards, or pass, instead of 'bid 3'\."),
        (Lay(0, ("4h", "4h")), r"names a card twice"),
        (Lay(0, ("1h",)), "'1h' is not a card"),
        (Lay(0, ()), "is not a combination"),
    ],
)
def test_an_illegal_action_is_refused_with_its_reason(
    action: Pass | Bid | Lay, sentence: str
) -> None:
    with pytest.raises(IllegalActionError, match=sentence):
        acted(start(finished()), "bid 3").apply(action)


def test_no_card_is_played_before_the_auction_is_over() -> None:
    with pytest.raises(IllegalActionError, match="are not played before the auction is over"):
        start(finished()).apply(Lay(0, ("4h",)))
    with pytest.raises(IllegalActionError, match="The stake cannot be doubled before the auction"):
        acted(start(finished()), "double")


def test_a_hand_needs_a_finished_set_up() -> None:
    with pytest.raises(IllegalSetupError, match="finish the set-up first"):
        start(DA_SAN.setup())
    setup = finished()
    with pytest.raises(IllegalSetupError, match="was read 2 times, but the set has 1"):
        start(setup, dict.fromkeys(setup.hands[0][:2], "4h"))


def test_a_stake_of_0_is_refused() -> None:
    with pytest.raises(IllegalSetupError, match="must be 1 or more, not 0 and 25"):
        Parameters(stake_unit=0)


def test_the_file_of_the_game_has_the_defaults_of_the_rules() -> None:
    config = load_game("da_san")
    assert game_parameters(config) == Parameters()
    assert set(config.parameters) == set(Parameters.__dataclass_fields__)


def test_a_text_is_not_a_legal_action() -> None:
    text: Any = "bid 1"
    assert text not in start(finished()).legal_actions
