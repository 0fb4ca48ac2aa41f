"""What happens to a board, told as lines of text; and the board and its firmware living through it.

    Drive head0_wheel 500 EDGES head0_counter 3 2000 0
                        a command: a message's name and its fields, channels and numbers by name
    lost COMMAND        its frame never arrives
    cut COMMAND         the second half of its frame never arrives
    damaged COMMAND     one bit of its frame flips on the way
    again N             the command N before comes (again): 1 is the last one
    raw HEX             bytes, as they are
    session NONCE       Identify with this nonce
    table [FIELD=NUMBER ...]
                        Configure every channel, and Commit; the first motor's fields may be others
    lease N             TakeLease: N milliseconds, 0 to give it back
    pass N              so many milliseconds pass; events are acknowledged
    deaf N              the same, and nobody acknowledges
    on SENSOR, off SENSOR
    rattle SENSOR N     N activations, faster than anything
    draws MOTOR N       the only motor that runs draws so many milliamperes
    supply              it is lost, and comes back
    = REPLY             the last reply is this
    > EVENT             the next event is this
    silence             there is no other event
    pin N LEVEL         the firmware's output pin has this level (0, 1, or - where it is let go)
    lamps N             the firmware's strip shows these lamps, a bit each
    left                the firmware has left for its bootloader

A `*` in what is expected is anything. In the end everything that both have said is compared.
"""

from __future__ import annotations

import asyncio
import enum
import shlex
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.sim import clock
from firmware_bridge.wire.codec import Frame, configuration_crc
from firmware_bridge.wire.messages import (
    NONE,
    PROTOCOL,
    TABLE,
    Commit,
    Configure,
    Identify,
    Kind,
    Message,
    Refusal,
    TakeLease,
    UntilKind,
)
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
    """One story: which board it is about, and its lines.

    `firmware_only` says why the virtual board is not asked: where its decision record says that
    the firmware is different.
    """

    story: str
    steps: str
    board: str = "base"
    begin: bool = True
    """Whether a session, the table and a lease of a minute come before the first line."""
    before_wrap_us: int = 0
    """How long before the wrap of the board's clock it begins; 0 for a clock that begins at 0."""
    tolerance_us: int = 0
    """By how much times may differ, where that is more than the house's tolerance."""
    undebounced: list[str] = field(default_factory=list)
    lamps: int = 0
    repeats: bool = True
    """Whether events have to be repeated alike as well."""
    firmware_only: str = ""

    @property
    def lines(self) -> list[str]:
        """The steps, without what is empty or a remark."""
        stripped = (line.split("#")[0].strip() for line in self.steps.splitlines())
        return [line for line in stripped if line]


def play(library: Path, script: Script) -> None:
    """Let both live through a script; AssertionError where they do not do as it says."""
    clock.run(_play(library, script))


async def _play(library: Path, script: Script) -> None:
    if script.before_wrap_us:
        await clock_at(WRAP_US - script.before_wrap_us)
    twins = Twins(library, "robotic", script.board, script.lamps)
    twins.records = tuple(
        record._replace(debounce_ms=0) if name in script.undebounced else record
        for name, record in zip(twins.names, twins.records, strict=True)
    )
    twins.tolerance_us = max(twins.tolerance_us, script.tolerance_us)
    try:
        await Player(twins, firmware_only=bool(script.firmware_only)).play(script)
    finally:
        twins.close()


async def clock_at(micros: int) -> None:
    """Let the virtual clock be at so many microseconds."""
    await asyncio.sleep(micros / 1e6 - asyncio.get_running_loop().time())


