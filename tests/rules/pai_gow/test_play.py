"""A hand of pai gow from the dealt tiles to the settlement."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import IllegalOutcomeError, IllegalSetupError, NotationError, RulesError
from rules.games.pai_gow import PAI_GOW, PAI_GOW_RULES, Parameters
from rules.games.pai_gow.actions import Action, Call, SetHand, Show, parse
from rules.games.pai_gow.bot import best, sensible
from rules.games.pai_gow.optimum import four_tile_hands
from rules.games.pai_gow.play import PaiGowPlay, start
from rules.games.pai_gow.ranking import parse_split
from rules.play import HOUSE, IllegalActionError, Payment, random_action
from rules.setup import settle
from rules.steps import Choose
from rules.tiles import tile_set
from tests.rules.pai_gow.deals import FACES, begun, dealt, played, with_hands

BANK = "1-1 6-3 3-3 5-5"
WINS, LOSES, SHARES = "6-6 5-4 3-1 4-1", "2-2 6-5 6-4 5-1", "6-6 5-3 6-1 6-4"


def table(**parameters: Any) -> PaiGowPlay:
    """A play with seat 0 as the bank; seat 1 can win, seat 2 loses, seat 3 wins one hand."""
    return with_hands(BANK, WINS, LOSES, SHARES, **parameters)


SETTING = (
    "1 set 6-6 5-4 / 3-1 4-1",
    "3 set 6-6 5-3 / 6-4 6-1",
    "2 set 6-5 5-1 / 2-2 6-4",
    "0 set 1-1 6-3 / 5-5 3-3",
)


def test_players_set_in_any_order_and_the_banker_last() -> None:
    play = table()
    assert play.to_act == (1, 2, 3)
    assert played(play, SETTING[1]).to_act == (1, 2)
    play = played(play, *SETTING[:3])
    assert play.to_act == (0,)
    assert play.settlement is None
    assert played(play, SETTING[3]).to_act == ()


def test_a_house_can_let_the_banker_set_with_the_others() -> None:
    assert table(banker_sets_last=False).to_act == (1, 2, 3, 0)


def test_every_seat_is_settled_against_the_bank_with_its_reasons() -> None:
    settlement = played(table(), *SETTING).settlement
    assert settlement is not None
    assert settlement.name == "1 win, 1 lose, 1 push"
    assert settlement.payments == (
        Payment(0, 1, 1, "seat 1 wins both hands"),
        Payment(1, HOUSE, Fraction(1, 20), "commission of seat 1"),
        Payment(2, 0, 1, "seat 2 loses both hands"),
    )
    seat_1, seat_2, seat_3 = settlement.reasons
    assert seat_1 == (
        "Seat 1 wins both hands, even money (4.2): high 6-6 5-4 to 1-1 6-3: the player's Teen Wong"
        " beats Day Wong (4.2); low 3-1 4-1 to 5-5 3-3: the player's 9 beats 6 (4.2)"
    )
    assert seat_2 == (
        "Seat 2 loses both hands (4.2): high 6-5 5-1 to 1-1 6-3: the banker's Day Wong beats 7"
        " (4.2); low 2-2 6-4 to 5-5 3-3: the banker's 6 beats 4 (4.2)"
    )
    assert seat_3 == (
        "Seat 3 pushes, as neither side takes both hands (4.2): high 6-6 5-3 to 1-1 6-3: the"
        " banker's Day Wong beats Teen Gong (4.2); low 6-4 6-1 to 5-5 3-3: the player's 7 beats 6"
        " (4.2)"
    )


def test_PG_21_a_player_who_wins_high_and_loses_low_pushes() -> None:
    play = with_hands("1-1 6-3 3-3 5-5", "6-6 5-4 6-5 6-4")
    settlement = played(play, "1 set 6-6 5-4 / 6-5 6-4", "0 set 1-1 6-3 / 5-5 3-3").settlement
    assert settlement is not None
    assert (settlement.name, settlement.payments) == ("0 win, 0 lose, 1 push", ())


def test_a_stake_is_paid_even_money_less_the_commission_of_the_house() -> None:
    setup = dealt(2, stakes={1: 50}, commission=0.04, highest_stake=100)
    tiles = dict(zip(setup.hands[0], BANK.split(), strict=True))
    tiles |= dict(zip(setup.hands[1], WINS.split(), strict=True))
    play = start(setup, tiles)
    settlement = played(play, SETTING[0], SETTING[3]).settlement
    assert settlement is not None
    assert settlement.balance() == {0: -50, 1: 48, HOUSE: 2}


def test_a_bank_pays_commission_on_its_net_win_if_the_house_plays_so() -> None:
    hands = ("6-6 5-4 3-1 4-1", "2-2 6-5 6-4 5-1", "5-5 6-1 2-2 6-5")
    play = with_hands(*hands, bank_commission=True)
    for seat in (1, 2, 0):
        play = play.apply(sensible(play, seat))
    settlement = play.settlement
    assert settlement is not None
    assert settlement.balance() == {1: -1, 2: -1, 0: Fraction(19, 10), HOUSE: Fraction(1, 10)}


def test_a_bank_that_loses_pays_no_commission_and_gets_none_back() -> None:
    """The house takes a share of what the bank wins; it pays nothing towards its losses."""
    play = with_hands(BANK, WINS, bank_commission=True)
    settlement = played(play, SETTING[0], SETTING[3]).settlement
    assert settlement is not None
    assert settlement.balance() == {0: -1, 1: Fraction(19, 20), HOUSE: Fraction(1, 20)}
    assert not [each for each in settlement.payments if each.why == "commission of the bank"]


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("0 set 1-1 6-3 / 5-5 3-3", "Seat 0 cannot act now; it is the turn of seat 1, 2, 3."),
        ("1 set", "Seat 1 holds 6-6 5-4 3-1 4-1; name the high and the low hand."),
        ("1 set 6-6 5-4 / 1-1 3-1", "tiles of seat 1, which are 6-6 5-4 3-1 4-1"),
        ("1 set 5-4 4-1 / 6-6 3-1", r"4.2\). Exchange them: 6-6 3-1 / 5-4 4-1"),
        ("1 show 6-6 5-4 / 3-1 4-1", "The hand of seat 1 is not set yet, so it cannot be shown."),
        ("1 call win", "Seat 1 has not set its hand; set it before its result is called."),
        ("7 set", "Seat 7 cannot act now"),
    ],
)
def test_an_illegal_action_is_refused_with_a_sentence_and_changes_nothing(
    action: str, message: str
) -> None:
    play = table()
    before = play
    with pytest.raises(IllegalActionError, match=message):
        played(play, action)
    assert play == before == table()


def test_a_hand_cannot_be_set_twice() -> None:
    with pytest.raises(IllegalActionError, match="Seat 1 cannot act now"):
        played(table(), SETTING[0], SETTING[0])


def test_a_value_that_is_not_an_action_is_not_legal() -> None:
    for value in (None, "set", 1):
        assert not table().legal_actions.__contains__(value)


def test_a_seat_of_the_house_sets_by_its_house_way_only() -> None:
    play = table(house_seats=(0,), house_way="foxwoods")
    play = played(play, *SETTING[:3])
    only = list(play.legal_actions)
    assert only == [SetHand(0, play.house_split(BANK.split()))]
    with pytest.raises(IllegalActionError, match="house, which sets by its house way foxwoods"):
        played(play, "0 set 6-3 5-5 / 1-1 3-3")


def test_unknown_hands_are_set_face_down_and_the_floor_calls_their_results() -> None:
    play = start(dealt(3))
    assert list(play.legal_actions) == [SetHand(1), SetHand(2)]
    play = played(play, "1 set", "2 set", "0 set")
    assert play.to_act == (1, 2, 0)
    assert play.settlement is None
    settlement = played(play, "2 call lose", "1 call win").settlement
    assert settlement is not None
    assert settlement.balance() == {0: 0, 1: Fraction(19, 20), 2: -1, HOUSE: Fraction(1, 20)}
    assert settlement.reasons[0] == "Seat 1 wins both hands, even money (4.2): called by the floor"


def test_unknown_hands_can_be_shown_instead() -> None:
    play = played(start(dealt(2)), "1 set", "0 set", "0 show 1-1 6-3 / 5-5 3-3")
    assert play.to_act == (1,)
    settlement = played(play, "1 show 6-6 5-4 / 3-1 4-1").settlement
    assert settlement is not None
    assert settlement.name == "1 win, 0 lose, 0 push"


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            "1 show 6-6 6-3 / 3-1 4-1",
            "1 cannot hold 6-3, which is seen elsewhere; read the tiles again",
        ),
        ("1 show 3-1 4-4 / 6-6 6-6", "2 high and pair of Teen low"),
        ("0 show 1-1 6-3 / 5-5 3-3", "Seat 0 cannot act now"),
        ("0 call win", "Seat 0 cannot act now"),
    ],
)
def test_an_impossible_show_is_refused(action: str, message: str) -> None:
    play = played(start(dealt(2)), "1 set", "0 set", "0 show 1-1 6-3 / 5-5 3-3")
    with pytest.raises(IllegalActionError, match=message):
        played(play, action)


@pytest.mark.slow
def test_the_bank_has_no_result_to_call_and_a_shown_hand_needs_its_known_tiles() -> None:
    setup = dealt(2)
    play = start(setup, {setup.hands[1][0]: "6-6"})
    play = played(play, "1 set", "0 set")
    with pytest.raises(IllegalActionError, match="Seat 0 is the bank, which has no result"):
        played(play, "0 call win")
    with pytest.raises(
        IllegalActionError, match="Seat 1 holds 6-6, which '3-1 4-1 / 5-5 3-3' does not"
    ):
        played(play, "1 show 3-1 4-1 / 5-5 3-3")
    shows = [action for action in play.legal_actions if isinstance(action, Show)]
    assert all("6-6" in action.split.tiles for action in shows if action.seat == 1)
    assert all(action in play.legal_actions for action in islice(shows, 0, None, 97))


def test_a_hand_can_be_shown_with_every_four_tiles_that_are_not_seen_elsewhere() -> None:
    setup = dealt(2)
    play = played(start(setup, {setup.hands[1][0]: "6-6"}), "1 set", "0 set")
    play = played(play, "0 show 1-1 6-3 / 5-5 3-3")
    left = Counter(tile_set("pai_gow_32").faces) - Counter(["1-1", "6-3", "5-5", "3-3"])
    possible = {tiles for tiles in four_tile_hands() if Counter(["6-6"]) <= Counter(tiles) <= left}
    shown = {
        tuple(sorted(action.split.tiles))
        for action in play.legal_actions
        if isinstance(action, Show)
    }
    assert shown == possible
    assert ("5-5", "6-2", "6-5", "6-6") in shown and len(shown) > 500


def test_dead_hands_are_known_only_if_the_house_shows_them() -> None:
    setup = dealt(2, dead_hand="shown")
    play = begun(FACES, setup)
    assert [hand.known for hand in play.dead] == [
        FACES[4 * hand : 4 * hand + 4] for hand in range(2, 8)
    ]
    assert begun(FACES, dealt(2)).dead == ()


def test_A14_the_hands_of_empty_positions_lie_open_if_the_house_shows_them() -> None:
    play = begun(FACES, dealt(2, dead_hand="shown"))
    shown = {each.seat: each.faces for each in PAI_GOW_RULES.open_tiles(play, ()).sets}
    assert shown == {seat: FACES[4 * seat : 4 * seat + 4] for seat in range(2, 8)}
    assert not PAI_GOW_RULES.open_tiles(begun(FACES, dealt(2)), ()).sets
    # A table that reads no tile shows that they lie there, and not what they are.
    unread = start(dealt(2, dead_hand="shown"))
    hidden = PAI_GOW_RULES.open_tiles(unread, ()).sets
    assert [each.faces for each in hidden] == [(None,) * 4] * 6


def test_a_play_needs_a_finished_set_up_and_tiles_of_one_set() -> None:
    with pytest.raises(IllegalSetupError, match="The set-up is not finished"):
        start(PAI_GOW.setup())
    setup = dealt(2)
    twice = dict.fromkeys(setup.hands[0][:2], "5-4")
    with pytest.raises(RulesError, match="'5-4' was read 2 times, but the set has 1; read"):
        start(setup, twice)


def test_each_player_is_asked_for_a_stake_before_the_cut_if_several_are_allowed() -> None:
    setup = PAI_GOW.setup(players=3, dealer=1, parameters=Parameters(highest_stake=500)).apply()
    asked = []
    for stake in (7, 100):
        assert isinstance(setup.pending, Choose)
        asked.append(setup.pending.what)
        setup = setup.apply(stake)
    assert asked == ["stake of seat 2", "stake of seat 0"]
    assert isinstance(setup.pending, Choose)
    assert setup.pending.what == "cut"
    setup = settle(setup, [(3, 3, 3)])
    assert start(setup).stakes == (100, 1, 7)


@pytest.mark.parametrize("stake", [0, -1, 501, True, "all"])
def test_a_stake_that_the_house_does_not_allow_is_refused(stake: Any) -> None:
    setup = PAI_GOW.setup(players=2, parameters=Parameters(highest_stake=500)).apply()
    with pytest.raises(IllegalOutcomeError, match="stake of seat 1; offered: 1 to 500"):
        setup.apply(stake)


@pytest.mark.parametrize("highest", [0, -5, 10_001])
def test_a_highest_stake_out_of_range_is_refused(highest: int) -> None:
    with pytest.raises(IllegalSetupError, match=f"must be 1 to 10000 units, not {highest}"):
        Parameters(highest_stake=highest)


@pytest.mark.parametrize("text", ["", "fold", "call", "call luck", "show", "sets 6-6"])
def test_a_text_that_is_not_an_action_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse(0, text)


def test_every_action_is_read_from_its_text() -> None:
    split = parse_split("6-6 5-4 / 1-1 3-1")
    for action in (SetHand(3, split), SetHand(3), Show(3, split), Call(3, "push")):
        assert parse(3, str(action)) == action
    assert str(SetHand(3, split)) == "set 6-6 5-4 / 1-1 3-1"


def test_sensible_players_finish_a_hand_without_known_tiles() -> None:
    play = PAI_GOW_RULES.start(dealt(8, 5))
    while play.settlement is None:
        play = play.apply(PAI_GOW_RULES.sensible(play, play.to_act[0]))
    assert play.settlement.name == "0 win, 0 lose, 7 push"


@pytest.mark.slow
def test_the_best_player_sets_legally_in_both_roles() -> None:
    play = begun(FACES, dealt(8, 2, house_seats=(4,)))
    while play.settlement is None:
        play = play.apply(best(play, play.to_act[0]))
    assert sum(play.settlement.balance().values()) == 0


houses = st.fixed_dictionaries(
    {},
    optional={
        "gee_joon_single": st.sampled_from(["split", "both_lowest"]),
        "banker_wins_copies": st.booleans(),
        "zero_zero_to_banker": st.booleans(),
        "banker_sets_last": st.booleans(),
        "bank_commission": st.booleans(),
        "dead_hand": st.sampled_from(["unseen", "shown"]),
        "house_seats": st.just((1,)),
        "house_way": st.sampled_from(["canberra", "foxwoods", "new_zealand", "california"]),
        "deal_direction": st.sampled_from(["clockwise", "counter_clockwise"]),
    },
)


@given(st.permutations(FACES), st.integers(2, 8), st.data(), houses)
def test_a_random_hand_conserves_tiles_and_money_and_replays(
    pile: list[str], players: int, data: st.DataObject, house: dict[str, Any]
) -> None:
    setup = dealt(players, data.draw(st.integers(0, players - 1)), **house)
    first = play = begun(pile, setup)
    texts: list[tuple[int, str]] = []
    while play.settlement is None:
        legal = tuple(play.legal_actions)
        assert all(action in play.legal_actions for action in legal)
        assert {action.seat for action in legal} == set(play.to_act)
        for action in legal:
            assert play.apply(action) != play
        action = random_action(play, lambda actions: data.draw(st.sampled_from(actions)))
        texts.append((action.seat, str(action)))
        play = play.apply(action)
        assert [Counter(hand.known) for hand in play.hands] == [
            Counter(hand.known) for hand in first.hands
        ]
    assert sum(play.settlement.balance().values()) == 0
    assert tuple(play.legal_actions) == ()
    again = first
    for seat, text in texts:
        again = again.apply(parse(seat, text))
    assert again == play
    assert again.settlement == play.settlement


@given(st.permutations(FACES), st.integers(2, 5), st.sets(st.integers(0, 31)), st.data())
def test_a_hand_with_unknown_tiles_can_be_played_to_its_end(
    pile: list[str], players: int, unseen: set[int], data: st.DataObject
) -> None:
    tiles = [None if place in unseen else face for place, face in enumerate(pile)]
    play = begun(tiles, dealt(players))
    while play.settlement is None:
        action: Action = data.draw(st.sampled_from(list(islice(play.legal_actions, 50))))
        assert action in play.legal_actions
        play = play.apply(parse(action.seat, str(action)))
    known = Counter(face for hand in play.hands for face in hand.known)
    assert not known - Counter(FACES)
    assert sum(play.settlement.balance().values()) == 0


@given(st.permutations(FACES), st.data())
def test_an_action_of_another_table_is_refused_and_changes_nothing(
    pile: list[str], data: st.DataObject
) -> None:
    play, other = begun(pile, dealt(3)), begun(FACES, dealt(3))
    action = data.draw(st.sampled_from(list(other.legal_actions)))
    before = begun(pile, dealt(3))
    if action in play.legal_actions:
        play.apply(action)
    else:
        with pytest.raises(IllegalActionError) as refused:
            play.apply(action)
        assert str(refused.value).endswith(".")
    assert play == before
