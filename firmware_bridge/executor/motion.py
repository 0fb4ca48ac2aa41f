"""Axis motion of a virtual board: trapezoids begun together, ramps when stopped, homing.

A homing axis runs slowly to its switch and sets that position as its home. The switch must
become active within its debounce time after the arrival, or the homing ends by TIME.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from config.schema.channels import HOMING_SPEED, LONGEST_MOTION
from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.executor.channels import (
    Axis,
    BoardSensor,
    Core,
    ImpossibleOrderError,
    OrderRefusedError,
    Travel,
)
from firmware_bridge.executor.trapezoid import Profile, Ramp, Trapezoid
from firmware_bridge.wire.codes import Refusal

_HOMING_PERMILLE = round(HOMING_SPEED * 1000)
_GRACE = 0.05
_EXACT = 1e-6


class AxesMotion:
    """All of a board's axes, and their travels in progress."""

    def __init__(self, core: Core, axes: Iterable[Axis]) -> None:
        self._core = core
        self._axes = tuple(axes)

    # Commands

    def check_move(self, targets: Mapping[Axis, float], permille: int) -> None:
        """Raise OrderRefusedError if a motion to these positions would take too long."""
        for axis, target in targets.items():
            if self._profile(axis, target, permille).seconds > LONGEST_MOTION:
                first = next(iter(targets))
                raise OrderRefusedError(Refusal.OUT_OF_RANGE, first.number)

    def check_home(self, axis: Axis) -> None:
        """Raise OrderRefusedError if the way to the home switch would take too long.

        The way of an axis that is not homed can be its whole length.
        """
        length = (axis.record.high_um - axis.record.low_um) / 1e6
        way = abs(axis.home - axis.rest) if axis.homed else length
        profile = self._profile(axis, axis.rest + way, _HOMING_PERMILLE)
        at_home = axis.switch is not None and axis.switch.active
        if not at_home and profile.seconds > LONGEST_MOTION:
            raise OrderRefusedError(Refusal.OUT_OF_RANGE, axis.number)

    def move(self, targets: Mapping[Axis, float], permille: int, ticket: int) -> None:
        """Begin to move all axes to these positions, metres; ends when the last one is at rest."""
        travel = self._travel(tuple(targets), ticket)
        for axis, target in targets.items():
            axis.profile = self._profile(axis, target, permille)
            axis.began = travel.began
        for axis in targets:
            if travel.reason is Reason.DONE:
                self._begin(axis)

    def home(self, axis: Axis, ticket: int) -> None:
        travel = self._travel((axis,), ticket)
        travel.homing = True
        axis.homed = False
        if axis.switch is not None and axis.switch.active:
            self._reach_home(axis, axis.home)
            return
        axis.profile = self._profile(axis, axis.home, _HOMING_PERMILLE)
        axis.began = travel.began
        self._begin(axis)

    def stop(self, axis: Axis, reason: Reason, dead: bool = False) -> None:
        """Stop an axis and all axes that began with it: by their ramps, or (`dead`) at once."""
        travel = axis.travel
        if travel is None:
            return
        now = self._core.loop.time()
        if travel.reason is Reason.DONE:
            travel.reason = reason
        for each in travel.axes:
            if each.travel is not travel:
                continue
            since = now - each.began
            if dead or each.profile is None:
                self._come_to_rest(each, each.position(now))
            elif not isinstance(each.profile, Ramp):
                at, velocity = each.profile.position(since), each.profile.velocity(since)
                each.profile = Ramp(at, velocity, each.record.acceleration_um_s2 / 1e6)
                each.began = now
                self._schedule_arrival(each, each.profile)

    def forget_tickets(self) -> None:
        """Let the present motions end without a report, because their session has ended."""
        for axis in self._axes:
            if axis.travel is not None:
                axis.travel.ticket = None

    def release(self, reason: Reason, dead: bool = False) -> None:
        for axis in self._axes:
            self.stop(axis, reason, dead)

    # Switches

    def sensed(self, sensor: BoardSensor) -> None:
        """Process a change of a home switch: it ends a homing, or stops an axis at its limit."""
        if not sensor.active:
            return
        for axis in sensor.homes:
            if axis.travel is None or isinstance(axis.profile, Ramp):
                continue
            if axis.travel.homing:
                self._reach_home(axis, axis.home)
            elif axis.profile is not None and abs(axis.profile.target - axis.home) > _EXACT:
                self._core.latch(FaultCode.LIMIT_SWITCH, axis.number)

    # Helpers

    @staticmethod
    def _profile(axis: Axis, target: float, permille: int) -> Trapezoid:
        speed = axis.record.speed_um_s / 1e6 * permille / 1000
        return Trapezoid(axis.rest, target, speed, axis.record.acceleration_um_s2 / 1e6)

    def _travel(self, axes: tuple[Axis, ...], ticket: int) -> Travel:
        travel = Travel(ticket, axes[0].number, self._core.loop.time(), axes)
        for axis in axes:
            axis.travel = travel
            travel.moving.add(axis.number)
        return travel

    def _begin(self, axis: Axis) -> None:
        profile = axis.profile
        assert profile is not None
        self._schedule_arrival(axis, profile)
        try:
            self._core.wiring.axis_begins(axis.name, axis.rest, profile.target, profile.seconds)
        except ImpossibleOrderError as refusal:
            self._core.impossible(axis.number, str(refusal))

    def _schedule_arrival(self, axis: Axis, profile: Profile) -> None:
        if axis.timer is not None:
            axis.timer.cancel()
        axis.timer = self._core.loop.call_at(axis.began + profile.seconds, self._arrive, axis)

    def _arrive(self, axis: Axis) -> None:
        profile, travel = axis.profile, axis.travel
        assert profile is not None
        assert travel is not None
        if not travel.homing or isinstance(profile, Ramp):
            self._come_to_rest(axis, profile.target)
            return
        axis.timer = None
        axis.rest, axis.profile = profile.target, None
        self._report_rest(axis)
        if axis.travel is travel:
            debounce = axis.switch.record.debounce_ms / 1000 if axis.switch else 0.0
            axis.timer = self._core.loop.call_later(debounce + _GRACE, self._miss_switch, axis)

    def _miss_switch(self, axis: Axis) -> None:
        assert axis.travel is not None
        axis.travel.reason = Reason.TIME
        self._end_travel(axis)

    def _reach_home(self, axis: Axis, position: float) -> None:
        axis.homed = True
        moving = axis.profile is not None
        axis.rest, axis.profile = position, None
        if moving:
            self._report_rest(axis)
        self._end_travel(axis)

    def _come_to_rest(self, axis: Axis, position: float) -> None:
        axis.rest, axis.profile = position, None
        travel = axis.travel
        self._report_rest(axis)
        if axis.travel is travel:
            self._end_travel(axis)

    def _report_rest(self, axis: Axis) -> None:
        try:
            self._core.wiring.axis_ends(axis.name, axis.rest)
        except ImpossibleOrderError as refusal:
            self._core.impossible(axis.number, str(refusal))

    def _end_travel(self, axis: Axis) -> None:
        travel = axis.travel
        if travel is None:
            return
        if axis.timer is not None:
            axis.timer.cancel()
            axis.timer = None
        axis.travel = None
        travel.moving.discard(axis.number)
        if not travel.moving:
            self._core.ended(travel.ticket, travel.channel, travel.reason, 0, travel.began)
