"""Scripts of inputs to a board and expected outputs, played on the virtual board and its firmware.

    Drive head0_wheel 500 EDGES head0_counter 3 2000 0
                        a command: a message's name and its fields, channels and numbers by name
    lost COMMAND        the frame of the command never arrives
    cut COMMAND         the second half of its frame never arrives
    damaged COMMAND     one bit of its frame is flipped
    forged N COMMAND    a device without the key sends the command N times, with wrong tags
    untagged COMMAND    a device without the key sends the command without a tag
    stranger NONCE      Identify by a host with another key, and its Authenticate
    again N             the command N before is sent (again): 1 is the last one
    raw HEX             bytes, sent unchanged
    session NONCE       Identify with this nonce, and Authenticate
    identify NONCE      Identify only; `again` repeats that of the session
    table [FIELD=NUMBER ...]
                        Configure every channel, and Commit; the first motor's fields may differ
    lease N             TakeLease: N milliseconds, 0 to give it back
    pass N              N milliseconds pass; events are acknowledged
    unacknowledged N    N milliseconds pass; events are not acknowledged
    on SENSOR, off SENSOR
    rattle SENSOR N     N activations without time passing
    draws MOTOR N       the only motor that runs draws N milliamperes
    supply              the supply is lost and returns
    low                 the supply becomes low; after this the board has noticed it
    good                the supply is good again; after this the board has noticed it
    = REPLY             the last reply is this one
    > EVENT             the next event is this one
    silence             there is no further event
    pin N LEVEL         the firmware's output pin has this level (0, 1, or - if it is released)
    lamps N             the firmware's strip shows these lamps, one bit each
    left                the firmware has started its bootloader

A `*` in a reply or event matches any value. After the last line all replies and events of both
boards are compared.
"""

from __future__ import annotations

import asyncio
import enum
import shlex
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.sim import clock
from firmware_bridge.wire.codec import Decoder, Frame, configuration_crc, framed, plain
from firmware_bridge.wire.codes import Kind, Refusal, UntilKind
from firmware_bridge.wire.messages import NONE, TABLE, Commit, Configure, Message, TakeLease
from tests.firmware_bridge.firmware.twins import Twins

MESSAGES: dict[str, type[Message]] = {row.message.__name__: row.message for row in TABLE}
_ENUMS: tuple[type[enum.IntEnum], ...] = (UntilKind, Refusal, Reason, FaultCode)
_OF_FIELD: dict[tuple[str, str], type[enum.IntEnum]] = {
    ("Drive", "until"): UntilKind,
    ("Refused", "reason"): Refusal,
    ("MotionEnded", "reason"): Reason,
    ("Recalled", "reason"): Reason,
    ("Faulted", "code"): FaultCode,
}
WRAP_US = 1 << 32


@dataclass(frozen=True)
class Script:
    """One scenario: its name, the board that it uses, and its lines.

    `firmware_only`: the reason for which the virtual board is not checked, from the list of
    differences in docs/decisions/0014-the-firmware.md.
    """

    scenario: str
    steps: str
    board: str = "base"
    begin: bool = True
    """Whether a session, the table and a lease of a minute are set up before the first line."""
    before_wrap_us: int = 0
    """Time from the start to the wrap of the board's clock; 0: the clock starts at 0."""
    tolerance_us: int = 0
    """The permitted difference of times, where it is more than the usual tolerance."""
    undebounced: list[str] = field(default_factory=list)
    lamps: int = 0
    repeats: bool = True
    """Whether repetitions of events are compared too."""
    firmware_only: str = ""

    @property
    def lines(self) -> list[str]:
        """The lines of the script without comments and empty lines."""
        stripped = (line.split("#")[0].strip() for line in self.steps.splitlines())
        return [line for line in stripped if line]


def play(library: Path, script: Script) -> None:
    """Play a script on both boards. Raises AssertionError if a board differs from the script."""
    clock.run(play_with(lambda: Twins(library, "robotic", script.board, script.lamps), script))


