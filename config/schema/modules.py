"""Schema of a table's modules, which name channels; the steps of a missing module are guided."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from config.schema.part import (
    AnalogName,
    AxisName,
    DiceName,
    Millimetres,
    MotorName,
    OutputName,
    Part,
    ReaderName,
    Seconds,
    SensorName,
    StripName,
    TurnerName,
    Unit,
)


class LidModule(Part):
    """The platform in the middle, which opens the drum."""

    motor: MotorName
    """The motor that opens the lid forward and closes it in reverse."""
    opened: SensorName
    """Active while the lid is open."""
    closed: SensorName
    """Active while the lid is closed."""
    seconds: Seconds
    """The time that the lid takes to open or close."""


class DrumModule(Part):
    """The inclined turntable that mixes the tiles and feeds the heads."""

    motor: MotorName
    """The motor that turns the drum."""
    capacity: Annotated[int, Field(ge=1, le=1000), Unit("tiles")]
    """The largest number of tiles that the drum holds."""
    mix: Seconds
    """The time that the drum mixes a gathered set before the heads begin."""
    tilt_deg: Annotated[float, Field(ge=0, lt=90), Unit("deg")] = 40.0
    """The inclination of the drum's pan."""
    rpm: Annotated[float, Field(gt=0, le=300), Unit("rpm")] = 20.0
    """The speed of the pan, revolutions a minute."""
    ribs: Annotated[int, Field(ge=0, le=100), Unit("ribs")] = 2
    """The number of ribs on the pan that carry tiles uphill."""
    pan: Millimetres | None = None
    """The diameter of the pan. Without it, the flat tiles of a full drum cover 0.4 of the pan."""
    current: AnalogName | None = None
    """The analogue input that measures the current of the drum's motor."""


class HeadModule(Part):
    """A port of the drum: wheel, belt, counter S1, pusher with vane S23, belt-full sensor S6."""

    wheel: MotorName
    """The motor of the wheel that lets tiles out of the drum."""
    belt: MotorName | None = None
    """The motor of the belt that carries tiles from the wheel to the pusher."""
    belt_current: AnalogName | None = None
    """The analogue input that measures the current of the belt's motor."""
    counter: SensorName
    """S1: one edge for each tile that passes."""
    pusher: MotorName | None = None
    """The motor that pushes a stack into the tray."""
    vane: SensorName | None = None
    """S23: one edge for each push."""
    full: SensorName | None = None
    """S6: active while the belt is full."""
    face: SensorName | None = None
    """Active while a face-up tile is under the head."""
    turner: TurnerName | None = None
    """The motor or output that turns a face-up tile over."""
    trays: tuple[int, ...]
    """The trays that this head fills, by their number from 0; empty if people take the tiles by
    hand."""


class HeadsModule(Part):
    """All heads, and the values that they have in common."""

    spacing: Seconds
    """The mean time between two tiles while at least `plenty` tiles are in the drum; with fewer
    tiles it is longer, in inverse proportion to their number."""
    plenty: Annotated[int, Field(ge=1, le=1000), Unit("tiles")]
    """The number of tiles in the drum below which tiles come out more slowly."""
    belt_speed: Annotated[float, Field(gt=0, le=5), Unit("m/s")]
    """The speed of the belts."""
    counter_distance_mm: Millimetres
    """The distance from the wheel to the counter; it has to be shorter than a tile, or a tile can
    pass uncounted."""
    push: Seconds
    """The time that a push takes."""
    ports: tuple[HeadModule, ...]
    """The heads, in order."""


class TrayModule(Part):
    """The tray in which a side's wall is built below the table, and the lift that raises it."""

    lift: MotorName
    """The motor that raises the tray forward and lowers it in reverse."""
    up: SensorName
    """Active while the tray is up."""
    down: SensorName
    """Active while the tray is down."""


class TraysModule(Part):
    """All trays: `columns` stacks of at most `levels` tiles each."""

    columns: Annotated[int, Field(ge=1, le=100), Unit("stacks")]
    """The number of stacks that fit into a tray."""
    levels: Annotated[int, Field(ge=1, le=4), Unit("tiles")]
    """The largest height of a stack."""
    length_mm: Millimetres
    """The length of a tray."""
    lift: Seconds
    """The travel time of a lift."""
    sides: tuple[TrayModule, ...]
    """The trays in seat order."""


