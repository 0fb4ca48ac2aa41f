"""Tables set for a story: known hands where the story needs them, unseen tiles elsewhere."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rules.games.wenzhou import WENZHOU, WENZHOU_RULES, WenzhouPlay
from rules.games.wenzhou.match import WenzhouMatch
from rules.games.wenzhou.parameters import Parameters
from rules.games.wenzhou.position import Stage
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
    """A finished set-up; seats 0, then 3 throw if nothing else is said."""
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


def go(play: WenzhouPlay, *story: str) -> WenzhouPlay:
    """`0 discard 5m`, `2 pong`, `all pass`: each in turn.

    Whoever is asked and not told of passes, as soon as somebody else is.
    """
    for at, line in enumerate(story):
        who, _, text = line.partition(" ")
        if who == "all":
            while play.position.stage in (Stage.CLAIM, Stage.ROB):
                play = play.apply(WENZHOU_RULES.parse(play.to_act[0], "pass"))
            continue
        play = play.apply(WENZHOU_RULES.parse(int(who), text))
        following = story[at + 1 :]
        told = {next_line.partition(" ")[0] for next_line in following}
        if following and play.position.stage in (Stage.CLAIM, Stage.ROB):
            for seat in play.to_act:
                if str(seat) not in told and "all" not in told:
                    play = play.apply(WENZHOU_RULES.parse(seat, "pass"))
    return play


def why_not(play: WenzhouPlay, line: str) -> str:
    """The sentence against `0 discard 5m`, or an empty text."""
    who, _, text = line.partition(" ")
    return play.legal_actions._why_not(WENZHOU_RULES.parse(int(who), text)) or ""


def allowed(play: WenzhouPlay, seat: int) -> set[str]:
    """The texts of everything that a seat may do."""
    return {str(action) for action in play.legal_actions if action.seat == seat}


def shuffled(seed: int, match: WenzhouMatch | None = None) -> WenzhouPlay:
    """A play of a whole shuffled set, every tile known to the rules."""
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


def lying(play: WenzhouPlay) -> list[Face | None]:
    """Every tile of the table, wherever it lies."""
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
    """The same table with some of its position's fields told otherwise."""
    return WenzhouPlay(replace(play.position, **fields))
