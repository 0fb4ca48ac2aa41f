"""What an activity on top works with: the table, its parts, its people, its books, its orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from config.schema import Table, TileSize
from controller.books import Books
from controller.guided import Guided
from controller.stations.rig import Rig
from rules.dice import Dice
from rules.geometry import Seat
from rules.setup import Game, Setup
from rules.tiles import Face


@dataclass(frozen=True)
class Orders:
    """What the house wants of every round.

    `throws` are thrown by hand and told, in order, before the dome is asked; `answers` settle
    choices by their question; `fastest` lets packets come in the order that is quickest.
    """

    game: Game
    parameters: object
    dealer: Seat = 0
    players: int | None = None
    throws: Sequence[Dice] = ()
    answers: Mapping[str, int | str] = field(default_factory=dict)
    fastest: bool = False

    def setup(self, dealer: Seat) -> Setup:
        """A round's set-up from its first step. Raises IllegalSetup."""
        return self.game.setup(players=self.players, dealer=dealer, parameters=self.parameters)


@dataclass(frozen=True)
class Workplace:
    """One table at work. `face_of` tells a tile's face by its tag, or None."""

    table: Table
    tile: TileSize
    rig: Rig
    guided: Guided
    books: Books
    orders: Orders
    face_of: Callable[[int], Face | None]
