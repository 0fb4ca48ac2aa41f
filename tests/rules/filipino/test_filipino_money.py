"""Filipino mahjong: payments, and the scores, chips and dealer of the next hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from rules.errors import RulesError
from rules.games.filipino import (
    FilipinoMatch,
    FilipinoPlay,
    Parameters,
    start,
)
from rules.games.filipino.score import flores_at_the_start, with_chips
from rules.play import IllegalActionError
from tests.rules.filipino.dealing import (
    ROLLER,
    SEVEN_WAITING,
    WAITING,
    acted,
    all_pass,
    dealt,
    gains,
    hand_of,
    play_of,
    play_with,
    settled,
    won_by_discard,
)


def test_FM_09_a_seat_with_no_flores_or_thirteen_gets_five_from_each_other_seat() -> None:
    house = Parameters()
    for flores in ((0, 3, 4, 5), (13, 3, 4, 5)):
        payments = flores_at_the_start(flores, house)
        assert [(payment.source, payment.to, payment.amount) for payment in payments] == [
            (1, 0, 5),
            (2, 0, 5),
            (3, 0, 5),
        ]
    assert flores_at_the_start((12, 3, 4, 5), house) == ()


def test_FM_09_the_play_begins_with_those_payments() -> None:
    for seed in range(300):
        play = play_of(seed)
        flores = [len(hand.flores) for hand in play.table.hands]
        if 0 in flores:
            assert gains(play) == [5 * (4 * (count == 0) - flores.count(0)) for count in flores]
            return
    pytest.fail("no hand without flores in 300")


def test_FM_10_the_thirteenth_flores_is_paid_during_play_and_replaced() -> None:
    play = play_with(
        {0: hand_of(ROLLER), 1: hand_of(WAITING, 8)}, draws=["1z"], replacements=["2z", "2p"]
    )
    twelve = replace(play.table.hands[1], flores=("3z",) * 12)
    play = FilipinoPlay(play.table.with_hand(1, twelve))
    play = all_pass(acted(play, "0 discard 8s"))
    play = acted(play, "1 draw")
    assert [str(act) for act in play.legal_actions] == ["flores 1z"]
    with pytest.raises(
        IllegalActionError, match="Seat 1 has the flores 1z in hand and has to lay it out"
    ):
        acted(play, "1 discard 1m")
    play = acted(play, "1 flores 1z")
    assert gains(play) == [-5, 15, -5, -5]
    assert play.table.hands[1].size == 17
    play = acted(play, "1 flores 2z")
    assert gains(play) == [-5, 15, -5, -5]
    assert play.table.drawn == "2p"


def test_FM_12_seven_first_on_a_discard_is_paid_by_all_seats() -> None:
    play = won_by_discard(SEVEN_WAITING, "9s")
    assert settled(play) == ("seven first", {0: -10, 1: -10, 2: 30, 3: -10}, (0, 0, 2, 0))


def test_FM_15_a_plain_win_on_a_discard_is_paid_by_the_discarder_alone() -> None:
    play = won_by_discard(WAITING, "6s")
    assert settled(play) == ("discard", {0: -10, 1: 0, 2: 10, 3: 0}, (0, 0, 1, 0))


def test_FM_15_a_self_draw_is_paid_by_all() -> None:
    play = play_with({0: hand_of(ROLLER), 1: hand_of(WAITING)}, draws=["6s"])
    play = acted(all_pass(acted(play, "0 discard 8s")), "1 draw", "1 win")
    assert settled(play) == ("self-draw", {0: -10, 1: 30, 2: -10, 3: -10}, (0, 2, 0, 0))


def test_FM_16_a_win_without_flores_gets_fifteen_from_each_other_seat() -> None:
    play = won_by_discard(WAITING, "6s", flores=0)
    assert settled(play) == ("no flores", {0: -15, 1: -15, 2: 45, 3: -15}, (0, 0, 2, 0))


def test_FM_17_a_single_joker_gets_fifteen_from_each_other_seat() -> None:
    play = won_by_discard("1m 2m 3m 4m 4m 4m 7p 7p 7p 1s 2s 3s 4s 5s 6s 5m", "9s")
    assert settled(play) == ("single joker", {0: -15, 1: -15, 2: 45, 3: -15}, (0, 0, 2, 0))


def test_FM_21_five_chips_are_hi_alai_and_all_chips_are_returned() -> None:
    play = play_with({0: hand_of(ROLLER), 1: hand_of(WAITING)}, draws=["6s"], chips=(1, 4, 3, 0))
    play = acted(all_pass(acted(play, "0 discard 8s")), "1 draw", "1 win")
    assert settled(play) == ("self-draw", {0: -15, 1: 45, 2: -15, 3: -15}, (0, 0, 0, 0))


@pytest.mark.parametrize(
    ("before", "paid", "after"),
    [(2, [], (1, 4, 3, 0)), (3, [(2, 1, 5), (3, 1, 5), (0, 1, 5)], (0, 0, 0, 0))],
)
def test_FM_21_exactly_the_chip_target_is_hi_alai_and_one_chip_less_is_not(
    before: int, paid: list[tuple[int, int, int]], after: tuple[int, ...]
) -> None:
    chips, payments = with_chips((1, before, 3, 0), 1, 2, Parameters(hi_alai=5))
    assert [(each.source, each.to, each.amount) for each in payments] == paid
    assert chips == after


def test_a_win_with_several_features_is_paid_for_the_highest_or_for_all() -> None:
    highest = won_by_discard(SEVEN_WAITING, "9s", flores=0)
    assert settled(highest)[:2] == ("no flores", {0: -15, 1: -15, 2: 45, 3: -15})
    added = won_by_discard(SEVEN_WAITING, "9s", flores=0, house=Parameters(stack="sum"))
    assert settled(added) == (
        "no flores, seven first",
        {0: -25, 1: -25, 2: 75, 3: -25},
        (0, 0, 4, 0),
    )


def test_the_unit_and_wait_bonuses_apply_to_every_amount() -> None:
    house = Parameters(unit=20, middle=3)
    waiting = "1m 2m 3m 7m 8m 9m 7p 7p 7p 1s 2s 3s 4s 6s 9s 9s"
    play = play_with({0: hand_of(ROLLER), 2: hand_of(waiting)}, house=house)
    play = all_pass(acted(play, "0 discard 5s", "2 win"))
    assert settled(play)[1] == {0: -260, 1: 0, 2: 260, 3: 0}


def test_a_bonus_for_a_wait_between_two_tiles_is_not_paid_for_another_wait() -> None:
    house = Parameters(middle=3, back_to_back=3)
    play = won_by_discard(WAITING, "6s", house=house)
    assert settled(play)[1] == {0: -10, 1: 0, 2: 10, 3: 0}


@pytest.mark.slow
def test_equal_dice_of_the_roller_double_the_stakes_if_the_house_plays_so() -> None:
    for seed in range(40):
        setup, tiles = dealt(Random(seed))
        first, second = setup.throws[0][1]
        assert start(setup, tiles).table.stakes == 1
        doubled, tiles = dealt(Random(seed), Parameters(pairs_double=True))
        assert start(doubled, tiles).table.stakes == 1 + (first == second)


def test_a_win_with_the_dealt_tiles_is_a_self_draw() -> None:
    play = play_with({0: hand_of(f"{WAITING} 6s")})
    assert settled(acted(play, "0 win"))[0] == "self-draw"


def test_an_empty_wall_ends_the_hand_and_the_same_roller_throws_again() -> None:
    play = play_with({0: hand_of(ROLLER)})
    wall = play.table.wall
    kept = wall.draws[0]
    for tile in wall.draws[1:]:
        wall = wall.without(tile)
    assert wall.draws == (kept,)
    play = FilipinoPlay(replace(play.table, wall=wall, roller=3))
    play = all_pass(acted(play, "0 discard 8s"))
    play = all_pass(acted(play, "1 draw", "1 discard 1p"))
    assert play.settlement is not None
    assert (play.settlement.name, play.settlement.payments) == ("exhausted", ())
    match = FilipinoMatch(dealer=3).after(play)
    assert (match.dealer, match.over, match.hands) == (3, False, 1)


def test_a_reserve_is_not_drawn() -> None:
    play = play_with({0: hand_of(ROLLER)}, house=Parameters(exhaust_reserve=144))
    assert all_pass(acted(play, "0 discard 8s")).settlement is not None


def test_the_winner_throws_next_and_scores_and_chips_are_kept() -> None:
    match = FilipinoMatch(dealer=1, scores=(5, 5, 0, -10), chips=(0, 0, 1, 2))
    play = play_with({0: hand_of(ROLLER), 2: hand_of(WAITING)}, chips=match.chips)
    play = all_pass(acted(play, "0 discard 6s", "2 win"))
    after = match.after(play)
    assert (after.dealer, after.scores, after.chips) == (2, (-5, 5, 10, -10), (0, 0, 2, 2))


def test_an_unfinished_hand_is_not_counted() -> None:
    with pytest.raises(RulesError, match="The hand is not over"):
        FilipinoMatch().after(play_of(1))
