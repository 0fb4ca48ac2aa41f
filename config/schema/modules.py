"""Schema of a table's modules. Each names channels; the steps of a missing module are guided."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from config.schema.part import Millimetres, Part, Positive, Seconds, Unit


class LidModule(Part):
    """The centre platform over the well."""

    motor: str
    """Opens the lid forward, closes it in reverse."""
    opened: str
    """Active while the lid is open."""
    closed: str
    """Active while the lid is closed."""
    seconds: Seconds
    """How long it takes to open or close."""


class DrumModule(Part):
    """The inclined turntable that stirs and feeds the heads."""

    motor: str
    """Turns the drum."""
    capacity: Annotated[int, Field(ge=1), Unit("tiles")]
    """The most tiles that it can hold."""
    mix: Seconds
    """How long it stirs a gathered set before the heads begin."""
    current: str | None = None
    """The analogue input that tells what its motor draws."""


class HeadModule(Part):
    """A port of the drum: wheel, belt, counter S1, pusher with vane S23, belt-full S6."""

    wheel: str
    """Lets tiles out of the drum."""
    belt: str | None = None
    """Carries them from the wheel to the pusher."""
    belt_current: str | None = None
    """The analogue input that tells what the belt's motor draws."""
    counter: str
    """S1: one edge for each tile that passes."""
    pusher: str | None = None
    """Pushes a stack into the tray."""
    vane: str | None = None
    """S23: one edge for each push."""
    full: str | None = None
    """S6: active while the belt is full."""
    face: str | None = None
    """A face-up tile under the head."""
    turner: str | None = None
    """Turns a face-up tile over."""
    trays: tuple[int, ...]
    """The trays that this head fills, by their number from 0; none where tiles fall into a hand."""


class HeadsModule(Part):
    """Every head, and what they have in common."""

    spacing: Seconds
    """Mean time from tile to tile while `plenty` lie in the drum; in proportion longer below."""
    plenty: Annotated[int, Field(ge=1), Unit("tiles")]
    """How many tiles in the drum count as plenty."""
    belt_speed: Annotated[Positive, Unit("m/s")]
    """How fast the belts run."""
    counter_distance_mm: Millimetres
    """From the wheel to the counter; shorter than a tile, or a tile can pass uncounted."""
    push: Seconds
    """How long a push takes."""
    ports: tuple[HeadModule, ...]
    """The heads, in order."""


class TrayModule(Part):
    """Where a wall grows below, and the lift that raises it."""

    lift: str
    """Raises the tray forward, lowers it in reverse."""
    up: str
    """Active while the tray is up."""
    down: str
    """Active while the tray is down."""


class TraysModule(Part):
    """All trays: `columns` stacks of at most `levels` tiles each."""

    columns: Annotated[int, Field(ge=1), Unit("stacks")]
    """How many stacks fit into a tray."""
    levels: Annotated[int, Field(ge=1, le=4), Unit("tiles")]
    """How many tiles high a stack may be."""
    length_mm: Millimetres
    """The length of a tray."""
    lift: Seconds
    """The lifts' travel time."""
    sides: tuple[TrayModule, ...]
    """The trays in seat order."""


class ChainModule(Part):
    """A single-port table's conveyor from the head to each side (S4 zero, S5 corner)."""

    motor: str
    """Carries the head's outlet forward from side to side, and back in reverse."""
    zero: str
    """S4: active at the first side."""
    corner: str
    """S5: one edge for each corner that it passes."""
    seconds_per_side: Seconds
    """How long it takes from one side to the next."""


class LaneModule(Part):
    """A hand lane: filled before the walls, presented to its seat."""

    gate: str
    """Lets tiles into the lane."""
    presenter: str
    """Presents the lane to its seat forward, withdraws it in reverse."""
    presented: str
    """Active while it is presented."""
    home: str
    """Active while it is withdrawn."""


class LanesModule(Part):
    """Hand lanes, one a seat, in seat order."""

    capacity: Annotated[int, Field(ge=1), Unit("tiles")]
    """The most tiles that a lane takes."""
    present: Seconds
    """How long it takes to present or withdraw a lane."""
    seats: tuple[LaneModule, ...]
    """The lanes in seat order."""


class FlipperModule(Part):
    """Turns the indicator face up in its wall: always the upper tile of this column."""

    tray: Annotated[int, Field(ge=0)] = 1
    """The tray at which it stands, by its number from 0."""
    column: Annotated[int, Field(ge=1)] = 9
    """The column over which it stands, from 1."""
    motor: str
    """Turns the tile over forward, and returns in reverse."""
    flipped: str
    """Active once the tile is turned."""
    home: str
    """Active while it is out of the way."""
    flip: Seconds
    """How long it takes."""


