"""Lift of a head: the wheel lifts tiles past the counter S1; includes the cures of its faults.

The board counts the tiles and stops the wheel at the last edge. The cures (`Loosening`) reverse
motors to loosen a stuck tile, turn a tile over, or send it back. A cure is skipped if its motor
cannot run backwards; the next cure is then an assist.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from config.schema import HeadModule, HeadsModule, MotorChannel
from controller.run.faults.failures import Fault, TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.planning.least_times import PASSING, proving_wait
from controller.run.run_together import run_together
from controller.run.stations.head_push import HandOver
from controller.run.stations.standstill import Standstill
from controller.run.stations.switched import FULL, missing
from controller.run.stations.tile_counter import Load, TileCounter, longest_wait, wait_parts
from firmware_bridge.board import Edges, Elapsed, Reason
from firmware_bridge.boards.devices import Devices, Motor, Sensor


class HeadLift:
    """The wheel and the counter of one head; its cures also reverse `drum`.

    `pass_seconds` is the time in which the longest tile passes the counter, if tiles have to pass
    it one by one; a wait for it is then as short as possible.
    """

    def __init__(
        self,
        part: str,
        head: HeadModule,
        heads: HeadsModule,
        devices: Devices,
        fault_handler: FaultHandler,
        below: Standstill,
        hand_over: HandOver,
        drum: Motor | None = None,
        pass_seconds: float = 0.0,
    ) -> None:
        self.part = part
        self.head = head
        self.sensor = head.counter
        self._pass_seconds = pass_seconds
        self._heads = heads
        self._fault_handler = fault_handler
        self._below = below
        self._hand_over = hand_over
        self._wheel = devices.motor(head.wheel)
        self._counter = devices.sensor(head.counter)
        self._face: Sensor | None = devices.sensor(head.face) if head.face else None
        self._loosening = Loosening(head, devices, below, drum)
        self._load = Load()
        self.tile_counter = TileCounter(self._counter)
        """The tiles that have passed the counter."""
        self._due = 0
        """Tiles that have still to pass the counter."""
        self._surplus = 0
        """Tiles that passed the counter beyond those that were due."""
        self._unwatched = False
        """Whether the last drive ended before its last tile, so that tiles can pass uncounted."""
        self._blocked = False
        """Whether a tile stuck at the counter at the last reading."""

    def begin(self, load: Load | None, tile_counter: TileCounter | None, *, resumed: bool) -> None:
        """Begin a build, or resume the build of an interrupted run."""
        self._load, self._due = load or Load(), 0
        self.tile_counter, self._unwatched = tile_counter or TileCounter(self._counter), resumed

    async def stop(self) -> None:
        """Stop the wheel."""
        await self._wheel.stop()

    async def lift(self, tiles: int, *, through: bool = False) -> int:
        """Lift tiles past the counter; returns their number. Raises TableFault if they do not come.

        A tile is counted when it reaches the counter, and can stick there. With `through` this
        method waits until the last tile has left the counter, so that the gate of a lane can be
        closed behind the tile. Without `through` the next push detects a stuck tile.
        """
        async with self._hand_over.lifting():
            self._due += tiles
            await self._feed(through=through)
        if self._face is not None:
            await self._look_at_face(self._face, through=through)
        return tiles

    async def clear_belt(self) -> int:
        """Let the tile that an earlier run left on the belt pass; returns the passed tiles, 0 or 1.

        Raises TableFault if it sticks.
        """
        await self._below.wait_moving(PASSING)
        passed = await self._take_unreported()
        self._due += passed
        self._add(passed)
        await self.lift(0, through=True)
        return passed

    async def lifts_another(self) -> bool:
        """Run the wheel for as long as a last tile can take; returns whether one came.

        All heads together prove that the drum is empty (`proving_wait`). Raises TableFault if the
        wheel did not turn for that time: the drum is then not proven to be empty.
        """
        wait = proving_wait(self._heads)
        ended = await self._below.run(self._wheel, FULL, Edges(self.head.counter, 1), wait)
        if ended.count:
            return True
        if ended.reason is not Reason.TIME:
            raise TableFault(Fault.UNPROVEN, "trays", missing(self.head.counter, ended))
        # A tile that the wheel lifted last is still on its way to the counter.
        await self._below.wait_moving(PASSING)
        return await self.tile_counter.uncounted() > 0

    async def forget_edges(self) -> None:
        """Do not count the edges of tiles that a person has taken out after the build."""
        await self.tile_counter.remove(0)

    # Called by the push

    async def is_stuck(self) -> bool:
        """Whether a tile sticks at the counter; a tile that passes within `PASSING` does not."""
        self._blocked = await self._is_blocked()
        if self._blocked:
            self.tile_counter.note_stuck(asked=False)
        return self._blocked

    async def feed_again(self, fault: TableFault) -> None:
        """Lift tiles in place of removed ones, after a person has cleared a fault of the push."""
        await self.cleared(fault)
        await self._feed()

    # Lifting

    async def _feed(self, *, through: bool = False) -> None:
        """Lift all due tiles; retry with cures and prompts. Raises TableFault."""
        turn = partial(self._turn, through=through)
        await self._fault_handler.run(turn, self.loosen, self.cleared, self.at_rest)

    async def _turn(self, *, through: bool) -> None:
        """Try once to lift all due tiles.

        A push that waits for the end of a jam is retried before tiles of the next stack pass.
        """
        if self._hand_over.holds_up_a_push and not await self._is_blocked():
            await self._bring(self._hand_over.owed)
            await self._hand_over.push_first()
        await self._bring(self._due)
        if through:
            await self._wait_until_clear()

    async def _wait_until_clear(self) -> None:
        """Wait until the last counted tile has left the counter. Raises TableFault if it sticks."""
        if self._pass_seconds:
            await self._below.wait_moving(self._pass_seconds)
        self._blocked = await self._is_blocked()
        if self._blocked:
            raise self._jam(f"{self.head.counter} counted its last tile")

    async def _bring(self, due: int) -> None:
        """Run the wheel until this number of tiles has been counted. Raises TableFault.

        The wait is divided into two drives; S1 is read between them, to detect a jam early.
        """
        counted, spent, before = 0, 0.0, self._due
        for wait in wait_parts(longest_wait(self._heads, due, self._load), again=self._blocked):
            if self._unwatched:
                # Wait for a tile on the belt, so that no tile passes between this reading of the
                # count and the next drive.
                await self._below.wait_moving(PASSING)
                counted += await self._take_unreported()
            if counted >= due:
                break
            await self._look_again()
            if spent:
                await self._below.renew()
            goal = Edges(self.head.counter, due - counted)
            ended = await self._below.run(self._wheel, FULL, goal, wait)
            self.tile_counter.add(ended.count)
            counted, spent = counted + ended.count, spent + ended.seconds
            self._unwatched = counted < due
            self._blocked = self._unwatched and await self._is_blocked()
            if self._blocked:
                break
        counted += await self._take_unreported()
        self._blocked = self._blocked and counted < due
        self._add(counted)
        if counted < due or counted > before:
            evidence = f"{self.head.counter} counted {counted} of {due} tiles in {spent:.1f} s"
            raise self._miscounted(counted - due, evidence)

    def _add(self, tiles: int) -> None:
        """Count tiles that have passed the counter as lifted."""
        if not tiles:
            return
        if tiles > self._due:
            self._surplus += tiles - self._due
            self.tile_counter.note_surplus(self._surplus)
        self._due = max(0, self._due - tiles)
        self._hand_over.add(tiles)
        self._load.count(self.part, tiles)
        self.tile_counter.note_free()

    async def _take_unreported(self) -> int:
        """The number of tiles that passed the counter while no drive counted them."""
        return await self.tile_counter.take_unreported() if self._unwatched else 0

    def _miscounted(self, surplus: int, evidence: str) -> TableFault:
        """The fault for missing or surplus tiles, chosen by the sensors and the load."""
        if surplus > 0:
            return TableFault(Fault.EXTRA_TILE, self.part, evidence)
        if self._blocked:
            return self._jam(evidence)
        if self._load.is_full(self._heads) and self._load.is_untouched():
            return TableFault(Fault.STARVED, self.part, f"{evidence}, and no head counts a tile")
        if self._load.is_full(self._heads):
            inside = f"{self._load.left} tiles are still in the drum"
            return TableFault(Fault.JAM, self.part, f"{evidence}, and {inside}")
        if self._load.is_missing(self.part):
            self._load.report_missing()
            sides = ", ".join(map(str, self.head.trays))
            missing = f"missing on side {sides}: {self._load.left}, and no other side waits"
            return TableFault(Fault.MISSING_TILE, self.part, f"{evidence}; {missing}")
        return TableFault(Fault.STARVED, self.part, evidence)

    def _jam(self, evidence: str) -> TableFault:
        """The fault for a tile that sticks at the counter."""
        self._hand_over.jam()
        self.tile_counter.note_stuck(asked=False)
        return TableFault(Fault.JAM, self.part, f"{evidence} and is blocked")

    async def _is_blocked(self) -> bool:
        """Whether a tile stays at the counter for `PASSING` seconds while the belt runs."""
        if not await self._counter.active():
            return False
        await self._below.wait_moving(PASSING)
        return await self._counter.active()

    async def _look_again(self) -> None:
        """Note that no tile sticks at the counter any more, if the stuck tile has passed."""
        if self.tile_counter.sticks and not await self._counter.active():
            self.tile_counter.note_free()

    async def loosen(self, fault: TableFault) -> None:
        """Try to free a stuck tile with the head's motors, before the next attempt."""
        # The note about the stuck tile must be on disk before the tile can move.
        await self.tile_counter.on_disk()
        await self._loosening.loosen(fault)
        await self._look_again()

    @asynccontextmanager
    async def at_rest(self) -> AsyncIterator[None]:
        """Stop all parts below while a person reaches in, and note a stuck tile."""
        async with self._below.held():
            self._add(await self._take_unreported())
            if self._blocked:
                self.tile_counter.note_stuck(asked=True)
            yield

    async def cleared(self, fault: TableFault) -> None:
        """Subtract stuck or surplus tiles that a person has removed to clear a fault."""
        removed = 0
        if fault.fault is Fault.JAM and self._blocked:
            if await self._counter.active():
                return
            self._blocked = False
            self._due += 1
            self._hand_over.owed += 1
            removed = 1
        elif fault.fault is Fault.EXTRA_TILE:
            removed, self._surplus = self._surplus, 0
            self.tile_counter.note_surplus(0)
        self._load.count(self.part, -removed)
        await self.tile_counter.remove(removed)

    async def _look_at_face(self, face: Sensor, *, through: bool = False) -> None:
        """Check that the last tile is face down; turn it over or lift another one if it is not."""

        async def look() -> None:
            if await face.active():
                raise TableFault(Fault.FACE_UP, self.part, f"{face.channel} is active")

        async def pick_again(_: TableFault) -> None:
            if await self._loosening.turn_over():
                return
            if await self._loosening.send_back():
                self._due += 1
                self._load.count(self.part, -1)
                await self.tile_counter.remove(1)
                await self._feed(through=through)

        await self._fault_handler.run(look, pick_again, self.cleared, self.at_rest)


