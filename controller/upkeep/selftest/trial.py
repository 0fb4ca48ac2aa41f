"""A trial of the self-test and its result.

A trial checks one channel or unit of the table under test: its boards, its stations and the person
who watches it, who is reached through the protocol `Watcher`. Channels are named by the parts to
which they belong.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol

from config.schema import HeadModule, Table, TileSize
from config.validation.channels import plugs
from controller.run.faults.retry import FaultHandler
from controller.run.stations.rig import Stations
from controller.run.stations.switched import Switched
from firmware_bridge.board import Board
from firmware_bridge.boards.devices import Devices
from rules.errors import WallwrightError


class TrialAnswer(enum.Enum):
    """The person's answer to the question of a trial."""

    YES = "yes"
    NO = "no"
    SKIP = "skip"


class TrialVerdict(enum.Enum):
    """The verdict of a trial."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class DisagreementError(WallwrightError):
    """A sensor did not show the expected state; the text is its evidence, without a full stop."""


@dataclass(frozen=True)
class Trial:
    """One trial. Without a question it is judged by its sensors alone.

    `part` and `what` name the part and what is tried of it; `channels` are the channels involved.
    """

    part: str
    what: str
    channels: tuple[str, ...]
    please: str
    """The announcement to the person before the trial."""
    ordered: str
    """The commands to the table, as text for the report."""
    do: Callable[[], Awaitable[str]]
    """Carries out the trial; returns the evidence.

    Raises DisagreementError, BoardError, TableFault.
    """
    question: str = ""
    moves: tuple[str, ...] = ()
    """The channels whose boards need their lease for the trial."""

    def result(self, seen: str, answer: TrialAnswer | None, verdict: TrialVerdict) -> Result:
        """The trial's result, from the sensors' evidence, the person's answer and the verdict."""
        text = answer.value if answer else ""
        return Result(self.part, self.what, self.channels, self.ordered, seen, text, verdict)


@dataclass(frozen=True)
class Result:
    """The result of one trial; the fields are as in `Trial`, `seen` is the evidence."""

    part: str
    what: str
    channels: tuple[str, ...]
    ordered: str
    seen: str
    answer: str
    verdict: TrialVerdict

    def facts(self) -> dict[str, Any]:
        """The result as JSON values."""
        texts = {
            name: getattr(self, name) for name in ("part", "what", "ordered", "seen", "answer")
        }
        return {**texts, "channels": list(self.channels), "verdict": self.verdict.value}


def named_channels(table: Table) -> Iterator[tuple[str, str, str]]:
    """Every channel that a module names, once: the channel, its part, and its role in the part."""
    seen = set()
    for path, _, channel in plugs(table.modules, ("modules",)):
        if channel not in seen:
            seen.add(channel)
            yield channel, *_part_and_role(tuple(str(each) for each in path[1:]))


def _part_and_role(path: tuple[str, ...]) -> tuple[str, str]:
    """The usual name of a part and the role of a channel in it: ("head 2", "wheel")."""
    match path:
        case ("heads", "ports", number, role):
            return f"head {number}", role
        case ("trays", "sides", number, role):
            return f"lift {number}", role
        case ("lanes", "seats", number, role):
            return f"hand lane {number}", role
        case ("lamps", "walls", number):
            return f"wall {number}", "lamps"
        case (part, number) if number.isdecimal():
            return part, f"sensor {int(number) + 1}"
        case (part,):
            return "table", f"{part} lamp"
        case (part, *_, role):
            return part, role
    raise AssertionError(path)


PATIENCE = 60.0
"""Time limit for a person to cover or free a sensor, seconds."""


class Watcher(Protocol):
    """The person who watches the table during the self-test."""

    async def begin(self, please: str, channels: tuple[str, ...]) -> bool:
        """Announce a trial; returns whether the person agrees to it. No part moves before."""

    async def confirm(self, question: str, channels: tuple[str, ...]) -> TrialAnswer:
        """Ask whether the announced effect was seen on these channels; returns the answer."""

    async def act(self, please: str, sensor: str, active: bool) -> None:
        """Ask the person to make a sensor active or inactive; return without waiting for it."""


async def wait_for_sensor(
    watcher: Watcher, board: Board, please: str, sensor: str, active: bool
) -> None:
    """Ask the person to change a sensor, and wait until the board reports the new level.

    Raises DisagreementError after `PATIENCE`.
    """
    with closing(board.watch(sensor)) as edges:
        await watcher.act(please, sensor, active)
        try:
            async with asyncio.timeout(PATIENCE):
                while bool(await board.read(sensor)) is not active:
                    await anext(edges)
        except TimeoutError:
            level = "active" if active else "inactive"
            late = f"{sensor} did not become {level} in {PATIENCE:.0f} s"
            raise DisagreementError(late) from None


class TableUnderTest:
    """One table during its self-test. `boards` are open, by name."""

    def __init__(
        self, table: Table, tile: TileSize, boards: Mapping[str, Board], watcher: Watcher
    ) -> None:
        self.table = table
        self.boards = boards
        self.watcher = watcher
        self.rig = Stations(table, tile, Devices(table, boards), FaultHandler())

    def board(self, channel: str) -> Board:
        """The board that a channel is wired to."""
        return self.boards[self.table.board_of(channel)]

    def heads(self) -> tuple[HeadModule, ...]:
        """Every head of the drum; empty if the table has none."""
        return self.table.modules.heads.ports if self.table.modules.heads else ()

    def travellers(self) -> list[Switched]:
        """Every part that a motor drives between two switches."""
        rig = self.rig
        gripper = rig.gantry.switched if rig.gantry else ()
        parts = (rig.lid, *rig.lifts, *rig.lanes, rig.flipper, *gripper)
        return [part for part in parts if part is not None]

    def own_sensors(self) -> set[str]:
        """Every sensor that is tried with a moving part instead of by hand."""
        modules = self.table.modules
        found = {switch for part in self.travellers() for switch in (part.forth, part.back)}
        found |= {relay.contact for relay in modules.relay if relay.contact}
        found |= {head.vane for head in self.heads() if head.vane}
        if modules.chain:
            found |= {modules.chain.zero, modules.chain.corner}
        if modules.magazine:
            found |= {modules.magazine.home, modules.magazine.vane, modules.magazine.withdrawn}
        return found

    async def ask(self, please: str, sensor: str, active: bool) -> None:
        """Ask the person to change a sensor and wait for it. Raises DisagreementError."""
        await wait_for_sensor(self.watcher, self.board(sensor), please, sensor, active)
