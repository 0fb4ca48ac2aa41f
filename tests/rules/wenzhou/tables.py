"""Helpers for tests: plays of Wenzhou with some known hands and draws; other tiles are unknown."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rules.games.wenzhou import WENZHOU, WENZHOU_RULES, WenzhouPlay
from rules.games.wenzhou.match import WenzhouMatch
from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.state import Stage
from rules.geometry import Place
from rules.setup import Setup
from rules.steps import Build, Throw, TurnUp
from rules.tiles import Face
from tests.rules.wenzhou.hands import tiles

MISFITS = "1m 4m 7m 9m 1p 4p 7p 1s 4s 7s 9s 8p 5s E S W"


def set_up(
    indicator: Face | None = "2m",
    throws: tuple[tuple[int, int], tuple[int, int]] = ((2, 6), (1, 5)),
    dealer: int = 0,
    parameters: Parameters | None = None,
) -> Setup:
    """A finished set-up; with the default throws seat 0 and then seat 3 throw."""
    setup = WENZHOU.setup(dealer=dealer, parameters=parameters)
    left = list(throws)
    while setup.pending is not None:
        match setup.pending:
            case Throw():
                setup = setup.apply(left.pop(0))
            case TurnUp():
                setup = setup.apply(indicator)
            case _:
                setup = setup.apply()
    return setup


def table(
    hands: Mapping[int, str],
    draws: str = "",
    tail: str = "",
    streak: int = 1,
    indicator: Face = "2m",
    **more: Any,
) -> WenzhouPlay:
    """A play with these hands (the dealer's 17 tiles end with the one drawn), draws and tail."""
    setup = set_up(indicator, **more)
    assert setup.ready is not None
    seen: dict[Place, Face | None] = {}
    for seat, hand in hands.items():
        places = setup.hands[seat]
        seen |= dict(zip(places, tiles(hand, indicator), strict=True))
    seen |= dict(zip(setup.ready.draws, tiles(draws, indicator), strict=False))
    seen |= dict(zip(setup.ready.replacements, tiles(tail, indicator), strict=False))
    match = WenzhouMatch(setup.parameters, setup.seating.dealer, streak)
    play: WenzhouPlay = WENZHOU_RULES.start(setup, seen, match)
    return play


def go(play: WenzhouPlay, *actions: str) -> WenzhouPlay:
    """The play after these actions, such as `0 discard 5m`, `2 pong` and `all pass`.

    If further actions follow a discard or a kong, a seat that is asked for a claim and has no
    action among them passes.
    """
    for at, action in enumerate(actions):
        by, _, text = action.partition(" ")
        if by == "all":
            while play.position.stage in (Stage.CLAIM, Stage.ROB):
                play = play.apply(WENZHOU_RULES.parse(play.to_act[0], "pass"))
            continue
        play = play.apply(WENZHOU_RULES.parse(int(by), text))
        following = actions[at + 1 :]
        named = {each.partition(" ")[0] for each in following}
        if following and play.position.stage in (Stage.CLAIM, Stage.ROB):
            for seat in play.to_act:
                if str(seat) not in named and "all" not in named:
                    play = play.apply(WENZHOU_RULES.parse(seat, "pass"))
    return play


def why_not(play: WenzhouPlay, action: str) -> str:
    """The sentence that refuses an action such as `0 discard 5m`; "" if the action is legal."""
    by, _, text = action.partition(" ")
    return play.legal_actions._why_not(WENZHOU_RULES.parse(int(by), text)) or ""


def allowed(play: WenzhouPlay, seat: int) -> set[str]:
    """The texts of the legal actions of a seat."""
    return {str(action) for action in play.legal_actions if action.seat == seat}


def shuffled(seed: int, match: WenzhouMatch | None = None) -> WenzhouPlay:
    """A play of a whole shuffled set with every tile known."""
    chance = random.Random(seed)
    match = match or WenzhouMatch()
    setup = WENZHOU.setup(dealer=match.dealer, parameters=match.parameters)
    faces = list(WENZHOU.tiles.faces)
    chance.shuffle(faces)
    seen: dict[Place, Face] = {}
    while setup.pending is not None:
        step = setup.pending
        if isinstance(step, Build):
            seen = dict(zip(step.layout.places, faces, strict=True))
        if isinstance(step, Throw):
            setup = setup.apply((chance.randint(1, 6), chance.randint(1, 6)))
        elif isinstance(step, TurnUp):
            setup = setup.apply(seen[step.place])
        else:
            setup = setup.apply()
    play: WenzhouPlay = WENZHOU_RULES.start(setup, seen, match)
    return play


def all_tiles(play: WenzhouPlay) -> list[Face | None]:
    """Every tile of the table: in hands, sets and wall, the discards and the indicator."""
    position = play.position
    everywhere: list[Face | None] = [position.deal.caishen.face, *position.discards]
    everywhere += [position.deal.tiles.get(place) for place in position.undrawn]
    if position.stage in (Stage.CLAIM, Stage.ROB):
        everywhere.append(position.tile)
    for hand in position.seats:
        everywhere += hand.tiles
        everywhere += [face for meld in hand.melds for face in meld.faces]
    return everywhere


def changed(play: WenzhouPlay, **fields: Any) -> WenzhouPlay:
    """The same play with some fields of its position changed."""
    return WenzhouPlay(replace(play.position, **fields))