class ChainModule(Part):
    """The chain of a single-port table: carries the only head's outlet to each side."""

    motor: MotorName
    """The motor that carries the outlet forward from side to side, and back in reverse."""
    zero: SensorName
    """S4: active while the outlet is at the first side."""
    corner: SensorName
    """S5: one edge for each corner that the outlet passes."""
    seconds_per_side: Seconds
    """The travel time from one side to the next."""


class MagazineModule(Part):
    """A carousel between the counter of the only head and its stack: one tile in each pocket.

    Each tile of the set falls into a pocket of its own; after the last one, the ejector pushes the
    tiles out of the pockets in any order.
    """

    motor: MotorName
    """The motor that turns the carousel forward, towards pocket 1, and back in reverse."""
    vane: SensorName
    """One edge for each pocket that arrives at the inlet; active while a pocket is there."""
    home: SensorName
    """Active while pocket 0 is at the inlet."""
    ejector: MotorName
    """The motor that pushes the tile out of the pocket at the inlet into the head's stack."""
    withdrawn: SensorName
    """Active while the ejector is clear of the pockets; one edge for each stroke, at its end."""
    passed: SensorName
    """One edge for each tile that falls out of the magazine into the head's stack."""
    pockets: Annotated[int, Field(ge=2, le=512), Unit("pockets")]
    """The number of pockets; a game with more tiles is refused."""
    step: Annotated[float, Field(ge=0.04, le=60), Unit("s")]
    """The time in which the carousel turns by one pocket."""
    eject: Seconds
    """The time of a stroke of the ejector."""


class LaneModule(Part):
    """A hand lane: it is filled before the walls and presented to its seat."""

    gate: OutputName
    """The output that opens the lane's gate to the tiles."""
    presenter: MotorName
    """The motor that presents the lane to its seat forward and withdraws it in reverse."""
    presented: SensorName
    """Active while the lane is presented."""
    home: SensorName
    """Active while the lane is withdrawn."""


class LanesModule(Part):
    """The hand lanes, one for each seat."""

    capacity: Annotated[int, Field(ge=1, le=100), Unit("tiles")]
    """The largest number of tiles that a lane holds."""
    present: Seconds
    """The time that it takes to present or withdraw a lane."""
    seats: tuple[LaneModule, ...]
    """The lanes in seat order."""


class FlipperModule(Part):
    """Turns the indicator face up in its wall; it can turn only the upper tile of one column."""

    tray: Annotated[int, Field(ge=0)] = 1
    """The tray of the flipper, by its number from 0."""
    column: Annotated[int, Field(ge=1)] = 9
    """The column of the flipper, from 1."""
    motor: MotorName
    """The motor that turns the tile over forward and returns in reverse."""
    flipped: SensorName
    """Active when the tile is turned over."""
    home: SensorName
    """Active while the flipper is at rest."""
    flip: Seconds
    """The time that it takes to turn the tile over."""


class DiceModule(Part):
    """A dice dome, or electronic dice."""

    unit: DiceName
    """The dice channel."""
    dice: Annotated[int, Field(ge=1, le=5)]
    """The number of dice that it throws at once."""


class GantryModule(Part):
    """Two axes over the field, a vertical axis, and a gripper; `turner` turns a tile over."""

    x: AxisName
    """The axis across the field."""
    y: AxisName
    """The axis along the field."""
    z: AxisName
    """The vertical axis; its home switch is at the top."""
    grip: MotorName
    """The motor that closes the jaws forward and opens them in reverse."""
    gripped: SensorName
    """Active when the jaws hold a block or are closed."""
    released: SensorName
    """Active while the jaws are open."""
    wide: OutputName
    """The output that opens the jaws for two columns instead of one."""
    turn: MotorName
    """The motor that turns the gripper crosswise forward and straight in reverse."""
    straight: SensorName
    """Active while the gripper is straight."""
    crossed: SensorName
    """Active while the gripper is crosswise."""
    loaded: SensorName
    """Active while a tile is between the jaws."""
    turner: MotorName | None = None
    """The motor that turns a gripped tile over."""
    turner_home: SensorName | None = None
    """Active while the turner is at rest."""
    turner_over: SensorName | None = None
    """Active when the tile is turned over."""
    grip_seconds: Seconds
    """The time that the jaws take to close or open."""
    turn_seconds: Seconds
    """The time that the gripper takes to turn."""
    levels: Annotated[int, Field(ge=1, le=4), Unit("tiles")]
    """The largest height of a block that the jaws grip."""


