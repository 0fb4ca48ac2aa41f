"""Scenes for parameters whose effect is so rare that random hands seldom show it.

A scene is a function from a house's parameters to the observations in one prepared position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from rules.games.backgammon.board import BackgammonBoard
from rules.games.dominoes.play import begin
from rules.games.pai_gow.setup import PAI_GOW
from rules.games.pai_gow.setup import Parameters as PaiGow
from rules.games.wenzhou import WenzhouPlay
from rules.setup import settle
from tests.rules.backgammon import test_cube_and_match as backgammon
from tests.rules.dominoes import hands as dominoes
from tests.rules.filipino import dealing as filipino
from tests.rules.filipino.test_filipino_play import pong_of_six
from tests.rules.pai_gow import deals
from tests.rules.wenzhou import tables as wenzhou
from tests.rules.wenzhou.hands import BASE, tiles
from tests.rules.wenzhou.test_discard_fines import SECOND, THIRD, drawn_hand, shown

Scene = Callable[[Any], object]


def on_the_first_discard(discard: str, waits: str) -> Scene:
    """The actions of seat 1, and the payments of its win, after the dealer discards that tile."""

    def observe(house: Any) -> object:
        hands = {0: f"{wenzhou.MISFITS} {discard}", 1: waits}
        play = wenzhou.table(hands, parameters=replace(house, discard_order=False))
        return _actions_and_win(wenzhou.go(play, f"0 discard {tiles(discard)[0]}"))

    return observe


def on_a_later_discard(discard: str, waits: str) -> Scene:
    """The same when seat 2, whose hand is hidden, discards the tile."""

    def observe(house: Any) -> object:
        hands = {0: f"{wenzhou.MISFITS} 9p", 1: waits}
        play = wenzhou.table(hands, "N", parameters=replace(house, discard_order=False))
        play = wenzhou.go(play, "0 discard 9p", "all pass", "1 draw", "1 discard 4z", "all pass")
        return _actions_and_win(wenzhou.go(play, "2 draw", f"2 discard {tiles(discard)[0]}"))

    return observe


def _actions_and_win(play: WenzhouPlay) -> object:
    offered = wenzhou.allowed(play, 1)
    won = wenzhou.go(play, "1 win", "all pass").settlement if "win" in offered else None
    return offered, won


def a_pong_passed(house: Any) -> object:
    """The actions of seat 1 for a second 9p in the go-round in which it passed the first."""
    free = replace(house, discard_order=False)
    hands = {0: f"{wenzhou.MISFITS} 9m", 1: f"{BASE} 9p 9p 3s E"}
    play = wenzhou.go(wenzhou.table(hands, "N", parameters=free), "0 discard 9m", "all pass")
    play = wenzhou.go(play, "1 draw", "1 discard 4z", "all pass")
    play = wenzhou.go(play, "2 draw", "2 discard 9p", "all pass", "3 draw", "3 discard 9p")
    return wenzhou.allowed(play, 1)


def a_number_tile_discarded_first(house: Any) -> object:
    """The payments of a hidden hand that kept a single East and discarded a number tile."""
    play = drawn_hand(replace(house, reserve=68))
    if play.settlement is None:
        play = shown(play, "E 3p 3p 3s 3s 6s 6s 9m 9m 9m 9m 6m 6m 5m 5m 8m", SECOND, THIRD)
    return play.settlement


def robbed(house: Any) -> object:
    play = filipino.play_with(
        {0: pong_of_six(), 3: filipino.hand_of(filipino.WAITING)}, house=house
    )
    return filipino.settled(filipino.acted(play, "0 add 6s", "3 win"))


def won_on_a_discard(winner: str, tile: str, flores: int) -> Scene:
    return lambda house: filipino.settled(filipino.won_by_discard(winner, tile, flores, house))


def two_winners(house: Any) -> object:
    waiting = filipino.hand_of(filipino.WAITING)
    hands = {0: filipino.hand_of(filipino.ROLLER), 1: waiting, 3: waiting}
    play = filipino.acted(filipino.play_with(hands, house=house), "0 discard 6s", "1 win", "3 win")
    return filipino.settled(filipino.all_pass(play))


def seven_first_with_a_called_set(house: Any) -> object:
    """Whether a hand of seven pairs wins beside a set that was called."""
    waiting = "1m 1m 3m 3m 7m 7m 2p 2p 8p 8p 1s 1s 9s 4s 4s 6s"
    play = filipino.play_with(
        {0: filipino.hand_of("2m 4m 6m 8m 1p 3p 5p 9p 2s 4s 6s 8s 3s 7s 5s 9s 4s"),
         2: filipino.hand_of(waiting)},
        house=house,
    )  # fmt: skip
    play = filipino.acted(play, "0 discard 4s")
    play = filipino.acted(play, "2 pong 4s 4s 4s")
    play = filipino.all_pass(filipino.acted(filipino.all_pass(play), "2 discard 6s"))
    while str(next(iter(play.legal_actions))) == "draw" or play.to_act != (0,):
        act = next(iter(play.legal_actions))
        play = filipino.all_pass(play.apply(act))
    play = filipino.acted(play, "0 discard 9s")
    return [str(act) for act in play.legal_actions if act.seat == 2]


def a_single_tile_beside_a_doublet(house: Any) -> object:
    """The points for a tile that makes one end equal to the doublet at the other end."""
    bergen = dominoes.parameters("bergen", triple_by_single=house.triple_by_single)
    own = replace(bergen, turn="counter_clockwise", target=house.target)
    play = begin("Bergen", own, [["3-3", "5-4", "1-1"], ["4-3", "5-3", "0-0"]])
    return dominoes.points(dominoes.follow(play, "3-3", "4-3 on 3-3", "5-4 on 4", "5-3 on 5"))


def a_gammon_without_the_cube(house: Any) -> object:
    board = BackgammonBoard.parse("1 | 13(15)")
    last = replace(backgammon.on_turn(parameters=house), board=board, dice=(6, 5))
    return backgammon.acted(last, "1/off").settlement


def a_tile_of_an_empty_position(house: PaiGow) -> object:
    """The actions with 6-3 that a hidden hand has if 6-3 was read in an empty position."""
    setup = settle(PAI_GOW.setup(players=2, parameters=house), [(3, 3, 3)])
    read = dict(zip(setup.hands[5], ("6-3", "5-4", "5-3", "6-2"), strict=True))
    play = deals.played(deals.start(setup, read), "1 set", "0 set")
    return [str(act) for act in play.legal_actions if "6-3" in str(act)][:1]


def lone_gee_joon(house: PaiGow) -> object:
    """The legal actions with one tile of gee joon in each hand, and the rank of 4-2 alone."""
    play = deals.with_hands(
        "6-6 6-6 2-1 4-1", "1-1 1-1 4-2 4-3", gee_joon_single=house.gee_joon_single
    )
    return [str(act) for act in play.legal_actions], play.parameters.ranking.single("4-2")


ANY = "1m 4m 7m 9m 1p 4p 7p 1s 4s 7s E S W"
SCENES: Mapping[tuple[str, str], Scene] = {
    ("wenzhou", "white_counts_as_face"): on_a_later_discard("9s", f"{BASE} 78s C White"),
    ("wenzhou", "discard_order_penalty"): a_number_tile_discarded_first,
    ("wenzhou", "caishen_single_strict"): on_the_first_discard(
        "White", "777m 999m 123p 456p 789s C"
    ),
    ("wenzhou", "any_tile_wait_discard"): on_the_first_discard(
        "9s", "11m 33m 55m 77m 99p 11p 33s EE"
    ),
    ("wenzhou", "three_caishen_any_on_discard"): on_a_later_discard("9s", f"{ANY} CCC"),
    ("wenzhou", "garbage_first_turn"): on_the_first_discard("9s", f"{ANY} CCC"),
    ("wenzhou", "all_pungs_double"): on_a_later_discard("7s", "111m 333m 444p 555p 77s EE"),
    ("wenzhou", "pong_pass_lock"): a_pong_passed,
    ("filipino", "multi_win"): two_winners,
    ("filipino", "robbing_win"): robbed,
    ("filipino", "chips_robbing"): robbed,
    ("filipino", "big_win"): won_on_a_discard(filipino.WAITING, "6s", 0),
    ("filipino", "chips_discard"): won_on_a_discard(filipino.WAITING, "6s", 1),
    ("filipino", "chips_special"): won_on_a_discard(filipino.SEVEN_WAITING, "9s", 1),
    ("filipino", "stack"): won_on_a_discard(filipino.SEVEN_WAITING, "9s", 0),
    ("filipino", "seven_first_open"): seven_first_with_a_called_set,
    ("backgammon", "jacoby"): a_gammon_without_the_cube,
    ("pai_gow", "dead_hand"): a_tile_of_an_empty_position,
    ("pai_gow", "gee_joon_single"): lone_gee_joon,
}
