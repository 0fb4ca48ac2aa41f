"""Simulated players of a hand: hold their tiles and play them.

Each player takes up what lies before him into a rack that only he sees. Every action is chosen by
a `Player`, who knows his own tiles; the table hears what is said and sees what is laid in the
middle. A tile that the table hands over is taken up when the next one acts; a wrong one is noticed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from firmware_bridge.guide import HandToPlay
from firmware_bridge.sim.plant.felt import Felt
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from rules.geometry import Place, Seat
from rules.hidden_play import Player, next_act, sensible_player
from rules.play import Action
from rules.steps import Packet


class Company:
    """The players of a table. `racks`: one for each seat, empty until the hand begins."""

    def __init__(
        self, felt: Felt, racks: tuple[Holder, ...], player: Player = sensible_player
    ) -> None:
        self._felt = felt
        self._player = player
        self._racks = racks
        self._dealt: HandToPlay | None = None
        self._truth: Any = None
        self._at: Mapping[Place, Tile] = {}
        self._due: list[tuple[Seat, Tile]] = []
        """Tiles that the table has still to hand over, in order."""
        self._said: tuple[Any, Action | None] | None = None
        """What was said last, and to which play."""
        self._asked_again = False
        self._seated = False

    @property
    def truth(self) -> Any:
        """The play with every tile visible; None before the first hand."""
        return self._truth

    def set_up_at(self, place: Place) -> Tile:
        """The tile that was set up at a place of this hand, independent of its present place."""
        return self._at[place]

    def follows(self, dealt: HandToPlay) -> bool:
        """Whether they are in the middle of this hand: told so again, they go on with it.

        Whoever holds no tile any more has pushed them in: that hand was given up, and another one
        may have been set up just as it was.
        """
        same = self._dealt is not None and self._dealt.setup == dealt.setup
        return self._seated and same and any(map(len, self._racks))

    def sit_down(self, dealt: HandToPlay, at: Mapping[Place, Tile]) -> None:
        """Take the hands up. `at` is the tile that was set up at each place."""
        self._seated = True
        faces = {place: tile.face for place, tile in at.items()}
        self._dealt, self._at = dealt, at
        self._truth = dealt.rules.start(dealt.setup, faces, dealt.match)
        self._due.clear()
        for seat, rack in enumerate(self._racks):
            for tile in self._felt.take_up(seat):
                tile.up = False
                rack.put(tile)

    def acts(self, play: Any) -> Action | None:
        """The next action, as the table receives it; None to have the dice thrown."""
        assert self._dealt is not None
        if self._asked_again and self._said is not None and self._said[0] == play:
            return self._said[1]
        self._asked_again = False
        self.take_what_came()
        if not self._at:
            # Nothing is hidden in a game with dice, which the table throws in sight of all.
            self._truth = play
        action, truth = next_act(self._dealt.rules, self._truth, play, self._player)
        self._move_tiles(self._truth, truth)
        self._truth = truth
        self._said = play, action
        return action

    def stand_up(self) -> None:
        """The hand is over."""
        self.take_what_came()
        self._seated = False

    def host_is_back(self) -> None:
        """What they are asked next they may have been asked before; then they say the same."""
        self._asked_again = True

    def take_what_came(self) -> None:
        """Tiles that the table has handed over are taken up. Raises Impossible for a wrong one.

        What is owed may still have to come: the table may first ask whether anybody objects.
        """
        if not self._due:
            return
        for seat in range(len(self._racks)):
            for tile in self._felt.take_up(seat):
                if (seat, tile) not in self._due:
                    owed = [due for to, due in self._due if to == seat] or "nothing"
                    raise ImpossibleOrderError(f"Seat {seat} was to get {owed}, and {tile} came.")
                self._due.remove((seat, tile))
                self._racks[seat].put(tile)

    def _move_tiles(self, before: Any, after: Any) -> None:
        """What a player gives away he lays in the middle; what he claims he takes from there."""
        assert self._dealt is not None
        rules = self._dealt.rules
        owed: list[tuple[Seat, Tile]] = [
            (step.seat, self._at[place])
            for step in rules.hands_over(self._dealt.setup, before, after)
            for place in (step.places if isinstance(step, Packet) else (step.place,))
        ]
        had, has = map(_counted, (rules.held(before), rules.held(after)))
        for seat, (old, new) in enumerate(zip(had, has, strict=True)):
            for face in (old - new).elements():
                self._felt.lay_in_middle(_find(self._racks[seat], face))
        for seat, (old, new) in enumerate(zip(had, has, strict=True)):
            drawn = Counter(tile.face for to, tile in owed if to == seat)
            for face in (new - old - drawn).elements():
                self._racks[seat].put(self._felt.take_from_middle(face))
        self._due += owed


def _counted(held: tuple[tuple[str | None, ...], ...]) -> list[Counter[str]]:
    return [Counter(face for face in hand if face is not None) for hand in held]


def _find(rack: Holder, face: str) -> Tile:
    for tile in rack.tiles:
        if tile.face == face:
            return rack.take(tile)
    raise ImpossibleOrderError(f"There is no {face} in {rack.name}.")