class Player:
    """Reads the lines of a script to the twins."""

    def __init__(self, twins: Twins, firmware_only: bool = False) -> None:
        self._twins = twins
        self._who = (1,) if firmware_only else (0, 1)
        self._frames: list[bytes] = []
        self._received = [0, 0]
        """How many of each one's events have been expected so far."""
        self._verbs: dict[str, Callable[[list[str]], Coroutine[Any, Any, None]]] = {
            "lost": self._lost,
            "cut": self._cut,
            "damaged": self._damaged,
            "again": self._again,
            "raw": self._raw,
            "session": self._session,
            "table": self._table,
            "lease": self._lease,
            "pass": self._pass,
            "deaf": self._deaf,
            "on": self._on,
            "off": self._off,
            "rattle": self._rattle,
            "draws": self._draws,
            "supply": self._supply,
            "=": self._expect_reply,
            ">": self._expect_event,
            "silence": self._expect_silence,
            "pin": self._expect_pin,
            "lamps": self._expect_lamps,
            "left": self._expect_left,
        }

    async def play(self, script: Script) -> None:
        """All of it, and the comparison at its end."""
        if script.begin:
            for line in ("session nonce001", "table", "lease 0", "lease 60000"):
                await self.step(line)
        for number, line in enumerate(script.lines, start=1):
            try:
                await self.step(line)
            except AssertionError as wrong:
                raise AssertionError(f"{script.story}, line {number}: {line}\n{wrong}") from None
        if not script.firmware_only:
            await self._twins.agree(script.repeats)

    async def step(self, line: str) -> None:
        """One line; KeyError or ValueError where it says nothing that is known."""
        verb, *words = shlex.split(line)
        known = self._verbs.get(verb)
        if known is not None:
            await known(words)
        else:
            await self._send(self.message(verb, words))

    def message(self, name: str, words: Iterable[str]) -> Message:
        """A message as a line tells it."""
        kind = MESSAGES[name]
        values = [
            self._value(name, field_, word)
            for field_, word in zip(kind._fields, words, strict=True)
        ]
        return kind(*values)

    # The host's side

    async def _send(self, message: Message) -> None:
        frame = self._twins.frame(message)
        self._frames.append(frame)
        await self._twins.line(frame)

    def _unsent(self, words: list[str]) -> bytes:
        frame = self._twins.frame(self.message(words[0], words[1:]))
        self._frames.append(frame)
        return frame

    async def _lost(self, words: list[str]) -> None:
        self._unsent(words)

    async def _cut(self, words: list[str]) -> None:
        frame = self._unsent(words)
        await self._twins.line(frame[: len(frame) // 2])

    async def _damaged(self, words: list[str]) -> None:
        frame = bytearray(self._unsent(words))
        frame[len(frame) // 2] ^= 0x10 if frame[len(frame) // 2] != 0x10 else 0x20
        await self._twins.line(bytes(frame))

    async def _again(self, words: list[str]) -> None:
        await self._twins.line(b"\0" + self._frames[-int(words[0])])

    async def _raw(self, words: list[str]) -> None:
        await self._twins.line(bytes.fromhex(" ".join(words)))

    async def _session(self, words: list[str]) -> None:
        await self._send(Identify(PROTOCOL, words[0].encode().ljust(8, b"\0")))

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

    # The world's side

    async def _pass(self, words: list[str]) -> None:
        await self._twins.advance(float(words[0]))

    async def _deaf(self, words: list[str]) -> None:
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
        self._twins.lose_supply()

    # What is expected

    async def _expect_reply(self, words: list[str]) -> None:
        for who in self._who:
            self._check(who, self._twins.last_reply(who), words)

    async def _expect_event(self, words: list[str]) -> None:
        for who in self._who:
            told = self._twins.frames_of(who)
            assert self._received[who] < len(told), f"{_NAMES[who]} has told nothing more"
            self._check(who, told[self._received[who]].message, words)
            self._received[who] += 1

    async def _expect_silence(self, words: list[str]) -> None:
        for who in self._who:
            more: list[Frame] = self._twins.frames_of(who)[self._received[who] :]
            assert not more, f"{_NAMES[who]} has told {more[0].message}"

    async def _expect_pin(self, words: list[str]) -> None:
        wanted = -1 if words[1] == "-" else int(words[1])
        level = self._twins.chip.output(int(words[0]))
        assert level == wanted, f"pin {words[0]} is {level}"

    async def _expect_lamps(self, words: list[str]) -> None:
        strip = self._twins.config.channels["lamps"]
        lit = self._twins.chip.lamps(strip.pin)  # type: ignore[union-attr]
        assert lit == int(words[0], 0), f"lit are {lit:#b}"

    async def _expect_left(self, words: list[str]) -> None:
        assert self._twins.chip.left

    def _check(self, who: int, said: Message, words: list[str]) -> None:
        name, *values = words
        fields = said._fields if values else ()
        told = f"{_NAMES[who]} says {said}"
        assert type(said).__name__ == name, told
        for field_, word in zip(fields, values, strict=True):
            if word != "*":
                assert getattr(said, field_) == self._value(name, field_, word), told

    # Words

    def _value(self, message: str, field_: str, word: str) -> Any:
        if word in self._twins.names:
            return self._twins.number(word)
        if word in ("NONE", "ALL"):
            return NONE
        known = _OF_FIELD.get((message, field_))
        if known is not None and word in known.__members__:
            return known[word]
        if field_ == "nonce":
            return word.encode()
        return int(word, 0)


_NAMES = ("the virtual board", "the firmware")


def script_of(told: dict[str, Any]) -> Script:
    """A script as a YAML file tells it; TypeError for a key that nobody reads."""
    return replace(Script(told["story"], told["steps"]), **told)
