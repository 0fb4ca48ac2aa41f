"""Values of the picture's geometry: everything of a table and a game that does not move.

All lengths are metres from the centre of the field: x to the right of seat 0, y away from seat 0.
`turn` counts quarter turns counter-clockwise: a tile with turn 1 lies in a row along y and faces
the player at the right side. The page receives these values as JSON.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from controller.service.status import Value

GEOMETRY_VERSION = 1
"""Version of `TableGeometry`: raised when a field is renamed, removed or changes its meaning."""

FaceKind = Literal["mahjong", "dominoes", "chinese_dominoes", "cards", "none"]
LayoutKind = Literal["walls", "pile", "boneyard", "cards", "bare"]


class Point(Value):
    """A position on the field."""

    x: float
    y: float


class FieldExtent(Value):
    """The playing field, and the distances of walls and hands from its centre."""

    width: float
    depth: float
    wall_distance: float
    hand_distance: float


class TileExtent(Value):
    """The size of the game's tile, and the set of faces that are drawn on it."""

    length: float
    width: float
    height: float
    faces: FaceKind


class SeatPlace(Value):
    """A seat's delivery place: the middle of its row, and half the length of the row."""

    seat: int
    side: int
    x: float
    y: float
    turn: int
    half: float


class PlaceSlot(Value):
    """Where the tile of one place lies when the walls are up; the level counts from the felt.

    `tray` is null for a tile that a hand lane holds, and on a table without trays; `lane` is the
    seat of that lane.
    """

    x: float
    y: float
    turn: int
    level: int
    tray: int | None = None
    lane: int | None = None


class TrayPlace(Value):
    """A tray, or the wall that people build in its place: `stacks` are the heights of its columns.

    The columns count from the right of the side's owner; `x` and `y` are the middle of the row.
    """

    number: int
    x: float
    y: float
    turn: int
    half: float
    stacks: tuple[int, ...] = ()
    by_hand: bool = False


class LanePlace(Value):
    """A hand lane: it presents `tiles` tiles to its seat."""

    seat: int
    x: float
    y: float
    turn: int
    half: float
    tiles: int


class DiscPlace(Value):
    """A round part: its centre and its radius. `capacity` is the number of tiles of a drum."""

    x: float
    y: float
    radius: float
    capacity: int = 0


class HeadPlace(Value):
    """A head: its position at the drum, and the trays that it fills."""

    x: float
    y: float
    turn: int
    trays: tuple[int, ...]


class TravelAxis(Value):
    """The limits of a gantry axis in metres, with its speed in m/s and acceleration in m/s²."""

    low: float
    high: float
    speed: float
    acceleration: float


class GantryReach(Value):
    """The envelope of the gantry, and the times of its gripper in seconds."""

    x: TravelAxis
    y: TravelAxis
    z: TravelAxis
    grip_seconds: float
    turn_seconds: float


class DiceUnitPlace(Value):
    """The dice unit: its position, and the number of its dice."""

    x: float
    y: float
    dice: int


class WallLamps(Value):
    """The lamp strip of one wall: one lamp behind each column, from the owner's right."""

    tray: int
    lamps: tuple[Point, ...]


class TableGeometry(Value):
    """Everything that the picture of one table and one game needs and that does not move."""

    version: int = GEOMETRY_VERSION
    table: str
    title: str
    game: str = ""
    game_title: str = ""
    layout: LayoutKind = "bare"
    players: int = 0
    sets: int = 1
    field: FieldExtent
    tile: TileExtent | None = None
    seats: tuple[SeatPlace, ...] = ()
    slots: dict[str, PlaceSlot] = Field(default_factory=dict)
    trays: tuple[TrayPlace, ...] = ()
    lanes: tuple[LanePlace, ...] = ()
    heads: dict[str, HeadPlace] = Field(default_factory=dict)
    drum: DiscPlace | None = None
    lid: DiscPlace | None = None
    gantry: GantryReach | None = None
    dice: DiceUnitPlace | None = None
    flipper: Point | None = None
    lamps: tuple[WallLamps, ...] = ()
    ready_lamp: Point | None = None
    parts: dict[str, Point] = Field(
        default_factory=dict, description="Position of each part, as faults and prompts name it."
    )
    channels: dict[str, str] = Field(
        default_factory=dict, description="The part to which each channel belongs."
    )
