"""Jogging: one motor or axis moves while a technician holds a button.

The client renews the jog while the button is held. If no renewal arrives for `RENEWAL` seconds, the
motor is stopped: a released button, a closed page and a lost connection all have this effect. A
jog that has ended, for whatever reason, is not resumed by renewals that arrive later: the
technician has to release the button and press it again.

The board itself ends the motion at limit switches, at the motor's maximum on-time, at the limit of
an axis, by the emergency stop and by the light curtain. If the host hangs, the board's lease
expires and every output goes to its safe value.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from config.schema import AxisChannel, Channel, MotorChannel, Table
from controller.run.faults.failures import TableFault
from controller.upkeep.service_mode.activities import Report
from controller.upkeep.service_mode.channels import ChannelMonitor, known_channel
from controller.upkeep.service_mode.mode_status import (
    ChannelStatus,
    JogStatus,
    ServiceModeRefusalError,
)
from controller.upkeep.service_mode.part_homing import BoardLeases
from firmware_bridge.board import Board, Elapsed, Ended, Reason
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.errors import BoardError, BoardRefusedError

KEPT = 64
"""Number of ended presses that are remembered; far more than one technician makes in a minute."""


@dataclass(frozen=True)
class Press:
    """One press of a jog button by one client; `number` differs from press to press.

    An empty number is that of a client which does not number its presses.
    """

    client: str
    name: str
    number: str = ""


class EndedPresses:
    """The latest presses that have ended, per motion (a channel and a direction).

    A press with a number never counts as a new press again. A press without a number does, if the
    client has been silent for `renewal` seconds of the event loop's clock, or has released.
    """

    def __init__(self, renewal: float) -> None:
        self._renewal = renewal
        self._until: dict[tuple[str, str, str], float] = {}
        """By client, number and motion: when the press is forgotten. An empty motion is any."""

    def add(self, press: Press, motion: str) -> None:
        """Add a press whose motion has ended while its button was held, as far as is known."""
        self._add(press.client, press.number, motion)

    def release(self, client: str, number: str) -> None:
        """Note that a button has been released, perhaps before its first renewal arrives."""
        if number:
            self._add(client, number, "")
            return
        for key in [key for key in self._until if key[:2] == (client, "")]:
            del self._until[key]

    def includes(self, press: Press, motion: str) -> bool:
        """Whether this renewal belongs to a press that has ended."""
        for known in (motion, ""):
            key = (press.client, press.number, known)
            if _now() < self._until.get(key, -math.inf):
                self._add(*key)
                return True
        return False

    def _add(self, client: str, number: str, motion: str) -> None:
        """Remember a press as the latest one, and forget the oldest."""
        self._until.pop((client, number, motion), None)
        self._until[client, number, motion] = math.inf if number else _now() + self._renewal
        while len(self._until) > KEPT:
            del self._until[next(iter(self._until))]


def _now() -> float:
    return asyncio.get_running_loop().time()


RENEWAL = 0.3
"""Real seconds after the last renewal at which a jog is stopped."""
LONGEST = 60.0
"""Seconds after which a jog ends in any case (our choice)."""
ANSWER = 0.05
"""Seconds that the first command of a jog waits for a refusal; a later one becomes a finding."""
Direction = Literal["forward", "reverse"]


@dataclass(eq=False)
class _Jog:
    """A jog in progress."""

    status: JogStatus
    press: Press
    config: Channel
    released: str = ""
    """Why the motion was stopped ("not renewed", "stopped" or "changed"); empty while held."""
    refusal: ServiceModeRefusalError | None = None
    is_answered: bool = False
    """Whether the first command has been answered, so that a refusal is reported as a finding."""
    timer: asyncio.TimerHandle | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def motion(self) -> str:
        """The channel and the direction."""
        return f"{self.status.channel} {self.status.direction}"

    def is_held(self, channel: str, direction: Direction, speed: int, press: Press) -> bool:
        """Whether this motion is in progress, for this press."""
        status = self.status
        return not self.released and (channel, direction, speed, press) == (
            status.channel,
            status.direction,
            status.speed,
            self.press,
        )


class Jogging:
    """The jogs of one table, one at a time.

    `facts` are the facts of every channel; `report` takes findings, `changed` is called at changes.
    `pace` is the number of seconds of the event loop's clock in a real second, in which clients
    renew: above 1 for a simulated table that runs faster than real time.
    """

    def __init__(
        self,
        table: Table,
        boards: Mapping[str, Board],
        leases: BoardLeases,
        monitor: ChannelMonitor,
        facts: Mapping[str, ChannelStatus],
        clock: Callable[[], float],
        report: Report,
        changed: Callable[[], None],
        pace: float = 1.0,
    ) -> None:
        self._renewal = RENEWAL * pace
        self._table = table
        self._boards = boards
        self._leases = leases
        self._monitor = monitor
        self._facts = facts
        self._clock = clock
        self._report = report
        self._changed = changed
        self._jog: _Jog | None = None
        self._ended = EndedPresses(self._renewal)
        self.moved: set[str] = set()
        """The motors and axes that have been jogged."""

    @property
    def status(self) -> JogStatus | None:
        """The jog in progress, or None."""
        return self._jog.status if self._jog is not None else None

    async def renew(self, channel: str, direction: Direction, speed: int, press: Press) -> None:
        """Begin a jog, or renew it; another direction or speed begins a new one.

        Raises ServiceModeRefusalError.
        """
        config = known_channel(self._table, channel)
        while True:
            jog = self._jog
            if jog is not None and jog.press.client != press.client:
                raise ServiceModeRefusalError(
                    "jog_in_use",
                    f"{jog.status.name} is jogging {jog.status.channel}.",
                    "Wait until the button is released there.",
                )
            self._check(channel, config, direction, speed)
            if jog is not None and jog.is_held(channel, direction, speed, press):
                self._hold(jog)
                return
            if self._ended.includes(press, f"{channel} {direction}"):
                raise ServiceModeRefusalError(
                    "jog_ended",
                    f"The jog of {channel} has ended.",
                    "Release the button, then press it again.",
                )
            if jog is None:
                await self._begin(channel, config, direction, speed, press)
                return
            if press.number != jog.press.number:
                self._ended.add(jog.press, jog.motion)
            # While the jog before ends, its press can end or another jog can begin: look again.
            await self._stop(jog, "changed")

    async def stop(self, client: str | None = None, number: str = "") -> None:
        """Stop the jog and wait until the motor stands. None stops the jog of any client.

        With the number of a press, only the jog of this press is stopped, and none of its renewals
        that are still on their way begins one.
        """
        if client is not None:
            self._ended.release(client, number)
        jog = self._jog
        if jog is None or client not in (None, jog.press.client):
            return
        if not number or number == jog.press.number:
            await self._stop(jog, "stopped")

    # Helpers

    async def _stop(self, jog: _Jog, why: str) -> None:
        """Stop the motion and wait until it has ended."""
        self._release(jog, why)
        assert jog.task is not None
        await asyncio.wait({jog.task})

    def _check(self, channel: str, config: Channel, direction: Direction, speed: int) -> None:
        """Raise ServiceModeRefusalError for a motion that the configuration excludes."""
        facts = self._facts[channel]
        if not facts.jog:
            raise ServiceModeRefusalError(
                "not_a_motor",
                f"{channel} cannot be jogged, because its kind is {config.kind}.",
                "Name a motor or an axis.",
            )
        if direction not in facts.jog:
            raise ServiceModeRefusalError(
                "no_reverse",
                f"{channel} runs forward only, because it has no reverse pin.",
                "Jog it forward.",
            )
        if not facts.least_speed <= speed <= facts.most_speed:
            allowed = (
                f"{facts.least_speed} to {facts.most_speed}"
                if facts.least_speed < facts.most_speed
                else f"{facts.most_speed} only"
            )
            raise ServiceModeRefusalError(
                "speed_out_of_range",
                f"The speed of {channel} is {allowed} permille; got {speed}.",
                "Choose another speed.",
            )
        gantry = self._table.modules.gantry
        if gantry is not None and channel in (gantry.x, gantry.y):
            height = self._table.channel(gantry.z)
            assert isinstance(height, AxisChannel)
            if not self._monitor.value(height.home_switch):
                raise ServiceModeRefusalError(
                    "arm_is_low",
                    f"{channel} can only be jogged while {gantry.z} is up at {height.home_switch}.",
                    f"Jog {gantry.z} up, or home the gantry.",
                )

    async def _begin(
        self,
        channel: str,
        config: Channel,
        direction: Direction,
        speed: int,
        press: Press,
    ) -> None:
        status = JogStatus(
            channel=channel,
            direction=direction,
            speed=speed,
            client=press.client,
            name=press.name,
            since=round(self._clock(), 3),
        )
        jog = self._jog = _Jog(status, press, config)
        self._hold(jog)
        self.moved.add(channel)
        self._changed()
        jog.task = asyncio.create_task(self._run(jog))
        await asyncio.wait({jog.task}, timeout=ANSWER)
        if jog.refusal is not None:
            raise jog.refusal
        jog.is_answered = True

    def _hold(self, jog: _Jog) -> None:
        """Set the time at which the jog ends unless it is renewed."""
        if jog.timer is not None:
            jog.timer.cancel()
        loop = asyncio.get_running_loop()
        jog.timer = loop.call_later(self._renewal, self._release, jog, "not renewed")

    def _release(self, jog: _Jog, why: str) -> None:
        """Stop the motor in this instant."""
        if not jog.released:
            jog.released = why
            if why == "not renewed":
                self._ended.add(jog.press, jog.motion)
            self._leases.stop([self._facts[jog.status.channel].board])

    async def _run(self, jog: _Jog) -> None:
        """Move until the motion ends; then release the lease and report the end."""
        channel = jog.status.channel
        try:
            async with self._leases.held([channel]):
                if not jog.released:
                    self._monitor.look_at([channel])
                    self._conclude(jog, await self._move(jog))
        except BoardRefusedError as error:
            jog.refusal = _refusal(channel, error)
            if jog.is_answered:
                self._report(str(jog.refusal), "warning")
        except (BoardError, TableFault) as error:
            if not jog.released:
                self._report(str(error), "fault")
        finally:
            if jog.timer is not None:
                jog.timer.cancel()
            self._monitor.look_at()
            if self._jog is jog:
                self._jog = None
            if jog.released != "changed" and (jog.press.number or jog.released != "stopped"):
                self._ended.add(jog.press, jog.motion)
            self._changed()
        await self._monitor.refresh(channel)

    async def _move(self, jog: _Jog) -> Ended:
        """Order the motion; the board ends it at the latest at the limit of motor or axis."""
        channel, config, forward = jog.status.channel, jog.config, jog.status.direction == "forward"
        board = self._boards[self._facts[channel].board]
        if isinstance(config, AxisChannel):
            target = config.high if forward else config.low
            return await board.move({channel: target}, jog.status.speed)
        assert isinstance(config, MotorChannel)
        value = jog.status.speed if forward else -jog.status.speed
        return await board.drive(channel, value, Elapsed(), min(config.max_on, LONGEST))

    def _conclude(self, jog: _Jog, ended: Ended) -> None:
        """Report how a jog ended, if not by the technician."""
        channel, config = jog.status.channel, jog.config
        match ended.reason:
            case Reason.STOPPED if jog.released == "not renewed":
                self._report(
                    f"{channel} was stopped: no renewal arrived for {RENEWAL * 1000:.0f} ms.",
                    "info",
                )
            case Reason.SWITCH:
                self._report(f"{channel} stopped at {_switch(jog)}.", "info")
            case Reason.DONE if isinstance(config, AxisChannel):
                limit = config.high if jog.status.direction == "forward" else config.low
                self._report(f"{channel} is at its limit of {limit * 1000:g} mm.", "info")
            case Reason.TIME:
                self._report(
                    f"{channel} stopped after {ended.seconds:.1f} s, its longest on-time.",
                    "info",
                )
            case Reason.STOPPED:
                pass
            case reason:
                self._report(f"{channel} was stopped by the board: {reason.name}.", "warning")


def _switch(jog: _Jog) -> str:
    """The switch that stops a motor in the direction of the jog."""
    assert isinstance(jog.config, MotorChannel)
    forward = jog.status.direction == "forward"
    return (jog.config.forward_stop if forward else jog.config.reverse_stop) or "its switch"


def _refusal(channel: str, error: BoardRefusedError) -> ServiceModeRefusalError:
    """The refusal of a jog that the board has refused."""
    match error.why:
        case Refusal.NOT_HOMED:
            sentence = f"The position of {channel} is not known."
            return ServiceModeRefusalError("not_homed", sentence, f"Home {channel} first.")
        case Refusal.FAULT_LATCHED:
            return ServiceModeRefusalError(
                "fault_latched",
                f"{channel} does not move, because its board has latched a fault.",
                "Remove the cause of the fault, then clear it.",
            )
    return ServiceModeRefusalError("board_refused", str(error), "Correct it, then try again.")
