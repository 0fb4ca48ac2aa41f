"""A table as frozen, validated values: boards with channels, and the modules made of them.

What a table can do follows from its modules (`Table.capabilities`). Lengths are metres, times
seconds, unless a name ends in `_mm` or `_ms`. Unknown keys are errors. Sources: table.md 1 and 4.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[float, Field(gt=0)]
Pin = Annotated[int, Field(ge=0, le=69)]


class Part(BaseModel):
    """The common ground of every part: frozen, no key that nobody reads, no silent conversion."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class MotorChannel(Part):
    """A motor driven both ways by permille of full drive."""

    kind: Literal["motor"]
    pin: Pin
    reverse_pin: Pin | None = None
    safe: Annotated[int, Field(ge=-1000, le=1000)]
    max_on: Positive
    """The longest it may run without a new command; the board stops it then by itself."""
    forward_stop: str | None = None
    """The switch that stops it while it runs forward."""
    reverse_stop: str | None = None
    hold_while: str | None = None
    """Back-pressure: the motor pauses while this sensor is active."""


class OutputChannel(Part):
    """Something that is on or off: a lamp, a gate, a wide jaw."""

    kind: Literal["output"]
    pin: Pin
    safe: Annotated[int, Field(ge=0, le=1)]
    max_on: Positive | None = None


class StripChannel(Part):
    """A strip of addressable lamps along a wall, one a column."""

    kind: Literal["strip"]
    pin: Pin
    lamps: Annotated[int, Field(ge=1, le=31)]
    safe: Annotated[int, Field(ge=0)]
    """The lamps lit, one bit each, the first lamp the lowest."""


class SensorChannel(Part):
    """A switch, key or photo sensor."""

    kind: Literal["sensor"]
    pin: Pin
    active: Literal["high", "low"]
    debounce_ms: Annotated[float, Field(ge=0, le=250)]


class AxisChannel(Part):
    """A stepper axis with its limits; positions in metres from the field's centre or the felt."""

    kind: Literal["axis"]
    pin: Pin
    direction_pin: Pin
    home_switch: str
    home_end: Literal["low", "high"] = "low"
    """At which limit the home switch sits; a gripper's is at the top, away from every tile."""
    low: float
    high: float
    speed: Positive
    acceleration: Positive
    step_mm: Positive = 0.15
    """How far one step carries it."""

    @property
    def home(self) -> float:
        """Where the axis stands when its home switch is active."""
        return self.low if self.home_end == "low" else self.high


class DiceChannel(Part):
    """A dice unit: its shaker, and a reader on a serial port of the board."""

    kind: Literal["dice"]
    pin: Pin
    port: Annotated[int, Field(ge=1, le=3)]
    safe: Annotated[int, Field(ge=0, le=0)]
    shake: Positive


class ReaderChannel(Part):
    """An ISO 15693 tile reader on a serial port of the board."""

    kind: Literal["reader"]
    port: Annotated[int, Field(ge=1, le=3)]


class AnalogChannel(Part):
    """A voltage that stands for a current or a distance."""

    kind: Literal["analog"]
    pin: Pin


Channel = Annotated[
    MotorChannel
    | OutputChannel
    | StripChannel
    | SensorChannel
    | AxisChannel
    | DiceChannel
    | ReaderChannel
    | AnalogChannel,
    Field(discriminator="kind"),
]


class BoardConfig(Part):
    """One board: how it is reached and what hangs on it."""

    kind: Literal["serial", "gpio"]
    address: Annotated[int, Field(ge=0, le=7)] = 0
    """Its address on the line: several boards may share one."""
    lease: Positive = 0.5
    channels: dict[str, Channel]


class Lid(Part):
    """The centre platform over the well."""

    motor: str
    opened: str
    closed: str
    seconds: Positive


class Drum(Part):
    """The inclined turntable that stirs and feeds the heads."""

    motor: str
    capacity: Annotated[int, Field(ge=1)]
    mix: Positive
    """How long it stirs a gathered set before the heads begin."""
    current: str | None = None
    """The analogue input that tells what its motor draws."""


class Head(Part):
    """A port of the drum: wheel, belt, counter S1, pusher with vane S23, belt-full S6."""

    wheel: str
    belt: str | None = None
    belt_current: str | None = None
    """The analogue input that tells what the belt's motor draws."""
    counter: str
    pusher: str | None = None
    vane: str | None = None
    full: str | None = None
    face: str | None = None
    """A face-up tile under the head."""
    turner: str | None = None
    trays: tuple[int, ...]


class Heads(Part):
    """Every head, and what they have in common."""

    spacing: Positive
    """Mean time from tile to tile while `plenty` lie in the drum; in proportion longer below."""
    plenty: Annotated[int, Field(ge=1)]
    belt_speed: Positive
    counter_distance_mm: Positive
    """From the wheel to the counter; shorter than a tile, or a tile can pass uncounted."""
    push: Positive
    ports: tuple[Head, ...]


class Tray(Part):
    """Where a wall grows below, and the lift that raises it."""

    lift: str
    up: str
    down: str


class Trays(Part):
    """All trays: `columns` stacks of at most `levels` tiles each."""

    columns: Annotated[int, Field(ge=1)]
    levels: Annotated[int, Field(ge=1, le=4)]
    length_mm: Positive
    lift: Positive
    """The lifts' travel time."""
    sides: tuple[Tray, ...]


