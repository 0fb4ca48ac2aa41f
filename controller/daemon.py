"""The daemon: brings a table from off to ready, runs its two activities, stops it safely."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace

from config.schema import GameConfig, Table
from config.staging import Staging, stage
from controller.books import Books, mean
from controller.bounds import under_bound
from controller.deal import Deal
from controller.events import EventLog
from controller.faults import Fault, TableFault
from controller.guided import Guided
from controller.journal import Journal, JournalError
from controller.keys import Key
from controller.lanes import hands_for_lanes
from controller.ledger import Ledger
from controller.stations.rig import Rig
from controller.top import Top
from controller.under import Under
from controller.workplace import Orders, Workplace
from firmware_bridge.board import Board, BoardError, BoardFault, BoardSilent
from firmware_bridge.devices import Devices
from firmware_bridge.guide import Guide
from rules.tiles import Face


@dataclass(frozen=True)
class Traffic:
    """What the links have carried so far."""

    commands: int
    retries: int


class Daemon:
    """One table under control: its boards, what it plays, and its books.

    `face_of` tells a tile's face by its tag, or None; `traffic` counts what the links carried.
    """

    def __init__(
        self,
        table: Table,
        game: GameConfig,
        orders: Orders,
        boards: Mapping[str, Board],
        guide: Guide,
        journal: Journal,
        events: EventLog,
        *,
        face_of: Callable[[int], Face | None],
        traffic: Callable[[], Traffic],
        clock: Callable[[], float],
    ) -> None:
        layout = orders.setup(orders.dealer).layout
        stagings = _stagings(table, orders)
        self.staging = stagings[0]
        self.books = Books(
            Ledger.of(table.sets if layout.count else 1, layout.count), journal, events, clock
        )
        self._table = table
        self._boards = boards
        self._orders = orders
        self._traffic = traffic
        self._rig = Rig(table, game.tile, Devices(table, boards), self.books.recovered)
        self._under = Under(table, self._rig, stagings, self.books)
        self._key = Key(self._rig.lid_key)
        done = self._done_key()
        guided = Guided(guide, self._rig.lamps, done)
        place = Workplace(table, game.tile, self._rig, guided, self.books, orders, face_of)
        self._top = Top(place, self._under, self._key)
        self._listening = {key for key in (self._key, done) if key is not None}

    def _done_key(self) -> Key | None:
        """The key that confirms a guided step; on a small table one key serves for both."""
        if self._table.modules.keys.done == self._table.modules.keys.lid:
            return self._key
        return Key(self._rig.done_key) if self._rig.done_key else None

    @property
    def deal(self) -> Deal | None:
        """The round in play, or the last one."""
        return self._top.deal

    async def run(self, rounds: int, *, until_ready: bool = False) -> None:
        """Play rounds, then stop; with `until_ready` the last one ends when it is ready to play.

        Raises TableFault after everything has been stopped.
        """
        try:
            await self._start()
            await self._both(rounds, until_ready)
        except (TableFault, BoardError, JournalError, ExceptionGroup) as failed:
            fault = _first(failed)
            if fault is None:
                raise
            self.books.fault(fault)
            if self.books.machine.above in ("testing", "homing", "running"):
                self.books.machine.fire("fail")
            raise fault from failed
        finally:
            await _to_its_end(self._stop())

    def summary(self, wall_seconds: float) -> dict[str, object]:
        """The figures of the run, as the last event tells them."""
        books, traffic = self.books, self._traffic()
        return {
            "rounds": books.figures.rounds,
            "virtual_s": round(books.clock(), 3),
            "wall_s": round(wall_seconds, 3),
            "cycle_s": {"under": mean(books.figures.under), "top": mean(books.figures.top)},
            "bound_s": {
                "under": round(under_bound(self._table, self.staging), 3),
                "top": mean(books.figures.top_bound),
            },
            "tiles": {"expected": books.ledger.expected, "accounted": books.ledger.accounted},
            "faults": books.figures.faults,
            "commands": traffic.commands,
            "retries": traffic.retries,
        }

    # From off to running and back

    async def _start(self) -> None:
        machine = self.books.machine
        machine.fire("connect")
        for board in self._boards.values():
            await board.start()
        await self._top.darken()
        machine.fire("home")
        await self._home()
        machine.fire("run")

    async def _home(self) -> None:
        """Every part to its known place, from wherever it was."""
        rig = self._rig
        modules = self._table.modules
        switched = [rig.lid, rig.flipper, *rig.lifts, *rig.lanes]
        parts = [part.motor.channel for part in switched if part]
        if modules.gantry:
            parts.append(modules.gantry.x)
        async with rig.leased(*parts):
            if rig.gantry:
                await rig.gantry.home()
            if rig.lid:
                await rig.lid.go_back()
            for part in (*rig.lifts, *rig.lanes):
                await part.go_back()
            if rig.flipper:
                await rig.flipper.go_back()

    async def _both(self, rounds: int, until_ready: bool) -> None:
        """Both activities side by side, until the rounds are played or one of them fails."""
        async with asyncio.TaskGroup() as activities:
            background = [activities.create_task(self._under.run())]
            background += [
                activities.create_task(self._watch(board)) for board in self._boards.values()
            ]
            await self._play(rounds, until_ready)
            for task in background:
                task.cancel()

    async def _play(self, rounds: int, until_ready: bool) -> None:
        players = self._orders.setup(self._orders.dealer).seating.players
        await self._top.load_first()
        for number in range(rounds):
            await self._top.set_up((self._orders.dealer + number) % players)
            if until_ready and number == rounds - 1:
                self.books.figures.rounds += 1
                return
            await self._top.play_out()

    async def _stop(self) -> None:
        for key in self._listening:
            key.close()
        for board in self._boards.values():
            board.stop_all()
        for board in self._boards.values():
            await board.close()
        self.books.journal.flush()
        if self.books.machine.above in ("testing", "homing", "running"):
            self.books.machine.fire("stop")

    async def _watch(self, board: Board) -> None:
        """A fault that a board latches ends the run. Raises TableFault."""
        async for fault in board.faults:
            raise TableFault(Fault.BOARD, *_told(fault))


def _stagings(table: Table, orders: Orders) -> tuple[Staging, ...]:
    """How a set is staged for each dealer in turn: lanes hold his longer hand before his seat."""
    players = orders.setup(orders.dealer).seating.players
    turns = [replace(orders, dealer=(orders.dealer + turn) % players) for turn in range(players)]
    return tuple(
        stage(turn.setup(turn.dealer).layout, table, hands_for_lanes(table, turn)) for turn in turns
    )


async def _to_its_end(work: Coroutine[object, object, None]) -> None:
    """Do it all, even if somebody presses Ctrl-C once more; that counts afterwards."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def _told(fault: BoardFault) -> tuple[str, str]:
    return f"board {fault.board}", f"{fault.code.name} on {fault.channel or 'the whole board'}"


def _first(failed: BaseException) -> TableFault | None:
    """The fault to name, the first of those that came together; None if it is something else."""
    if isinstance(failed, BaseExceptionGroup):
        found = (_first(error) for error in failed.exceptions)
        return next((fault for fault in found if fault is not None), None)
    if isinstance(failed, TableFault):
        return failed
    if isinstance(failed, JournalError):
        return TableFault(Fault.JOURNAL, "journal", str(failed).rstrip("."))
    if isinstance(failed, BoardError):
        fault = Fault.SILENT if isinstance(failed, BoardSilent) else Fault.REFUSED
        return TableFault(fault, "board", str(failed).rstrip("."))
    return None
