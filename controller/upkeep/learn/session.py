"""The order of learning: the motors one at a time, then the sensors that a hand actuates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import closing

from config.schema import MotorChannel, SensorChannel, Table
from config.wire_list import WireList
from controller.upkeep.learn.probe import (
    MOVE,
    NO,
    NOTHING,
    UNSURE,
    YES,
    Evidence,
    LearnPerson,
    LearnQuestion,
    Prober,
    QuestionKind,
    SafetyStopError,
)
from controller.upkeep.learn.proposal import (
    Findings,
    MotorFinding,
    Role,
    SensorFinding,
    motor_roles,
    sensor_roles,
)
from firmware_bridge.board import Board

PATIENCE = 60.0
"""Time limit for a person to actuate a sensor, seconds."""
SETTLING = 3.0
"""Time after the last edge of a sensor after which it counts as released, seconds."""
MOST_ROUNDS = 50
"""Rounds after which the session ends even if the person wants another one."""


class LearnSession:
    """Learns the wires of a table like `model`. `boards` are open; `save` keeps the findings."""

    def __init__(
        self,
        wires: WireList,
        model: Table,
        boards: Mapping[str, Board],
        person: LearnPerson,
        findings: Findings,
        save: Callable[[Findings], None],
        longest: float = 6.0,
    ) -> None:
        self._wires = wires
        self._person = person
        self._boards = boards
        self.findings = findings
        self._save = save
        self._longest = longest
        self._prober = Prober(wires, model, boards, person, longest)
        self._motor_roles, self._sensor_roles = motor_roles(model), sensor_roles(model)
        self._configs = {
            name: config
            for board in wires.boards.values()
            for name, config in board.channels.items()
        }
        self._take_known()

    @property
    def missing(self) -> tuple[str, ...]:
        """The motors and sensors of the model table for which no wire is known."""
        return (*self._open(self._motor_roles), *self._open(self._sensor_roles))

    @property
    def spare(self) -> tuple[str, ...]:
        """The motor and sensor wires whose function is not known."""
        safety = {*self._wires.emergency, *self._wires.curtain}
        return tuple(
            wire
            for wire, config in self._configs.items()
            if isinstance(config, MotorChannel | SensorChannel)
            and wire not in self.findings.wires | safety
        )

    async def run(self) -> None:
        """Learn until every role has a wire, or the person ends it. Stops all motion at the end."""
        try:
            for _ in range(MOST_ROUNDS):
                await self._learn_motors()
                await self._learn_sensors()
                if not self.missing or not await self._wants_more():
                    return
        finally:
            for board in self._boards.values():
                board.stop_all()

    async def _wants_more(self) -> bool:
        left = ", ".join(self.missing)
        text = f"No wire is known yet for {left}. Try the remaining wires again?"
        answer = await self._person.choose(LearnQuestion(QuestionKind.AGAIN, text, (YES, NO)))
        return answer == YES

    # Motors

    async def _learn_motors(self) -> None:
        for wire in self.spare:
            config = self._configs[wire]
            if isinstance(config, MotorChannel) and self._open(self._motor_roles):
                try:
                    await self._learn_motor(wire, config.reverse_pin is not None)
                except SafetyStopError as stopped:
                    self._person.report(str(stopped))

    async def _learn_motor(self, wire: str, reverses: bool) -> None:
        tries = await self._try(wire, reverses)
        if tries is None:
            return
        role = await self._name(wire, reverses, tries)
        if role is None:
            return
        found = MotorFinding(wire, edges=_edges(tries))
        if role.travels:
            if not await self._learn_travel(role, found, tries):
                return
        elif role.reverses and not await self._learn_direction(role, found):
            return
        self.findings.motors[role.channel] = found
        self._save(self.findings)
        self._person.report(f"{wire} is {role.label}" + (", reversed" if found.swapped else ""))

    async def _try(self, wire: str, reverses: bool) -> dict[int, Evidence] | None:
        """Run a motor forward, then in reverse; once more forward if it began at that end."""
        tries: dict[int, Evidence] = {}
        for way in (1, -1, 1) if reverses else (1,):
            if way in tries and (tries[1].reached or not tries[-1].reached):
                break
            if not await self._allowed(wire, way):
                return None
            tries[way] = await self._prober.run(wire, way)
        return tries

    async def _allowed(self, wire: str, way: int, what: str = "") -> bool:
        direction = "forward" if way > 0 else "in reverse"
        what = what or f"in short pulses, together at most {self._longest:g} s"
        return await self._person.allow(
            f"{wire} runs {direction} {what}. Keep your hands away, watch which part moves, and"
            f" keep one hand at the emergency stop. Type '{MOVE}'.",
            MOVE,
            wire,
        )

    async def _name(self, wire: str, reverses: bool, tries: Mapping[int, Evidence]) -> Role | None:
        """Ask which part moved. With a switch at each end, only parts with switches fit."""
        ends = _ends(tries)
        fitting = [
            role
            for role in self._open(self._motor_roles).values()
            if role.reverses == reverses and (role.far or role.near or ends is None)
        ]
        if not fitting:
            self._person.report(f"{wire}: no part of the table is left that moves like this")
            return None
        seen = f"{ends[0]} and {ends[1]} answered at its ends" if ends else "no pair of switches"
        text = f"Which part did {wire} move ({seen})?"
        answers = (*(role.channel for role in fitting), NOTHING, UNSURE)
        answer = await self._person.choose(LearnQuestion(QuestionKind.MOVED, text, answers, wire))
        return next((role for role in fitting if role.channel == answer), None)

    async def _learn_travel(
        self, role: Role, found: MotorFinding, tries: Mapping[int, Evidence]
    ) -> bool:
        """Find out which switch is at the far end, and measure the way from end to end."""
        ends = _ends(tries)
        if ends is None:
            self._person.report(f"{found.wire}: no switch answered at the ends of {role.label}")
            return False
        forward, reverse = ends
        if taken := {forward, reverse} & self.findings.wires:
            self._person.report(f"{', '.join(taken)} is known as another sensor already")
            return False
        if not await self._allowed(found.wire, 1, f"to {forward}"):
            return False
        await self._prober.travel(found.wire, 1, forward, self._longest)
        text = f"Is {role.label} at its far end now, that is: open, up or presented?"
        answers = (YES, NO, UNSURE)
        answer = await self._person.choose(
            LearnQuestion(QuestionKind.AT_FAR_END, text, answers, found.wire, role.channel)
        )
        if answer not in (YES, NO):
            return False
        found.swapped = answer == NO
        far, near = (forward, reverse) if answer == YES else (reverse, forward)
        if not await self._allowed(found.wire, -1, f"to {reverse}"):
            return False
        seconds = await self._prober.travel(found.wire, -1, reverse, self._longest)
        if seconds is None:
            self._person.report(f"{found.wire} did not reach {reverse} in {self._longest:g} s")
            return False
        found.seconds = round(seconds, 2)
        for channel, wire in ((role.far, far), (role.near, near)):
            self.findings.sensors[channel] = SensorFinding(wire, by=found.wire)
        return True

    async def _learn_direction(self, role: Role, found: MotorFinding) -> bool:
        """Ask which direction is forward.

        A chain runs in a ring and passes its switch in both directions, so no sensor shows it.
        """
        if not await self._allowed(found.wire, 1):
            return False
        await self._prober.run(found.wire, 1)
        text = f"Did {role.label} run in its working direction (tiles out, mixing, onwards)?"
        answer = await self._person.choose(
            LearnQuestion(
                QuestionKind.WORKS_FORWARD, text, (YES, NO, UNSURE), found.wire, role.channel
            )
        )
        if answer not in (YES, NO):
            return False
        found.swapped = answer == NO
        return True

    # Sensors

    async def _learn_sensors(self) -> None:
        ends = {
            end for role in self._open(self._motor_roles).values() for end in _switches_of(role)
        }
        for role in self._open(self._sensor_roles).values():
            if role.channel in ends:
                continue  # found by motion, together with its motor
            wires = [w for w in self.spare if isinstance(self._configs[w], SensorChannel)]
            if not wires:
                return
            changed = await self._actuated(role, wires)
            if len(changed) != 1:
                seen = ", ".join(changed) or "no wire"
                self._person.report(f"{role.label}: {seen} answered; it is tried again later")
                continue
            wire = changed[0]
            # It is released now, so a sensor that is still active has the wrong polarity.
            inverted = bool(await self._prober.board_of(wire).read(wire))
            self.findings.sensors[role.channel] = SensorFinding(wire, inverted=inverted)
            self._save(self.findings)
            self._person.report(f"{wire} is {role.label}" + (", inverted" if inverted else ""))

    async def _actuated(self, role: Role, wires: list[str]) -> list[str]:
        """Ask the person to actuate a sensor, and return the wires that have changed."""
        seen: dict[str, None] = {}
        arrived = asyncio.Event()

        async def watch(board: Board, own: list[str]) -> None:
            with closing(board.watch(*own)) as edges:
                async for edge in edges:
                    seen[edge.sensor] = None
                    arrived.set()

        watchers = []
        for name, board in self._boards.items():
            own = [wire for wire in wires if wire in self._wires.boards[name].channels]
            if own:
                watchers.append(asyncio.ensure_future(watch(board, own)))
        await asyncio.sleep(0)
        try:
            await self._person.act(
                f"Actuate {role.label} by hand, and release it: press the switch, or hold a tile or"
                " a magnet before the sensor. If its part stands at it, move the part away first.",
                role.channel,
            )
            async with asyncio.timeout(PATIENCE):
                await arrived.wait()
            while arrived.is_set():
                arrived.clear()
                await asyncio.sleep(SETTLING)
        except TimeoutError:
            return []
        finally:
            for watcher in watchers:
                watcher.cancel()
            await asyncio.gather(*watchers, return_exceptions=True)
        return list(seen)

    # Helpers

    def _open(self, roles: Mapping[str, Role]) -> dict[str, Role]:
        found = {*self.findings.motors, *self.findings.sensors}
        return {channel: role for channel, role in roles.items() if channel not in found}

    def _take_known(self) -> None:
        """Wires that have the name of a motor or sensor of the model table are known already."""
        for name, config in self._configs.items():
            if name in self._motor_roles and isinstance(config, MotorChannel):
                self.findings.motors.setdefault(name, MotorFinding(name))
            if name in self._sensor_roles and isinstance(config, SensorChannel):
                self.findings.sensors.setdefault(name, SensorFinding(name, by="name"))


def _switches_of(role: Role) -> tuple[str, ...]:
    """The sensors that motion finds together with a motor."""
    return (role.far, role.near) if role.travels else ()


def _alone(tries: Mapping[int, Evidence], way: int) -> str:
    """The only sensor that was reached in one direction and not in the other one, or ''."""
    if way not in tries:
        return ""
    other = tries[-way].reached if -way in tries else ()
    own = [wire for wire in tries[way].reached if wire not in other]
    return own[0] if len(own) == 1 else ""


def _ends(tries: Mapping[int, Evidence]) -> tuple[str, str] | None:
    """The switch at the end of each direction, forward first; None if they are not clear."""
    forward, reverse = _alone(tries, 1), _alone(tries, -1)
    if not forward or not reverse or set(tries[1].reached) & set(tries[-1].reached):
        return None
    return forward, reverse


def _edges(tries: Mapping[int, Evidence]) -> dict[str, int]:
    total: dict[str, int] = {}
    for evidence in tries.values():
        for wire, count in evidence.edges.items():
            total[wire] = total.get(wire, 0) + count
    return total
