"""The rules of High Bone, one test each. The conformance suite tests what every game must do."""

from __future__ import annotations

import pytest
from high_bone import HIGH_BONE, PLUGIN, Parameters
from high_bone.judge import Case, judge
from high_bone.match import begin
from high_bone.play import HighBonePlay, Lay, start, taker

from rules.errors import IllegalSetupError, RulesError
from rules.play import IllegalActionError
from rules.setup import settle


def playing(*hands: str, leader: int = 0, **house: object) -> HighBonePlay:
    """Return a play with these hands, one text for each seat in order."""
    split = tuple(tuple(hand.split()) for hand in hands)
    taken = (0,) * len(hands)
    return HighBonePlay(Parameters(**house), split, leader, taken=taken)  # type: ignore[arg-type]


def after(play: HighBonePlay, *tiles: str) -> HighBonePlay:
    for tile in tiles:
        (seat,) = play.to_act
        play = play.apply(Lay(seat, tile))
    return play


def after_last_tile() -> HighBonePlay:
    """Return a hand at a stake of 2 in which seat 0 has taken both tricks."""
    play = after(playing("6-6 6-5", "5-5 5-4", "0-0 1-0", stake=2), "6-6", "0-0", "5-5")
    return after(play, "6-5", "1-0", "5-4")


@pytest.mark.parametrize(("die", "leader"), [(1, 0), (2, 2), (3, 1), (4, 0)])
def test_the_die_is_counted_clockwise_from_the_dealer(die: int, leader: int) -> None:
    setup = settle(HIGH_BONE.setup(players=3, dealer=0), [(die,)])
    assert setup.ready is not None
    assert setup.ready.begins == leader
    assert setup.deal[0].seat == leader


def test_the_most_pips_take_the_trick_and_its_taker_leads() -> None:
    play = after(playing("6-4 0-0", "5-5 1-0", "6-5 2-2"), "6-4", "6-5", "5-5")
    assert play.taken == (0, 0, 1)
    assert play.to_act == (2,)


@pytest.mark.parametrize(("house", "number"), [("first", 0), ("last", 1)])
def test_of_equal_tiles_the_first_or_the_last_takes_the_trick_by_house_rule(
    house: str, number: int
) -> None:
    assert taker(["6-4", "5-5"], Parameters(equal_pips=house)) == number  # type: ignore[arg-type]


def test_each_player_pays_for_the_tricks_that_the_winner_has_more() -> None:
    play = after_last_tile()
    assert play.settlement is not None
    assert play.settlement.balance() == {0: 8, 1: -4, 2: -4}


def test_of_equal_winners_the_taker_of_the_last_trick_wins() -> None:
    play = after(playing("6-6 1-0", "5-5 2-0"), "6-6", "5-5", "1-0", "2-0")
    assert play.settlement is not None
    assert (play.taken, play.settlement.winner) == ((1, 1), 1)
    assert play.settlement.payments == ()


def test_a_match_continues_from_the_winner_and_the_points_that_people_report() -> None:
    results, match = PLUGIN.require_results(), begin(Parameters(), 3)
    form = results.form(match, None)
    reported = form.checked({"winner": 0, "points": [8, -4, -4]})
    after = match.after(results.finish(match, reported))
    assert (after.scores, after.dealer) == ((8, -4, -4), 2)
    play = after_last_tile()
    assert results.read(match, (), play, "amount") == reported
    assert match.after(play) == after
    short = match.after(results.finish(match, form.checked({"winner": 0})))
    assert (short.scores, short.dealer) == ((0, 0, 0), 2)
    with pytest.raises(RulesError, match="winner: 3 is not a seat; seats are 0 to 2"):
        form.checked({"winner": 3})


def test_a_tile_that_is_not_held_and_a_seat_out_of_turn_are_refused() -> None:
    play = playing("6-4 0-0", "5-5 1-0")
    for action, why in ((Lay(0, "5-5"), "does not hold 5-5"), (Lay(1, "5-5"), "turn of seat 0")):
        with pytest.raises(IllegalActionError, match=why):
            play.apply(action)


def test_a_hidden_hand_can_lay_every_tile_that_was_not_shown() -> None:
    play = start(settle(HIGH_BONE.setup(players=2), [(1,)]))
    assert len(list(play.legal_actions)) == 28
    assert len(list(after(play, "6-6").legal_actions)) == 27


def test_the_judge_accepts_only_the_tile_that_takes_the_trick() -> None:
    assert judge(Case(trick=("6-4", "5-5"), claim=0)).legal
    assert not judge(Case(trick=("6-4", "5-5"), claim=1)).legal
    for trick, claim in ((("6-4", "6-4"), 0), (("6-4",), 1), (("4-6",), 0)):
        with pytest.raises(RulesError):
            Case(trick=trick, claim=claim)


def test_impossible_parameters_are_refused() -> None:
    for house in ({"tiles_each": 8}, {"tiles_each": 0}, {"stake": 0}):
        with pytest.raises(IllegalSetupError):
            Parameters(**house)
