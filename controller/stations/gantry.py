"""The gantry: over, down, grip, up, look, over, down, release, up, look.

The `loaded` sensor in the jaws confirms both ends of a carry; a grip that holds nothing is tried
again before it is a fault.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from config.schema import Gantry, Modules
from controller.faults import Fault, Recovered, TableFault, unheard
from controller.moves import Carry, Grasp, TurnOver
from controller.stations.switched import Switched
from firmware_bridge.board import Ended, Reason
from firmware_bridge.devices import Devices

GRIP_ATTEMPTS = 3


class GantryStation:
    """One gantry with its gripper, turner and reader.

    Heights are metres above the felt: `tile` a tile's, `top` that of the jaws at home.
    """

    def __init__(
        self,
        module: Gantry,
        modules: Modules,
        devices: Devices,
        tile: float,
        top: float,
        recovered: Recovered = unheard,
    ) -> None:
        self._tile_height = tile
        self._recovered = recovered
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
            recovered=recovered,
        )
        self._turn = Switched(
            "gripper turn",
            devices.motor(module.turn),
            module.crossed,
            module.straight,
            module.turn_seconds,
            Fault.GRIPPER,
            recovered=recovered,
        )
        self._turner = (
            Switched(
                "turner",
                devices.motor(module.turner),
                module.turner_over,
                module.turner_home,
                module.turn_seconds,
                Fault.GRIPPER,
                recovered=recovered,
            )
            if module.turner and module.turner_over and module.turner_home
            else None
        )
        self._reader = devices.reader(modules.reader.unit) if modules.reader else None
        self._top = top
        self._pose: tuple[float, bool | None, bool | None] = (0.0, None, None)

    async def home(self) -> None:
        """Up first, then the plane; jaws open, straight, one column wide."""
        await self._height.home()
        await self._plane.home()
        await self._jaws.go_back()
        await self._turn.go_back()
        if self._turner:
            await self._turner.go_back()
        await self._wide.switch(0)
        self._pose = (self._top, False, False)

    async def carry(self, move: Carry) -> None:
        """Take a block and set it down. Raises TableFault with the jaws where they stopped."""
        await self._take(move.source, move.clear)
        await self._reach(move.target, move.clear)
        await self._let_go(move.clear)

    async def turn_over(self, move: TurnOver) -> int | None:
        """Lift one tile, turn it, read its tag if there is a reader, set it back face up."""
        assert self._turner is not None
        await self._take(move.source, move.clear)
        await self._turner.go_forth()
        tag = await self._reader.tag() if self._reader else None
        await self._lower(move.source)
        await self._let_go(move.clear)
        await self._turner.go_back()
        return tag

    async def _take(self, source: Grasp, clear: float) -> None:
        for attempt in range(1, GRIP_ATTEMPTS + 1):
            await self._reach(source, clear)
            await self._jaws.go_forth()
            await self._go_up(clear)
            if await self._loaded.active():
                if attempt > 1:
                    self._recovered(Fault.EMPTY_GRIP, "gripper", attempt)
                return
            await self._jaws.go_back()
        raise TableFault(
            Fault.EMPTY_GRIP,
            "gripper",
            f"{self._loaded.channel} stayed inactive {GRIP_ATTEMPTS} times"
            f" at x {source.spot.x:.3f} m, y {source.spot.y:.3f} m, level {source.level}",
        )

    async def _let_go(self, clear: float) -> None:
        await self._jaws.go_back()
        await self._go_up(clear)
        if await self._loaded.active():
            raise TableFault(Fault.FULL_GRIP, "gripper", f"{self._loaded.channel} is still active")

    async def _reach(self, grasp: Grasp, clear: float) -> None:
        """Up to the clear height, over (turning and opening on the way), down to the level."""
        height, crossed, wide = self._pose
        if height < clear:
            await self._go_up(clear)
        ways: list[Awaitable[object]] = [self._travel(grasp)]
        if crossed is not grasp.spot.crossed:
            ways.append(self._turn.go_forth() if grasp.spot.crossed else self._turn.go_back())
        if wide is not grasp.wide:
            ways.append(self._wide.switch(int(grasp.wide)))
        await asyncio.gather(*ways)
        self._pose = (self._pose[0], grasp.spot.crossed, grasp.wide)
        await self._lower(grasp)

    async def _travel(self, grasp: Grasp) -> None:
        self._arrived(await self._plane.go(grasp.spot.x, grasp.spot.y), "x and y")

    async def _lower(self, grasp: Grasp) -> None:
        await self._go_to_height(grasp.level * self._tile_height)

    async def _go_up(self, clear: float) -> None:
        await self._go_to_height(clear)

    async def _go_to_height(self, height: float) -> None:
        self._arrived(await self._height.go(height), "z")
        self._pose = (height, *self._pose[1:])

    @staticmethod
    def _arrived(ended: Ended, axis: str) -> None:
        if ended.reason is not Reason.DONE:
            raise TableFault(
                Fault.AXIS, "gantry", f"{axis} ended by {ended.reason.name} on the way"
            )
