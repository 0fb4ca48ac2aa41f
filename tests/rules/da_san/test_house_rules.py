"""Da San: hidden cards, what houses add, chips from hand to hand, and the notation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from config.loader import load_game
from config.validation.game_parameters import game_parameters
from rules.errors import IllegalSetupError, NotationError
from rules.games.da_san import DA_SAN, Bid, DaSanPlay, Lay, Parameters, Pass, begin, parse, start
from rules.games.da_san.cards import cards_of
from rules.games.da_san.hand import Hand
from rules.games.da_san.setup import kitty_places
from rules.play import IllegalActionError
from rules.setup import Setup
from rules.setup_facts import settle


def finished(**parameters: Any) -> Setup:
    return settle(DA_SAN.setup(parameters=replace(Parameters(), **parameters)))


def said(play: DaSanPlay, *texts: str) -> DaSanPlay:
    for text in texts:
        play = play.apply(parse(play.to_act[0], text))
    return play


def test_hidden_hands_follow_what_is_said_and_shown() -> None:
    play = start(finished())
    assert play.to_act == (0, 1, 2), "nobody knows who holds the 4 of hearts"
    play = play.apply(Bid(1, 1))
    assert (play.opener, play.to_act) == (1, (2,))
    play = said(play, "pass", "bid 3")
    assert [hand.hidden for hand in play.hands] == [20, 16, 16]
    play = said(play, "play 4h 5h 6h", "pass", "play 7s 8s 9s")
    assert [hand.size for hand in play.hands] == [17, 13, 16]
    with pytest.raises(IllegalActionError, match=r"Seat 1 cannot hold 8s\."):
        play.apply(Lay(1, ("8s", "9h", "10h")))


def test_a_hidden_hand_offers_what_it_could_hold_and_no_more_cards_than_it_has() -> None:
    play = said(start(finished()), "bid 3")
    sizes = {len(lay.cards) for lay in play.legal_actions if isinstance(lay, Lay)}
    assert max(sizes) == 20
    short = replace(play, hands=(Hand(0, 2), play.hands[1], play.hands[2]))
    assert {len(lay.cards) for lay in short.legal_actions if isinstance(lay, Lay)} == {1, 2}


def test_a_card_partly_seen_settles_who_opens() -> None:
    setup = finished()
    assert start(setup, {setup.hands[2][5]: "4h"}).to_act == (2,)
    assert start(setup, {setup.hands[2][5]: "5h"}).to_act == (0, 1, 2)


def test_D9_the_bidder_shows_the_kitty_to_everybody_where_the_house_says_so() -> None:
    hidden, shows = (start(finished(reveal_kitty=shows)) for shows in (False, True))
    assert said(hidden, "bid 3").revealed == ()
    assert shows.revealed == ()
    dug = said(shows, "bid 3")
    assert dug.revealed == (None,) * 4 and dug.to_act == (0,)
    assert {str(act).split()[0] for act in dug.legal_actions} == {"reveal"}
    two = said(dug, "reveal 4h 9c")
    assert two.revealed == ("4h", "9c", None, None) and two.to_act == (0,)
    seen = said(two, "reveal Kd 3s")
    assert seen.revealed == ("4h", "9c", "Kd", "3s")
    assert (seen.hands[0].hidden, seen.hands[0].size) == (16, 20)
    assert "cannot hold 3s" in str(refused(said(seen, "play 5h"), "play 3s"))


def test_D9_the_kitty_is_shown_before_anything_is_doubled_or_played_and_by_the_bidder() -> None:
    dug = said(start(finished(reveal_kitty=True, bidder_may_double=True)), "bid 3")
    assert "shows 4 more cards" in str(refused(dug, "double"))
    assert "cards of the kitty, not 5" in str(refused(dug, "reveal 4h 5h 6h 7h 8h"))
    assert str(refused(said(dug, "reveal 4h"), "reveal 4h")).startswith(
        "4h cannot be in the kitty; it has been seen elsewhere."
    )
    assert (
        str(refused(start(finished()), "reveal 4h"))
        == "The kitty is not shown now; bid, pass or play instead."
    )
    seen = said(dug, "reveal 4h 5h 6h 7h")
    assert {str(act) for act in seen.legal_actions} == {"pass", "double"}


def test_D9_a_kitty_that_everybody_knows_needs_no_showing() -> None:
    setup = finished(reveal_kitty=True)
    known = dict(zip(kitty_places(setup), ("4h", "5h", "6h", "7h"), strict=True))
    assert said(start(setup, known), "bid 3").round is not None


def refused(play: DaSanPlay, text: str) -> IllegalActionError:
    with pytest.raises(IllegalActionError) as caught:
        said(play, text)
    return caught.value


def test_three_3s_make_their_holder_bid_3_where_that_is_played() -> None:
    setup = finished(three_threes_bid_3=True)
    tiles = dict(zip(setup.hands[0], ("4h", "3s", "3d", "3c"), strict=False))
    play = start(setup, tiles)
    assert list(play.legal_actions) == [Bid(0, 3)]
    with pytest.raises(IllegalActionError, match=r"Seat 0 holds three 3s and has to bid 3\."):
        play.apply(Bid(0, 1))


def test_the_bidder_may_double_where_that_is_played() -> None:
    play = said(start(finished(bidder_may_double=True)), "bid 3")
    assert play.to_act == (0,)
    assert {str(action) for action in play.legal_actions} == {"double", "pass"}
    with pytest.raises(IllegalActionError, match="the bidder doubles or passes"):
        said(play, "play 4h")
    doubled = said(play, "double")
    out = replace(doubled, hands=(Hand(cards_of(["4h"])), *doubled.hands[1:]))
    settled = said(out, "play 4h").settlement
    assert settled is not None
    assert settled.balance() == {0: 12, 1: -6, 2: -6}


def test_chips_go_from_hand_to_hand_and_who_went_out_deals() -> None:
    play = said(start(finished()), "bid 2", "pass", "pass")
    out = replace(play, hands=(Hand(cards_of(["4h"])), *play.hands[1:]))
    match = begin(Parameters(start_chips=3), dealer=2)
    match = match.after(said(out, "play 4h"))
    assert (match.scores, match.dealer, match.over) == ((7, 1, 1), 0, False)
    match = replace(match, parameters=Parameters(chips_out="end", next_dealer="right"))
    match = match.after(said(out, "play 4h"))
    assert (match.scores, match.dealer, match.over) == ((11, -1, -1), 1, True)
    with pytest.raises(IllegalActionError, match="The hand is not over"):
        match.after(play)


@pytest.mark.parametrize("text", ["bid 2", "pass", "double", "play 7h 8d 9c 10s", "play 3s 3h"])
def test_an_action_reads_back(text: str) -> None:
    assert str(parse(1, text)) == text


def test_cards_are_read_in_any_order() -> None:
    assert parse(0, "play 9c 7h 10s 8d") == parse(0, "play 7h 8d 9c 10s")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bid 4", "'bid 4' is not an action of Da San"),
        ("play", "'play' is not an action of Da San"),
        ("play 1h", "'1h' is not a card; write 4h, 10s or Kd."),
        ("play 4h 4h", "names 4h twice"),
    ],
)
def test_a_text_that_is_no_action_is_refused(text: str, sentence: str) -> None:
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
def test_what_is_not_legal_is_refused_with_its_reason(
    action: Pass | Bid | Lay, sentence: str
) -> None:
    with pytest.raises(IllegalActionError, match=sentence):
        said(start(finished()), "bid 3").apply(action)


def test_cards_wait_for_the_auction() -> None:
    with pytest.raises(IllegalActionError, match="are not played before the auction is over"):
        start(finished()).apply(Lay(0, ("4h",)))
    with pytest.raises(IllegalActionError, match="be doubled before the auction"):
        said(start(finished()), "double")


def test_a_hand_needs_its_deal() -> None:
    with pytest.raises(IllegalSetupError, match="finish the set-up first"):
        start(DA_SAN.setup())
    setup = finished()
    with pytest.raises(IllegalSetupError, match="was read 2 times, but the set has 1"):
        start(setup, dict.fromkeys(setup.hands[0][:2], "4h"))


def test_a_stake_of_nothing_is_refused() -> None:
    with pytest.raises(IllegalSetupError, match="be 1 or more, not 0 and 25"):
        Parameters(stake_unit=0)


def test_the_file_of_the_game_has_the_defaults_of_the_rules() -> None:
    config = load_game("da_san")
    assert game_parameters(config) == Parameters()
    assert set(config.parameters) == set(Parameters.__dataclass_fields__)


def test_nothing_else_is_legal() -> None:
    text: Any = "bid 1"
    assert text not in start(finished()).legal_actions
