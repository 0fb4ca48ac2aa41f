"""Two boards of the same configuration: the virtual board, and the firmware on virtual pins.

Both receive the same bytes and pin changes at the same times. `compare` then compares every frame
that they have sent: replies in order, events in order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from config.board_profiles import profile_of
from config.loader import load_table
from config.schema import AnalogChannel, BoardConfig, SensorChannel, StripChannel
from firmware_bridge.boards import encoding as words
from firmware_bridge.executor.virtual_board import KEY, VirtualBoard
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.sim.session import BoardSession
from firmware_bridge.wire.codec import (
    EVENTS,
    REPLIES,
    Decoder,
    Frame,
    configuration_crc,
    framed,
    plain,
)
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.messages import (
    Authenticate,
    Commit,
    EdgeSeen,
    Faulted,
    Held,
    Identity,
    Message,
    MotionEnded,
    Read,
    Recalled,
    Started,
    TakeLease,
    Value,
    Watch,
)
from tests.firmware_bridge.firmware.virtual_chip import VirtualChip

TOLERANCE_US = 50
"""The permitted difference of times: the firmware samples its inputs every 20 us."""
_TIMES = {
    EdgeSeen: "at_us",
    Faulted: "at_us",
    Held: "at_us",
    MotionEnded: "elapsed_us",
    Recalled: "elapsed_us",
}
_SLICE = 1000
"""Microseconds from one acknowledgement of events to the next."""
_STRIP_PIN = 49
_RECENT = 32
"""An event that equals one of this many events before it is a repetition."""
DICE = (3, 1, 6, 2, 5)
TAG = 0xE00401006B1C55A0


class _OutputRecorder:
    """Records the outputs of the virtual board; they have no effect on its inputs."""

    def __init__(self) -> None:
        self.outputs: dict[str, int] = {}
        self.millivolts = 0

    def output(self, channel: str, value: int) -> None:
        self.outputs[channel] = value

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None: ...

    def axis_ends(self, axis: str, position: float) -> None: ...

    def dice(self, channel: str, count: int) -> tuple[int, ...]:
        return DICE[:count]

    def tag(self, channel: str) -> int | None:
        return TAG

    def analog(self, channel: str) -> int:
        return self.millivolts


class Twins:
    """A table's board, virtual and as firmware, both switched on and without a session.

    The firmware's clock starts at the loop's time. `lamps` adds a strip of this many lamps, which
    no board of the project's tables has.
    """

    def __init__(self, library: Path, table: str, board: str, lamps: int = 0) -> None:
        loaded = load_table(table)
        self.config = self._configured(_with_strip(loaded.boards[board], lamps))
        self.tolerance_us = TOLERANCE_US
        self.least_us = 0
        """The most time that an order takes that ends at once."""
        self.milliamps_per_volt = round(self.config.amperes_per_volt * 1000)
        self.names = list(self.config.channels)
        self.records = words.records(self.config, words.flags_of(loaded))
        self.recorder = _OutputRecorder()
        self.virtual = VirtualBoard(
            self.config,
            self.recorder,
            asyncio.get_running_loop(),
            emergency=loaded.modules.emergency,
            serial=b"TWIN0001",
        )
        self._sent = bytearray()
        self.session = self._new_session()
        self.session.announce(self.virtual.started)
        self.virtual.send = self._emit
        self.virtual.line = lambda: (self.session.damaged, self.session.repeated)
        self.chip = self._switched_on(library)
        self._decoders = Decoder(), Decoder()
        self.received: tuple[list[Frame], list[Frame]] = [], []
        """The frames that the virtual board has sent, and those of the firmware."""
        self._host = HostSession(self.config.address, KEY)
        self.opening = b""
        """The frame of the last `Identify`."""
        self.commands: dict[int, Message] = {}

    def _configured(self, config: BoardConfig) -> BoardConfig:
        """The configuration of both boards."""
        return config

    def _switched_on(self, library: Path) -> VirtualChip:
        chip = VirtualChip(library, b"TWIN0001", KEY, self.config.address)
        chip.reset(at=round(asyncio.get_running_loop().time() * 1e6))
        return chip

    # Inputs from the host

    def frame(self, message: Message) -> bytes:
        """Return the next command's frame, whose number counts as used even without delivery."""
        self.commands[self._host.sequence] = message
        return self._host.command(message)

    async def send(self, message: Message) -> Message:
        """Deliver a command to both boards; return the virtual board's reply."""
        sequence = self._host.sequence
        await self.deliver(self.frame(message))
        return next(
            frame.message
            for frame in reversed(self.received[0])
            if type(frame.message) in REPLIES and frame.sequence == sequence
        )

    async def deliver(self, data: bytes) -> None:
        """Deliver these bytes to both boards."""
        self.session.receive(data)
        self.chip.receive(data)
        await asyncio.sleep(0)
        self._modules_answer()
        self._collect_frames()

    async def begin(self, nonce: bytes = b"nonce001") -> None:
        """Begin a session, configure the table and take a lease of a minute."""
        await self.open(nonce)
        for record in self.records:
            await self.send(record)
        await self.send(Commit(len(self.records), configuration_crc(self.records)))
        await self.send(TakeLease(0))
        await self.send(TakeLease(60_000))

    async def identify(self, nonce: bytes) -> None:
        """Ask both boards for their identities, which begins no session yet."""
        self.opening = self._host.identify(nonce)
        await self.deliver(self.opening)

    async def open(self, nonce: bytes) -> None:
        """Begin a session with both boards.

        The identities differ in build and channel hash, so each board gets a proof of its own.
        """
        await self.identify(nonce)
        counter = self._host.counter
        self.commands[self._host.sequence] = Authenticate(bytes(8))
        for twin, receive in enumerate((self.session.receive, self.chip.receive)):
            self._host.counter = counter
            receive(self._host.authenticate(self._last_identity(twin)))
        await asyncio.sleep(0)
        self._collect_frames()

    async def challenge_as_stranger(self, nonce: bytes) -> None:
        """Ask for the identities and send a proof by another key."""
        stranger = HostSession(self.config.address, b"the key of another", self._host.sequence)
        await self.deliver(stranger.identify(nonce))
        counter = stranger.counter
        for twin, receive in enumerate((self.session.receive, self.chip.receive)):
            stranger.counter = counter
            receive(stranger.authenticate(self._last_identity(twin)))
        await asyncio.sleep(0)
        self._collect_frames()

    def _last_identity(self, twin: int) -> Identity:
        return next(
            frame.message
            for frame in reversed(self.received[twin])
            if isinstance(frame.message, Identity)
        )

    async def watch(self, *sensors: str) -> None:
        for sensor in sensors:
            await self.send(Watch(self.number(sensor), 1))

    async def settle(self, is_there: Callable[[], bool]) -> None:
        """Wait for what a board sends after its last input; this firmware needs no time for it."""

    def has_replied(self) -> bool:
        """Whether both boards have sent the same number of replies."""
        return len(self._replies(0)) == len(self._replies(1))

    def pin_of(self, pin: int) -> int:
        """The pin of the firmware's board for a pin of the table."""
        return pin

    def number(self, channel: str) -> int:
        return self.names.index(channel)

    # Inputs from the table

    async def sense(self, sensor: str, active: bool) -> None:
        """Make a sensor of both boards active or inactive."""
        channel = self.config.channels[sensor]
        assert isinstance(channel, SensorChannel)
        self.virtual.sensor(sensor, active)
        self.chip.pin(channel.pin, active == (channel.active == "high"))
        await asyncio.sleep(0)
        self._collect_frames()

    async def lose_supply(self) -> None:
        """Switch the supply of both boards off and at once on again."""
        self.session = self._new_session()
        self.virtual.reset(ResetCause.POWER)
        self.session.announce(self.virtual.started)
        self.chip.power_off()
        self.chip.sent()
        self._decoders = self._decoders[0], Decoder()
        self.chip.reset(at=round(asyncio.get_running_loop().time() * 1e6))

    async def set_supply(self, *, low: bool) -> None:
        """Make the supply of both boards low or good; wait until the firmware has noticed it."""
        self.chip.supply(880 if low else 1000)
        await self.advance(2 if low else 500)
        self.virtual.supply(low)
        await self.advance(1)

    async def rattle(self, sensor: str, times: int) -> None:
        """Activate a sensor without debounce time this many times at the same instant."""
        channel = self.config.channels[sensor]
        assert isinstance(channel, SensorChannel)
        for _ in range(times):
            for active in (True, False):
                self.virtual.sensor(sensor, active)
                self.chip.pin(channel.pin, active == (channel.active == "high"))
        await asyncio.sleep(0)
        self._collect_frames()

    def draw(self, motor: str, milliamps: int) -> None:
        """Set the current of the only motor that runs, in milliamperes."""
        self.virtual.current(motor, milliamps)
        profile = profile_of(self.config)
        shunt = profile.reserved("motor_current")
        assert shunt is not None
        assert profile.converter is not None
        millivolts = milliamps * 1000 // self.milliamps_per_volt
        self.chip.analog(shunt, min(millivolts, profile.converter.most_millivolts))

    def close(self) -> None:
        self.chip.close()

    def measure(self, analog: str, millivolts: int) -> None:
        channel = self.config.channels[analog]
        assert isinstance(channel, AnalogChannel)
        self.recorder.millivolts = millivolts
        self.chip.analog(channel.pin, millivolts)

    def voltage(self, sensor: str, millivolts: int) -> None:
        """Set the voltage of a sensor with thresholds on both boards."""
        channel = self.config.channels[sensor]
        assert isinstance(channel, SensorChannel)
        self.chip.analog(channel.pin, millivolts)
        if self.virtual.channel_table.records:
            self.virtual.voltage(sensor, millivolts)

    async def advance(self, milliseconds: float, acknowledge: bool = True) -> None:
        """Let time pass for both boards; `acknowledge` decides whether events are acknowledged."""
        left = round(milliseconds * 1000)
        while left:
            micros = min(left, _SLICE)
            left -= micros
            await asyncio.sleep(micros / 1e6)
            self.session.tick(asyncio.get_running_loop().time())
            self.chip.advance(micros)
            self._modules_answer()
            self._collect_frames()
            if acknowledge:
                self._acknowledge()

    # Comparison

    async def compare(self, repeats: bool = True) -> None:
        """Wait 5 ms for the last frames, then assert that both boards have sent the same.

        Frames are equal to the byte, except for times within `tolerance_us`, axis positions within
        2 µm, and the build, channel hash and proof of an identity. Without `repeats`, the number of
        repetitions of an event may differ.
        """
        await self.advance(5)
        events = self._events if repeats else self.frames_of
        for virtual, firmware in (
            (self._replies(0), self._replies(1)),
            (events(0), events(1)),
            (self._notices(0), self._notices(1)),
        ):
            for one, other in zip(virtual, firmware, strict=False):
                assert self._alike(one, other), f"\n  board    {one}\n  firmware {other}"
            assert len(virtual) == len(firmware), (
                f"\n  board    {virtual[-3:]}\n  firmware {firmware[-3:]}"
            )

    def events(self, kind: type[Message]) -> list[Message]:
        """Return all events of a kind that the firmware has sent, with repetitions."""
        return [frame.message for frame in self._events(1) if isinstance(frame.message, kind)]

    def frames_of(self, twin: int) -> list[Frame]:
        """Return the events of the virtual board (0) or the firmware (1), without repetitions."""
        once: list[Frame] = []
        for frame in self._events(twin):
            if frame not in once[-_RECENT:]:
                once.append(frame)
        return once

    def last_reply(self, twin: int) -> Message:
        """Return the last reply of the virtual board (0) or the firmware (1)."""
        return self._replies(twin)[-1].message

    def _alike(self, one: Frame, other: Frame) -> bool:
        if one[:2] != other[:2] or type(one.message) is not type(other.message):
            return False
        first, second = one.message._asdict(), other.message._asdict()
        if isinstance(one.message, Identity):
            for fields in (first, second):
                del fields["build"], fields["channel_hash"], fields["proof"]
        command = self.commands.get(one.sequence)
        if isinstance(one.message, Value) and isinstance(command, Read):
            channel = self.config.channels.get(self._name_of(command.channel))
            if channel is not None and channel.kind == "axis":
                return bool(abs(first["value"] - second["value"]) <= 2)
        name = _TIMES.get(type(one.message))
        if name is not None and abs(first.pop(name) - second.pop(name)) > self.tolerance_us:
            return False
        return first == second

    def _name_of(self, number: int) -> str:
        return self.names[number] if number < len(self.names) else ""

    def _replies(self, twin: int) -> list[Frame]:
        return [frame for frame in self.received[twin] if type(frame.message) in REPLIES]

    def _events(self, twin: int) -> list[Frame]:
        return [frame for frame in self.received[twin] if type(frame.message) in EVENTS]

    def _notices(self, twin: int) -> list[Frame]:
        return [frame for frame in self.received[twin] if type(frame.message) is Started]

    # Helpers

    def _new_session(self) -> BoardSession:
        return BoardSession(
            self.config.address, self.virtual.execute, self._sent.extend, self.virtual.key
        )

    def _emit(self, event: Message) -> None:
        self.session.emit(event)
        self.session.tick(asyncio.get_running_loop().time())

    def _collect_frames(self) -> None:
        sent_by_virtual, self._sent[:] = bytes(self._sent), b""
        self.received[0].extend(self._decoders[0].feed(sent_by_virtual))
        sent = self.chip.sent()
        frames = self._decoders[1].feed(sent)
        assert b"".join(framed(plain(*frame[:3]) + frame.tag) for frame in frames) == (
            _without_idle(sent)
        )
        assert all(self._host.is_genuine(frame) for frame in frames)
        self.received[1].extend(frames)

    def _acknowledge(self) -> None:
        """Acknowledge to each board the last event that it has sent."""
        for events, receive in (
            (self._events(0), self.session.receive),
            (self._events(1), self.chip.receive),
        ):
            if events:
                receive(self._host.received(events[-1].sequence))

    def _modules_answer(self) -> None:
        for port in (1, 2, 3):
            request = self.chip.module_sent(port)
            if request.startswith(b"D"):
                faces = DICE[: int(request[1:2])]
                self.chip.module_receive(port, " ".join(map(str, faces)).encode() + b"\n")
            elif request == b"T\n":
                self.chip.module_receive(port, b"%016X\n" % TAG)


def _with_strip(config: BoardConfig, lamps: int) -> BoardConfig:
    if not lamps:
        return config
    strip = StripChannel(kind="strip", pin=_STRIP_PIN, lamps=lamps, safe=0)
    return config.model_copy(update={"channels": {**config.channels, "lamps": strip}})


def _without_idle(sent: bytes) -> bytes:
    """Return the bytes without the zeros that a sender can put before a frame."""
    return b"".join(frame + b"\0" for frame in sent.split(b"\0") if frame)