REVERSING = 0.5
"""Time for which a motor runs backwards to loosen a tile, seconds (our choice)."""
TURNING = 0.5
"""Time that a turner takes to turn a tile over, seconds (our choice)."""


class Loosening:
    """The cures of one head, with its motors and the drum."""

    def __init__(
        self, head: HeadModule, devices: Devices, below: Standstill, drum: Motor | None = None
    ) -> None:
        self._devices = devices
        self._below = below
        self._drum = drum
        self._wheel = devices.motor(head.wheel)
        self._belt = devices.motor(head.belt) if head.belt else None
        self._pusher = devices.motor(head.pusher) if head.pusher else None
        self._counter = devices.sensor(head.counter)
        self._turner = devices.motor(head.turner) if head.turner else None

    async def loosen(self, fault: TableFault) -> None:
        """Apply the cures for this fault before the next attempt."""
        match fault.fault:
            case Fault.JAM:
                await self._reverse(self._wheel)
                if not await self._counter.active():
                    await self._stir()
            case Fault.PUSHER if self._pusher is not None:
                await self._reverse(self._pusher)
            case Fault.STARVED | Fault.MISSING_TILE:
                await self._reverse(self._wheel)
                await self._stir()
        await self._below.renew()

    async def turn_over(self) -> bool:
        """Turn the last tile over; returns False if the head has no turner."""
        if self._turner is None or not self._is_motor(self._turner):
            return False
        await self._below.run(self._turner, FULL, Elapsed(), TURNING)
        return True

    async def send_back(self) -> bool:
        """Run the last tile back into the drum; returns False if a motor cannot run backwards."""
        if self._belt is None or not (self._reverses(self._belt) and self._reverses(self._wheel)):
            return False
        stops = (self._belt.stop, self._wheel.stop)
        await run_together(self._reverse(self._belt), self._reverse(self._wheel), stops=stops)
        await self._below.keep_running(self._belt, FULL)
        return True

    async def _reverse(self, motor: Motor) -> None:
        if self._reverses(motor):
            await self._below.run(motor, -FULL, Elapsed(), REVERSING)

    async def _stir(self) -> None:
        """Run the drum backwards for a moment, then forwards again."""
        if self._drum is not None and self._reverses(self._drum):
            await self._below.run(self._drum, -FULL, Elapsed(), REVERSING)
            await self._below.keep_running(self._drum, FULL)

    def _reverses(self, motor: Motor) -> bool:
        channel = self._devices.table.channel(motor.channel)
        return isinstance(channel, MotorChannel) and channel.reverse_pin is not None

    def _is_motor(self, motor: Motor) -> bool:
        return isinstance(self._devices.table.channel(motor.channel), MotorChannel)