class DiceModule(Part):
    """A dice dome or electronic dice."""

    unit: str
    """The dice channel."""
    dice: Annotated[int, Field(ge=1, le=5)]
    """How many dice it throws at once."""


class GantryModule(Part):
    """Two axes over the field; a gripper goes down, grips, turns; `turner` turns a tile over."""

    x: str
    """The axis across the field."""
    y: str
    """The axis along the field."""
    z: str
    """The vertical axis; its home switch is at the top."""
    grip: str
    """Closes the jaws forward, opens them in reverse."""
    gripped: str
    """Active once the jaws hold something or are closed."""
    released: str
    """Active while the jaws are open."""
    wide: str
    """Opens the jaws for two columns instead of one."""
    turn: str
    """Turns the gripper crosswise forward, straight in reverse."""
    straight: str
    """Active while the gripper is straight."""
    crossed: str
    """Active while the gripper is crosswise."""
    loaded: str
    """Active while a tile lies between the jaws."""
    turner: str | None = None
    """Turns a gripped tile over."""
    turner_home: str | None = None
    """Active while the turner is at rest."""
    turner_over: str | None = None
    """Active once the tile is turned over."""
    grip_seconds: Seconds
    """How long the jaws take to close or open."""
    turn_seconds: Seconds
    """How long the gripper takes to turn."""
    levels: Annotated[int, Field(ge=1, le=4), Unit("tiles")]
    """How many tiles high a block may be that the jaws take."""


class ReaderModule(Part):
    """Reads the tag of the tile in the gripper."""

    unit: str
    """The reader channel."""


class KeysModule(Part):
    """The players' keys: `lid` opens and closes it, `done` confirms a guided step."""

    lid: str
    """The key that opens and closes the lid."""
    done: str | None = None
    """The key that confirms a guided step; it may be the same."""


class LampsModule(Part):
    """Lamp strips along the walls, in seat order."""

    walls: tuple[str, ...]
    """The strip along each wall."""


class RelayModule(Part):
    """A safety relay: the motors of its board have power only while its coil has current."""

    coil: str
    """The output that drives the relay's coil."""
    contact: str | None = None
    """A sensor that is active while the motors have power: the relay's mirror contact."""
    seconds: Seconds = 0.05
    """How long its contact takes at most, to close or to open."""


class TowerModule(Part):
    """A lamp tower; each lamp may be missing."""

    red: str | None = None
    """Stopped, or a fault. Lit is its safe value, so a table whose host died shows it."""
    amber: str | None = None
    """A person is asked, or the table is paused."""
    green: str | None = None
    """All is well."""

    @property
    def lamps(self) -> dict[str, str]:
        """The channel of each lamp that there is, by its colour, from the top."""
        named = {"red": self.red, "amber": self.amber, "green": self.green}
        return {colour: lamp for colour, lamp in named.items() if lamp is not None}


class BuzzerModule(Part):
    """Sounds when a person is asked."""

    sounder: str
    """The output that sounds."""
    seconds: Seconds = 0.2
    """How long it sounds."""
    every: Seconds = 10.0
    """So long it is silent after it has begun to sound, whoever is asked."""


class Modules(Part):
    """What the machine has. A missing module makes its steps guided."""

    lid: LidModule | None = None
    """Lets a played set in; without it people put the tiles into the drum."""
    drum: DrumModule | None = None
    """Mixes the set."""
    heads: HeadsModule | None = None
    """Let tiles out of the drum, count and stack them."""
    trays: TraysModule | None = None
    """Hold the walls and raise them."""
    chain: ChainModule | None = None
    """Moves one head's outlet from tray to tray."""
    lanes: LanesModule | None = None
    """Present whole hands to the seats."""
    flipper: FlipperModule | None = None
    """Turns the indicator up in its wall."""
    dice: DiceModule | None = None
    """Throws dice and reads them."""
    gantry: GantryModule | None = None
    """Carries tiles over the field."""
    reader: ReaderModule | None = None
    """Reads a tile's tag in the gripper."""
    keys: KeysModule
    """The players' keys, which every table has."""
    lamps: LampsModule | None = None
    """Show people which tiles to take."""
    ready: str | None = None
    """The lamp that says: ready to play, hands may come in. Lit is its safe value."""
    tower: TowerModule | None = None
    """Shows from afar whether all is well."""
    buzzer: BuzzerModule | None = None
    """Calls people when they are asked."""
    relay: tuple[RelayModule, ...] = ()
    """The safety relays, at most one a board."""
    emergency: tuple[str, ...] = ()
    """The emergency stop as each board sees it."""
    curtain: tuple[str, ...] = ()
    """The light curtain as each board sees it; each stops what the curtain guards."""