class Chain(Part):
    """A single-port table's conveyor from the head to each side (S4 zero, S5 corner)."""

    motor: str
    zero: str
    corner: str
    seconds_per_side: Positive


class Lane(Part):
    """A hand lane: filled before the walls, presented to its seat."""

    gate: str
    presenter: str
    presented: str
    home: str


class Lanes(Part):
    """Hand lanes, one a seat, in seat order."""

    capacity: Annotated[int, Field(ge=1)]
    present: Positive
    seats: tuple[Lane, ...]


class Flipper(Part):
    """Turns the indicator face up in its wall: always the upper tile of this column."""

    tray: Annotated[int, Field(ge=0)] = 1
    column: Annotated[int, Field(ge=1)] = 9
    motor: str
    flipped: str
    home: str
    flip: Positive


class Dice(Part):
    """A dice dome or electronic dice."""

    unit: str
    dice: Annotated[int, Field(ge=1, le=5)]


class Gantry(Part):
    """Two axes over the field; a gripper goes down, grips, turns; `turner` turns a tile over."""

    x: str
    y: str
    z: str
    grip: str
    gripped: str
    released: str
    wide: str
    """Opens the jaws for two columns instead of one."""
    turn: str
    straight: str
    crossed: str
    loaded: str
    turner: str | None = None
    turner_home: str | None = None
    turner_over: str | None = None
    grip_seconds: Positive
    turn_seconds: Positive
    levels: Annotated[int, Field(ge=1, le=4)]


class Reader(Part):
    """Reads the tag of the tile in the gripper."""

    unit: str


class Keys(Part):
    """The players' keys: `lid` opens and closes it, `done` confirms a guided step."""

    lid: str
    done: str | None = None


class Lamps(Part):
    """Lamp strips along the walls, in seat order."""

    walls: tuple[str, ...]


class Relay(Part):
    """A safety relay: the motors of its board have power only while its coil has current."""

    coil: str
    contact: str | None = None
    """A sensor that is active while the motors have power: the relay's mirror contact."""
    seconds: Positive = 0.05
    """How long its contact takes at most, to close or to open."""


class Tower(Part):
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


class Buzzer(Part):
    """Sounds when a person is asked."""

    sounder: str
    seconds: Positive = 0.2
    every: Positive = 10.0
    """So long it is silent after it has begun to sound, whoever is asked."""


class Modules(Part):
    """What the machine has. A missing module makes its steps guided."""

    lid: Lid | None = None
    drum: Drum | None = None
    heads: Heads | None = None
    trays: Trays | None = None
    chain: Chain | None = None
    lanes: Lanes | None = None
    flipper: Flipper | None = None
    dice: Dice | None = None
    gantry: Gantry | None = None
    reader: Reader | None = None
    keys: Keys
    lamps: Lamps | None = None
    ready: str | None = None
    """The lamp that says: ready to play, hands may come in. Lit is its safe value."""
    tower: Tower | None = None
    buzzer: Buzzer | None = None
    relay: tuple[Relay, ...] = ()
    """The safety relays, at most one a board."""
    emergency: tuple[str, ...] = ()
    """The emergency stop as each board sees it."""
    curtain: tuple[str, ...] = ()


class TileRange(Part):
    """The tiles that the machine's channels take, shortest and longest, and the widest."""

    shortest_mm: Positive
    longest_mm: Positive
    widest_mm: Positive


class FieldSize(Part):
    """The playing field under the gantry, and where the walls and hands lie on it."""

    width: Positive
    depth: Positive
    wall_distance: Positive
    """From the centre to each wall's line."""
    hand_distance: Positive
    seats: Annotated[int, Field(ge=1, le=8)]


class Recovery(Part):
    """What a table does about one fault before it stops; what is left out stays as it is usual.

    `docs/FAULTS.md` has the usual limits.
    """

    retries: Annotated[int, Field(ge=0, le=20)] | None = None
    """How often the part tries again by itself."""
    asks: Annotated[int, Field(ge=0, le=20)] | None = None
    """How often a person is asked to put it right."""
    patience: Annotated[float, Field(gt=0, le=86400)] | None = None
    """How long a person may take over one answer, seconds."""


class Table(Part):
    """One table, whole."""

    name: str
    title: str
    sets: Annotated[int, Field(ge=1, le=2)]
    """Tile sets in the machine: with two, one is prepared below while the other is in play."""
    tiles: TileRange
    field: FieldSize
    boards: dict[str, BoardConfig]
    modules: Modules
    recovery: dict[str, Recovery] = {}
    """By the fault's code."""

    @property
    def capabilities(self) -> frozenset[str]:
        """The modules present, by name."""
        return frozenset(
            name
            for name in type(self.modules).model_fields
            if getattr(self.modules, name) not in (None, (), "")
        )

    def board_of(self, channel: str) -> str:
        """The board on which a channel hangs; raises KeyError for one that no board has."""
        for name, board in self.boards.items():
            if channel in board.channels:
                return name
        raise KeyError(channel)

    def channel(self, name: str) -> Channel:
        """A channel by its name, whichever board it is on; raises KeyError."""
        return self.boards[self.board_of(name)].channels[name]


class TileSize(Part):
    """A game's tile: length, width and height."""

    length_mm: Positive
    width_mm: Positive
    height_mm: Positive


class GameConfig(Part):
    """A game as this house plays it: its tile, its speed of play, its parameters."""

    game: str
    tile: TileSize
    play: Positive
    """How long people play a hand, for simulations (ours)."""
    parameters: dict[str, object] = {}
