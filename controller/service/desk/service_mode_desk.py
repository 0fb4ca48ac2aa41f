"""The commands of service mode: passes them to service mode, and its refusals to the client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from controller.service.commands import (
    AnswerServiceQuestion,
    Calibrate,
    Home,
    Jog,
    NoArguments,
    ProposedChangeId,
    RunTest,
    StopJog,
)
from controller.service.requests import Actor, CommandRefusedError
from controller.service.status import Value
from controller.upkeep.service_mode.mode_status import ServiceModeRefusalError

if TYPE_CHECKING:
    from controller.service.servicing.service_mode_shift import ServiceModeShift
    from controller.upkeep.service_mode.service_mode import ServiceMode

Method = Callable[["ServiceMode", Any, Actor], Awaitable[str]]


class ShiftKeeper(Protocol):
    """What the commands of service mode use of the service."""

    @property
    def shift(self) -> ServiceModeShift | None:
        """The present stay in service mode, from its command to its end."""

    @property
    def lock(self) -> str | None:
        """Why no command may start the table; None if commands may."""

    @property
    def is_stopping(self) -> bool:
        """Whether the service stops."""

    @property
    def has_session(self) -> bool:
        """Whether a session is in progress."""

    def enter_service_mode(self, name: str) -> ServiceModeShift:
        """Stop the run, then enter service mode."""


class ServiceModeDesk:
    """Executes the commands of service mode for one service; each returns a sentence."""

    def __init__(self, service: ShiftKeeper) -> None:
        self._service = service
        self.methods: dict[str, Callable[[Any, Actor], Awaitable[str]]] = {
            "enter_service_mode": self._enter,
            "leave_service_mode": self._leave,
            **{name: partial(self._execute, method) for name, method in METHODS.items()},
        }
        """The commands by name. They raise CommandRefusedError."""

    async def _enter(self, given: NoArguments, actor: Actor) -> str:
        service = self._service
        if service.is_stopping:
            raise CommandRefusedError("stopping", "The service stops; start it again first.")
        require_unlocked(service.lock)
        if service.has_session:
            raise CommandRefusedError("session", "A session is in progress.", "End it first.")
        if service.shift is not None:
            raise CommandRefusedError(
                "service_mode", f"{service.shift.name} has entered service mode already."
            )
        shift = service.enter_service_mode(actor.name)
        await shift.wait_begun()
        if shift.failure:
            raise CommandRefusedError("not_entered", shift.failure, "Remove the cause, try again.")
        return "Service mode begins; the table is not playable."

    async def _leave(self, given: NoArguments, actor: Actor) -> str:
        shift = self._require_shift()
        shift.leave()
        await shift.wait_over()
        defects = shift.departure.defects if shift.departure is not None else ()
        return " ".join(["Service mode is over.", *defects])

    async def _execute(self, method: Method, given: Value, actor: Actor) -> str:
        mode = self._require_shift().mode
        if mode is None:
            raise CommandRefusedError("not_begun", "Service mode has not begun yet.", "Wait.")
        try:
            return await method(mode, given, actor)
        except ServiceModeRefusalError as refusal:
            raise CommandRefusedError(
                refusal.code, refusal.sentence, refusal.next_step
            ) from refusal

    def _require_shift(self) -> ServiceModeShift:
        if self._service.shift is None:
            raise CommandRefusedError(
                "no_service_mode", "The table is not in service mode.", "Enter it first."
            )
        return self._service.shift


def require_unlocked(lock: str | None) -> None:
    """Raises CommandRefusedError if the table must not run until the service starts again."""
    if lock is not None:
        raise CommandRefusedError(
            "locked", lock, "Install the signed program, then start the service again."
        )


async def _jog(mode: ServiceMode, given: Jog, actor: Actor) -> str:
    from controller.upkeep.service_mode.motion.jogging import Press  # noqa: PLC0415 - loads the boards

    press = Press(actor.client, actor.name, given.press)
    await mode.jog(given.channel, given.direction, given.speed, press)
    return f"{given.channel} is jogged."


async def _stop_jog(mode: ServiceMode, given: StopJog, actor: Actor) -> str:
    await mode.stop_jog(actor.client, given.press)
    return "The jog has ended."


async def _home(mode: ServiceMode, given: Home, actor: Actor) -> str:
    mode.home(given.channel)
    return f"Homing of {given.channel or 'every part'} begins."


async def _run_test(mode: ServiceMode, given: RunTest, actor: Actor) -> str:
    mode.run_test(given.station)
    return f"The test programme of {given.station} begins."


async def _calibrate(mode: ServiceMode, given: Calibrate, actor: Actor) -> str:
    mode.calibrate(given.kind, given.target)
    return "The calibration begins."


async def _answer(mode: ServiceMode, given: AnswerServiceQuestion, actor: Actor) -> str:
    mode.answer(given.question, given.value)
    return "The answer is taken."


async def _stop(mode: ServiceMode, given: NoArguments, actor: Actor) -> str:
    await mode.stop_jog()
    await mode.stop_activity()
    return "Everything is stopped."


async def _clear(mode: ServiceMode, given: NoArguments, actor: Actor) -> str:
    await mode.clear_faults()
    return "The faults of the boards are cleared."


async def _confirm(mode: ServiceMode, given: ProposedChangeId, actor: Actor) -> str:
    mode.confirm_change(given.change)
    return "The table's file is changed; the next start of the service uses it."


async def _discard(mode: ServiceMode, given: ProposedChangeId, actor: Actor) -> str:
    mode.discard_change(given.change)
    return "The change is discarded."


METHODS: dict[str, Method] = {
    "jog": _jog,
    "stop_jog": _stop_jog,
    "home": _home,
    "run_test": _run_test,
    "calibrate": _calibrate,
    "answer_service_question": _answer,
    "stop_activity": _stop,
    "clear_board_faults": _clear,
    "confirm_change": _confirm,
    "discard_change": _discard,
}
"""The commands that are possible in service mode only, by name."""