class ReaderModule(Part):
    """A reader for the tag of the tile in the gripper."""

    unit: ReaderName
    """The reader channel."""


class KeysModule(Part):
    """The players' keys: one opens and closes the lid, one confirms a guided step."""

    lid: SensorName
    """The key that opens and closes the lid."""
    done: SensorName | None = None
    """The key that confirms a guided step; it can be the same key as `lid`."""


class LampsModule(Part):
    """Lamp strips along the walls, in seat order."""

    walls: tuple[StripName, ...]
    """The strip along each wall."""


class RelayModule(Part):
    """A safety relay: the motors of its board have power only while its coil is on."""

    coil: OutputName
    """The output that drives the relay's coil."""
    contact: SensorName | None = None
    """A sensor that is active while the motors have power: the relay's mirror contact."""
    seconds: Seconds = 0.05
    """The longest time that the contact takes to close or to open."""


class TowerModule(Part):
    """A lamp tower; each of its lamps can be missing."""

    red: OutputName | None = None
    """Lit while the table is stopped or has a fault. Its safe value is 1, so it is also lit after
    the host has died."""
    amber: OutputName | None = None
    """Lit while a person is asked, while the table is paused without a fault, and during the
    start."""
    green: OutputName | None = None
    """Lit while the table runs and needs no action besides the game."""

    @property
    def lamps(self) -> dict[str, str]:
        """The channels of the lamps that the tower has, by colour, from the top."""
        named = {"red": self.red, "amber": self.amber, "green": self.green}
        return {colour: lamp for colour, lamp in named.items() if lamp is not None}


class BuzzerModule(Part):
    """A buzzer that sounds when a person is asked."""

    sounder: OutputName
    """The output of the buzzer."""
    seconds: Seconds = 1.5
    """The time that it sounds. Regulated floors ask for at least 1.5 s."""
    every: Seconds = 10.0
    """The shortest time between the beginnings of two sounds; prompts in between make no sound."""


class Modules(Part):
    """The modules of a table. The steps of a missing module are guided."""

    lid: LidModule | None = None
    """Opens the drum for a played set; without it people put the tiles into the drum."""
    drum: DrumModule | None = None
    """Mixes the set."""
    heads: HeadsModule | None = None
    """Let tiles out of the drum, count them and stack them."""
    trays: TraysModule | None = None
    """Hold the walls and raise them."""
    chain: ChainModule | None = None
    """Moves the only head's outlet from tray to tray."""
    magazine: MagazineModule | None = None
    """Holds the whole set in single pockets, so that the machine can choose the order of the tiles
    (`shuffle: sorted`)."""
    lanes: LanesModule | None = None
    """Present whole hands to the seats."""
    flipper: FlipperModule | None = None
    """Turns the indicator up in its wall."""
    dice: DiceModule | None = None
    """Throws dice and reads them."""
    gantry: GantryModule | None = None
    """Carries tiles over the field."""
    reader: ReaderModule | None = None
    """Reads the tag of a tile in the gripper."""
    keys: KeysModule
    """The players' keys, which every table has."""
    lamps: LampsModule | None = None
    """Show people which tiles to take."""
    ready: OutputName | None = None
    """The lamp that is lit while players can reach into the table and play. Its safe value is 1."""
    tower: TowerModule | None = None
    """Shows the state of the table over a distance: red, amber or green."""
    buzzer: BuzzerModule | None = None
    """Sounds when a person is asked."""
    relay: tuple[RelayModule, ...] = ()
    """The safety relays, at most one for each board."""
    emergency: tuple[SensorName, ...] = ()
    """The sensor of the emergency stop on each board."""
    curtain: tuple[SensorName, ...] = ()
    """The sensor of the light curtain on each board; each board stops the motors and axes that the
    curtain guards."""
