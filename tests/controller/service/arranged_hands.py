"""Deals chosen hands at a simulated table, for tests that play them action by action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from firmware_bridge.guide import HandToPlay
from firmware_bridge.sim.people.hand_players import HandPlayers
from firmware_bridge.sim.plant.tiles import Tile, exchange
from rules.geometry import Place, Seat
from rules.tiles import Face

Hands = Mapping[Seat, tuple[Face, ...]]


def arrange(players: HandPlayers, chosen: Callable[[Face], tuple[Hands, tuple[Face, ...]]]) -> None:
    """Give the seats the chosen tiles in the next hand, and let the chosen draws come first.

    `chosen` receives the face that was turned up, and returns the hands and the draws. Tiles are
    exchanged when the players take their hands up, so that the plant, the players and the record
    have the same tiles. The tile that was turned up stays; no chosen tile may need it. A seat keeps
    the tiles that were dealt to it where fewer are chosen.
    """
    take_up = players.sit_down

    def sit_down(dealt: HandToPlay, at: Mapping[Place, Tile]) -> None:
        players.sit_down = take_up  # type: ignore[method-assign]
        setup: Any = dealt.setup
        indicator = setup.ready.indicator
        hands, draws = chosen(at[indicator].face)
        places = [
            pair
            for seat, faces in hands.items()
            for pair in zip(setup.hands[seat], faces, strict=False)
        ]
        settled = {indicator}
        for place, face in (*places, *zip(setup.ready.draws, draws, strict=False)):
            if at[place].face != face:
                free = (spot for spot in at if spot not in settled and at[spot].face == face)
                exchange(at[place], at[next(free)])
            settled.add(place)
        take_up(dealt, at)

    players.sit_down = sit_down  # type: ignore[method-assign]