async def play_with(make: Callable[[], Twins], script: Script, start_us: int = 0) -> None:
    """Play a script on the boards that `make` switches on, on the virtual loop.

    They are switched on at `start_us` or later: before a wrap if the script needs it.
    """
    if script.before_wrap_us:
        wraps = -(-(start_us + script.before_wrap_us) // WRAP_US)
        start_us = wraps * WRAP_US - script.before_wrap_us
    if start_us:
        await clock_at(start_us)
    twins = make()
    twins.records = tuple(
        record._replace(debounce_ms=0) if name in script.undebounced else record
        for name, record in zip_longest(twins.names, twins.records)
    )
    twins.tolerance_us = max(twins.tolerance_us, script.tolerance_us)
    try:
        await Player(twins, firmware_only=bool(script.firmware_only)).play(script)
    finally:
        twins.close()


async def clock_at(micros: int) -> None:
    """Advance the virtual clock to this time, in microseconds."""
    await asyncio.sleep(micros / 1e6 - asyncio.get_running_loop().time())


class Player:
    """Executes the lines of a script on both boards."""

    def __init__(self, twins: Twins, firmware_only: bool = False) -> None:
        self._twins = twins
        self._checked = (1,) if firmware_only else (0, 1)
        self._frames: list[bytes] = []
        self._received = [0, 0]
        """Events of each board that were expected so far."""
        self._verbs: dict[str, Callable[[list[str]], Coroutine[Any, Any, None]]] = {
            "lost": self._lost,
            "cut": self._cut,
            "damaged": self._damaged,
            "forged": self._forged,
            "untagged": self._untagged,
            "stranger": self._stranger,
            "again": self._again,
            "raw": self._raw,
            "session": self._session,
            "identify": self._identify,
            "table": self._table,
            "lease": self._lease,
            "pass": self._pass,
            "unacknowledged": self._unacknowledged,
            "on": self._on,
            "off": self._off,
            "rattle": self._rattle,
            "draws": self._draws,
            "supply": self._supply,
            "low": self._low,
            "good": self._good,
            "=": self._expect_reply,
            ">": self._expect_event,
            "silence": self._expect_silence,
            "pin": self._expect_pin,
            "lamps": self._expect_lamps,
            "left": self._expect_left,
        }

    async def play(self, script: Script) -> None:
        """Execute the whole script, then compare the boards."""
        if script.begin:
            for line in ("session nonce001", "table", "lease 0", "lease 60000"):
                await self.step(line)
        for number, line in enumerate(script.lines, start=1):
            try:
                await self.step(line)
            except AssertionError as error:
                where = f"{script.scenario}, line {number}: {line}"
                raise AssertionError(f"{where}\n{error}") from None
        if not script.firmware_only:
            await self._twins.compare(script.repeats)

    async def step(self, line: str) -> None:
        """Execute one line. Raises KeyError or ValueError if the line is not valid."""
        verb, *words = shlex.split(line)
        execute = self._verbs.get(verb)
        if execute is not None:
            await execute(words)
        else:
            await self._send(self.message(verb, words))

    def message(self, name: str, words: Iterable[str]) -> Message:
        """Return the message that a line describes."""
        kind = MESSAGES[name]
        values = [
            self._value(name, field_, word)
            for field_, word in zip(kind._fields, words, strict=True)
        ]
        return kind(*values)

    # Inputs from the host

    async def _send(self, message: Message) -> None:
        frame = self._twins.frame(message)
        self._frames.append(frame)
        await self._twins.deliver(frame)

    def _unsent(self, words: list[str]) -> bytes:
        frame = self._twins.frame(self.message(words[0], words[1:]))
        self._frames.append(frame)
        return frame

    async def _lost(self, words: list[str]) -> None:
        self._unsent(words)

    async def _cut(self, words: list[str]) -> None:
        frame = self._unsent(words)
        await self._twins.deliver(frame[: len(frame) // 2])

    async def _damaged(self, words: list[str]) -> None:
        frame = bytearray(self._unsent(words))
        frame[len(frame) // 2] ^= 0x10 if frame[len(frame) // 2] != 0x10 else 0x20
        await self._twins.deliver(bytes(frame))

    async def _forged(self, words: list[str]) -> None:
        (frame,) = Decoder().feed(self._unsent(words[1:]))
        for guess in range(int(words[0])):
            tag = bytes([frame.tag[0] ^ 1 + guess, *frame.tag[1:]])
            await self._twins.deliver(framed(plain(*frame[:3]) + tag))

    async def _untagged(self, words: list[str]) -> None:
        (frame,) = Decoder().feed(self._unsent(words))
        await self._twins.deliver(framed(plain(*frame[:3])))

    async def _stranger(self, words: list[str]) -> None:
        await self._twins.challenge_as_stranger(words[0].encode().ljust(8, b"\0"))

    async def _again(self, words: list[str]) -> None:
        await self._twins.deliver(b"\0" + self._frames[-int(words[0])])

    async def _raw(self, words: list[str]) -> None:
        await self._twins.deliver(bytes.fromhex(" ".join(words)))

    async def _session(self, words: list[str]) -> None:
        await self._twins.open(words[0].encode().ljust(8, b"\0"))

    async def _identify(self, words: list[str]) -> None:
        if words[0] == "again":
            await self._twins.deliver(self._twins.opening)
        else:
            await self._twins.identify(words[0].encode().ljust(8, b"\0"))

    async def _table(self, words: list[str]) -> None:
        records = list(self._twins.records)
        motor = next(n for n, record in enumerate(records) if record.kind == Kind.MOTOR)
        changes = {name: int(number) for name, number in (word.split("=") for word in words)}
        records[motor] = Configure(**{**records[motor]._asdict(), **changes})
        for record in records:
            await self._send(record)
        await self._send(Commit(len(records), configuration_crc(records)))

    async def _lease(self, words: list[str]) -> None:
        await self._send(TakeLease(int(words[0])))

    # Inputs from the table

    async def _pass(self, words: list[str]) -> None:
        await self._twins.advance(float(words[0]))

    async def _unacknowledged(self, words: list[str]) -> None:
        await self._twins.advance(float(words[0]), acknowledge=False)

    async def _on(self, words: list[str]) -> None:
        await self._twins.sense(words[0], True)

    async def _off(self, words: list[str]) -> None:
        await self._twins.sense(words[0], False)

    async def _rattle(self, words: list[str]) -> None:
        await self._twins.rattle(words[0], int(words[1]))

    async def _draws(self, words: list[str]) -> None:
        self._twins.draw(words[0], int(words[1]))

    async def _supply(self, words: list[str]) -> None:
        await self._twins.lose_supply()

    async def _low(self, words: list[str]) -> None:
        await self._twins.set_supply(low=True)

    async def _good(self, words: list[str]) -> None:
        await self._twins.set_supply(low=False)

    # Expected outputs

    async def _expect_reply(self, words: list[str]) -> None:
        await self._twins.settle(self._twins.has_replied)
        for twin in self._checked:
            self._check(twin, self._twins.last_reply(twin), words)

    async def _expect_event(self, words: list[str]) -> None:
        await self._twins.settle(
            lambda: all(
                len(self._twins.frames_of(twin)) > self._received[twin] for twin in self._checked
            )
        )
        for twin in self._checked:
            events = self._twins.frames_of(twin)
            assert self._received[twin] < len(events), f"{_NAMES[twin]} has sent no further event"
            self._check(twin, events[self._received[twin]].message, words)
            self._received[twin] += 1

    async def _expect_silence(self, words: list[str]) -> None:
        for twin in self._checked:
            further: list[Frame] = self._twins.frames_of(twin)[self._received[twin] :]
            assert not further, f"{_NAMES[twin]} has sent {further[0].message}"

    async def _expect_pin(self, words: list[str]) -> None:
        wanted = -1 if words[1] == "-" else int(words[1])
        pin = self._twins.pin_of(int(words[0]))
        await self._twins.settle(lambda: self._twins.chip.output(pin) == wanted)
        level = self._twins.chip.output(pin)
        assert level == wanted, f"pin {words[0]} is {level}"

    async def _expect_lamps(self, words: list[str]) -> None:
        strip = self._twins.config.channels["lamps"]
        pin, wanted = strip.pin, int(words[0], 0)  # type: ignore[union-attr]
        await self._twins.settle(lambda: self._twins.chip.lamps(pin) == wanted)
        lit = self._twins.chip.lamps(pin)
        assert lit == wanted, f"the lamps are {lit:#b}"

    async def _expect_left(self, words: list[str]) -> None:
        await self._twins.settle(lambda: self._twins.chip.in_bootloader)
        assert self._twins.chip.in_bootloader

    def _check(self, twin: int, sent: Message, words: list[str]) -> None:
        name, *values = words
        fields = sent._fields if values else ()
        report = f"{_NAMES[twin]} has sent {sent}"
        assert type(sent).__name__ == name, report
        for field_, word in zip(fields, values, strict=True):
            if word != "*":
                most = self._twins.least_us if field_ == "elapsed_us" else 0
                difference = getattr(sent, field_) - self._value(name, field_, word)
                assert 0 <= difference <= most, report

    # Values

    def _value(self, message: str, field_: str, word: str) -> Any:
        if word in self._twins.names:
            return self._twins.number(word)
        if word in ("NONE", "ALL"):
            return NONE
        names = _OF_FIELD.get((message, field_))
        if names is not None and word in names.__members__:
            return names[word]
        if field_ == "nonce":
            return word.encode()
        return int(word, 0)


_NAMES = ("the virtual board", "the firmware")


def script_of(entry: dict[str, Any]) -> Script:
    """Return the script in an entry of a YAML file. Raises TypeError for an unknown key."""
    return replace(Script(entry["scenario"], entry["steps"]), **entry)
