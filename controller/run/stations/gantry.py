"""Station of the gantry: carries blocks and turns tiles with the gripper.

A carry travels over the source, lowers, grips, rises, travels over the target, checks that the
`loaded` sensor in the jaws is active, lowers, releases, rises, and checks that it is inactive.
"""

from __future__ import annotations

from collections.abc import Coroutine
from functools import partial
from typing import Any

from config.schema import GantryModule, Modules
from controller.run.faults.failures import Fault, TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.journal.notes import TagRead, last_of
from controller.run.journal.replay import DiscardingNotebook, Notebook
from controller.run.planning.moves import Carry, Grasp, TurnOver
from controller.run.run_together import run_together
from controller.run.stations.homing import GantryHoming, arrived
from controller.run.stations.switched import Switched
from firmware_bridge.boards.devices import Devices

READINGS = 4
"""Number of times at most that the tag of one tile is read (our choice)."""


class GantryStation:
    """One gantry with its gripper, turner and reader.

    `tile` is the height of a tile and `top` the height of the jaws at home, in metres above the
    felt.
    """

    def __init__(
        self,
        module: GantryModule,
        modules: Modules,
        devices: Devices,
        tile: float,
        top: float,
        fault_handler: FaultHandler,
    ) -> None:
        self._tile_height = tile
        self._fault_handler = fault_handler
        self._homing = GantryHoming(devices.table, module)
        self._plane = devices.axes(module.x, module.y)
        self._height = devices.axes(module.z)
        self._wide = devices.output(module.wide)
        self._loaded = devices.sensor(module.loaded)
        self._jaws = Switched(
            "gripper",
            devices.motor(module.grip),
            module.gripped,
            module.released,
            module.grip_seconds,
            Fault.GRIPPER,
            fault_handler,
        )
        self._turn = Switched(
            "gripper turn",
            devices.motor(module.turn),
            module.crossed,
            module.straight,
            module.turn_seconds,
            Fault.GRIPPER,
            fault_handler,
        )
        self._turner = (
            Switched(
                "turner",
                devices.motor(module.turner),
                module.turner_over,
                module.turner_home,
                module.turn_seconds,
                Fault.GRIPPER,
                fault_handler,
            )
            if module.turner and module.turner_over and module.turner_home
            else None
        )
        self._reader = devices.reader(modules.reader.unit) if modules.reader else None
        self._top = top
        self._pose: tuple[float, bool | None] = (0.0, None)
        """The height of the jaws, and whether they are crossed (None while unknown).

        The width of the jaws is not stored: it is an output, which returns to its safe value when
        the board's lease is released between two rounds.
        """
        self._target = (0.0, 0.0)
        """Position in the plane to which the gantry was last sent, x and y in metres."""

    @property
    def switched(self) -> tuple[Switched, ...]:
        """Jaws, wrist and turner; without those that the table lacks."""
        return tuple(part for part in (self._jaws, self._turn, self._turner) if part is not None)

    async def home(self) -> None:
        """Home z, then x and y; then open the jaws and set them straight and one column wide."""
        await self.find_axes()
        await self._jaws.go_back()
        await self._turn.go_back()
        if self._turner:
            await self._turner.go_back()
        await self._wide.switch(0)
        self._pose = (self._top, False)

    async def find_axes(self) -> None:
        """Home z, then x and y; the jaws are not opened. Raises TableFault HOMING.

        Neither x nor y moves before z is proven to be up, clear of the tiles.
        """
        await self._fault_handler.run(partial(self._homing.find_axes, self._plane.board))
        self._pose = (self._top, *self._pose[1:])

    async def carry(
        self, move: Carry, work: Notebook | None = None, *, doubtful: bool = False
    ) -> None:
        """Take a block and set it down. Raises TableFault; the jaws then stay where they stopped.

        A `doubtful` carry was begun by an interrupted run: a block in the jaws or at its source is
        carried to the target; a block at the target stays there. A block in none of these places
        slipped out of the jaws, and the carry is repeated from the source, where a person puts it.
        The jaws do not close before all notes of `work` are on disk.
        """
        work = work or DiscardingNotebook()
        if not doubtful:
            await self._take(work, move.source, move.clear, move.target)
        elif not await self._find_block(move):
            # The block can lie on other stacks, higher than the planned clearance.
            await self._jaws.go_back()
            await self._take(work, move.source, self._top, move.target)
        await self._release(move.target, move.clear)

    async def turn_over(self, move: TurnOver, work: Notebook | None = None) -> int | None:
        """Lift one tile, turn it, read its tag if there is a reader, and set it down face up.

        Returns the tag, None if there is none. After an interrupted run, the sensors of jaws and
        turner and the notes show how far it came: a tile is turned only once, and the tag is on
        disk before the tile is released.
        """
        assert self._turner is not None
        work = work or DiscardingNotebook()
        read = last_of(work.notes, TagRead)
        if work.doubtful:
            await self._go_up(self._top)
        if read is None:
            if not (work.doubtful and await self._loaded.active()):
                await self._take(work, move.source, move.clear)
            await self._turner.go_forth()
            read = TagRead(await self._read_tag())
            work.record(read)
        if not work.doubtful or await self._loaded.active():
            await (
                self._reach(move.source, move.clear) if work.doubtful else self._lower(move.source)
            )
            await work.on_disk()
            await self._release(move.source, move.clear)
        await self._turner.go_back()
        return read.tag

    async def _read_tag(self) -> int | None:
        """The tag in the jaws that two successive readings gave; None if no two were equal."""
        if self._reader is None:
            return None
        last = await self._reader.tag()
        for _ in range(READINGS - 1):
            tag = await self._reader.tag()
            if tag is not None and tag == last:
                return tag
            last = tag
        return None

    async def _find_block(self, move: Carry) -> bool:
        """Look for the block in the jaws, at its source, and at its target.

        Returns whether the jaws hold it at its target. The jaws travel at their greatest height,
        because the block can already be at its target on the field.
        """
        await self._go_up(self._top)
        held = await self._loaded.active()
        if not held:
            await self._jaws.go_back()
            await self._reach(move.source, self._top)
            await self._jaws.go_forth()
            await self._go_up(self._top)
            held = await self._loaded.active()
        if held:
            await self._reach(move.target, move.clear)
        else:
            await self._jaws.go_back()
            await self._reach(move.target, self._top)
            await self._jaws.go_forth()
        return await self._loaded.active()

    async def _take(
        self, work: Notebook, source: Grasp, clear: float, target: Grasp | None = None
    ) -> None:
        """Grip a block, carry it over its target if there is one, and check that it is in the jaws.

        The sensor is read over the target, because a block can slip out of the jaws during travel.
        """
        empty = 0

        async def grip() -> None:
            nonlocal empty
            height = self._top if empty else clear
            await self._reach(source, height)
            await work.on_disk()
            await self._jaws.go_forth()
            await self._go_up(height)
            if target is not None:
                await self._reach(target, height)
            if await self._loaded.active():
                return
            await self._jaws.go_back()
            # A block that slipped out can lie on other stacks, higher than the planned clearance.
            await self._go_up(self._top)
            empty += 1
            raise TableFault(
                Fault.EMPTY_GRIP,
                "gripper",
                f"{self._loaded.channel} stayed inactive {empty} times"
                f" at x {source.spot.x:.3f} m, y {source.spot.y:.3f} m, level {source.level}",
            )

        await self._fault_handler.run(grip)

    async def _release(self, target: Grasp, clear: float) -> None:
        """Open the jaws, rise, and check that they are empty. Raises TableFault."""

        async def open_jaws() -> None:
            await self._jaws.go_back()
            await self._go_up(clear)
            if await self._loaded.active():
                evidence = f"{self._loaded.channel} is still active"
                raise TableFault(Fault.FULL_GRIP, "gripper", evidence)

        async def shake_off(_: TableFault) -> None:
            await self._lower(target)
            await self._jaws.go_forth()

        await self._fault_handler.run(open_jaws, shake_off)

    async def _reach(self, grasp: Grasp, clear: float) -> None:
        """Rise to the clear height, travel (turning and setting the width), lower to the level."""
        height, crossed = self._pose
        if height < clear:
            await self._go_up(clear)
        ways: list[Coroutine[Any, Any, object]] = [self._travel(grasp)]
        if crossed is not grasp.spot.crossed:
            ways.append(self._turn.go_forth() if grasp.spot.crossed else self._turn.go_back())
        ways.append(self._wide.switch(int(grasp.wide)))
        await run_together(*ways, stops=(self._plane.stop, self._turn.stop))
        self._pose = (self._pose[0], grasp.spot.crossed)
        await self._lower(grasp)

    async def _travel(self, grasp: Grasp) -> None:
        self._target = (grasp.spot.x, grasp.spot.y)
        await self._fault_handler.run(self._go_to_target, cleared=self._home_again)

    async def _lower(self, grasp: Grasp) -> None:
        await self._go_to_height(grasp.level * self._tile_height)

    async def _go_up(self, clear: float) -> None:
        await self._go_to_height(clear)

    async def _go_to_height(self, height: float) -> None:
        async def go() -> None:
            arrived(await self._height.go(height), "z")
            self._pose = (height, *self._pose[1:])

        async def return_to_target(fault: TableFault) -> None:
            await self._home_again(fault)
            await self._go_to_target()

        await self._fault_handler.run(go, cleared=return_to_target)

    async def _go_to_target(self) -> None:
        arrived(await self._plane.go(*self._target), "x and y")

    async def _home_again(self, _: TableFault) -> None:
        """Home all axes after a stopped move, because positions and step counts may differ."""
        await self.find_axes()
