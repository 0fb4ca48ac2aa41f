"""The calibrations of one table, and those that no table can do, each with the reason."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from config.schema import AxisChannel, SensorChannel, Table
from controller.upkeep.selftest.trial import Watcher
from controller.upkeep.service_mode.calibration import (
    Calibration,
    Measured,
    measure_debounce,
    measure_steps,
    travel_times,
)
from controller.upkeep.service_mode.channels import ChannelMonitor
from controller.upkeep.service_mode.mode_status import ServiceModeRefusalError
from controller.upkeep.service_mode.part_homing import BoardLeases, PartHoming
from controller.upkeep.service_mode.questions import BEGIN, TechnicianQuestions
from firmware_bridge.boards.devices import Devices

UNAVAILABLE = (
    Calibration(
        "threshold",
        "",
        "Thresholds of an analogue sensor.",
        unavailable="A board reports the level of such a sensor and not its voltage, so the"
        " thresholds have to be found with a voltmeter.",
    ),
    Calibration(
        "tray_height",
        "",
        "Height of a raised tray.",
        unavailable="No sensor measures the height of a tray; its switches end its travel. Set the"
        " upper switch by hand; the calibration of the travel time then measures the lift.",
    ),
    Calibration(
        "gripper_width",
        "",
        "Width of the gripper's jaws.",
        unavailable="The jaws have two widths, which their mechanics set, and no sensor measures"
        " them. Set the stops of the jaws by hand.",
    ),
)
"""Calibrations that need a sensor that no table has."""


class CalibrationOffers:
    """The calibrations of one table; `step` takes what is done now."""

    def __init__(
        self,
        table: Table,
        devices: Devices,
        homing: PartHoming,
        leases: BoardLeases,
        monitor: ChannelMonitor,
        watcher: Watcher,
        questions: TechnicianQuestions,
        step: Callable[[str], None],
    ) -> None:
        self._devices = devices
        self._homing = homing
        self._leases = leases
        self._monitor = monitor
        self._watcher = watcher
        self._questions = questions
        self._step = step
        found = list(travel_times(table, homing, leases, watcher, step))
        safety = {*table.modules.emergency, *table.modules.curtain}
        switches = {name for part in homing.parts.values() for name in (part.forth, part.back)}
        for board in table.boards.values():
            for name, config in board.channels.items():
                if isinstance(config, AxisChannel) and name in homing.channels:
                    found.append(self._axis(name, config))
                elif isinstance(config, SensorChannel) and name not in safety | switches:
                    found.append(self._sensor(name, config))
        self.every: tuple[Calibration, ...] = (*found, *UNAVAILABLE)

    def find(self, kind: str, target: str) -> Calibration:
        """The calibration of this kind and target. Raises ServiceModeRefusalError."""
        kinds = dict.fromkeys(each.kind for each in self.every)
        if kind not in kinds:
            raise ServiceModeRefusalError(
                "unknown_calibration",
                f"'{kind[:40]}' is not a kind of calibration.",
                f"Name one of: {', '.join(kinds)}.",
            )
        offered = [each for each in self.every if each.kind == kind]
        for each in offered:
            if each.measure is None:
                raise ServiceModeRefusalError("unavailable", each.title, each.unavailable)
            if each.target == target:
                return each
        targets = ", ".join(each.target for each in offered)
        raise ServiceModeRefusalError(
            "unknown_target",
            f"'{target[:60]}' cannot be calibrated by {kind}.",
            f"Name one of: {targets}.",
        )

    # Helpers

    def _axis(self, axis: str, config: AxisChannel) -> Calibration:
        board, moves = self._devices.axes(axis).board, self._homing.channels_of(axis)
        home = partial(self._homing.home, axis, self._step)
        leased = partial(self._leases.held, moves)

        def measure() -> Awaitable[Measured]:
            return measure_steps(
                axis, config, board, home, leased, self._ready, self._millimetres, self._step
            )

        title = f"Step of {axis}: measure a known way with a ruler."
        return Calibration("axis_steps", axis, title, moves, measure)

    def _sensor(self, sensor: str, config: SensorChannel) -> Calibration:
        board = self._devices.sensor(sensor).board

        def measure() -> Awaitable[Measured]:
            return measure_debounce(sensor, config, board, self._monitor, self._watcher, self._step)

        title = f"Debounce time of {sensor}: cover and free it by hand."
        return Calibration("debounce", sensor, title, (), measure)

    async def _ready(self, text: str) -> None:
        await self._questions.ask("begin", text, (BEGIN,))

    async def _millimetres(self, text: str) -> float:
        return float(await self._questions.ask("measure", text, (), "mm"))
