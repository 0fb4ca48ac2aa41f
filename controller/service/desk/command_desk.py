"""Executes the commands of clients: checks the role, the arguments and the state, then acts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from controller.records.audit.errors import AuditError
from controller.service.commands import (
    BY_NAME,
    STOPS,
    AddShare,
    Answer,
    Automatic,
    ChooseNext,
    ClearFault,
    Correct,
    DeletePreset,
    NamePlayers,
    NoArguments,
    SavePreset,
    StartSession,
)
from controller.service.desk.effects import NOT_ON_DISK, effect_of
from controller.service.desk.known_replies import (
    FREE_SPACE,
    PAUSE_NOT_STORED,
    KnownReplies,
    not_stored,
    repeated,
)
from controller.service.desk.service_mode_desk import ServiceModeDesk, require_unlocked
from controller.service.evening.evening_store import StoreError
from controller.service.requests import Actor, CommandRefusedError, CommandReply, CommandRequest
from controller.service.status import Value
from rules.errors import WallwrightError

if TYPE_CHECKING:
    from controller.service.table_service import TableService

STOP_REPLY = 0.5
"""Real seconds for which the reply to a pause waits for the disk; the pause itself does not."""
MOST_PRESETS = 200
"""Largest number of saved presets."""


class CommandDesk:
    """Takes commands for one service, one after another."""

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._replies = KnownReplies(service.thread)
        self._in_progress: dict[str, asyncio.Event] = {}
        """Commands that are being executed; a repeated one waits for the first."""
        self._methods: dict[str, Callable[[Any, Actor], str]] = {
            "start_session": self._start_session,
            "choose_next": self._choose_next,
            "end_session": self._end_session,
            "take_out_of_play": self._take_out_of_play,
            "put_in_play": self._put_in_play,
            "name_players": self._name_players,
            "press_lid_key": self._press_lid_key,
            "add_share": self._add_share,
            "answer": self._answer,
            "pause": self._pause,
            "resume": self._resume,
            "correct": self._correct,
            "save_preset": self._save_preset,
            "delete_preset": self._delete_preset,
            "take_lead": self._take_lead,
            "release_lead": self._release_lead,
            "clear_fault": self._clear_fault,
            "automatic": self._automatic,
            "stop_service": self._stop_service,
        }
        self._slow_methods = ServiceModeDesk(service).methods
        """Commands that wait for the boards."""

    async def submit(self, request: CommandRequest, actor: Actor) -> CommandReply:
        """Execute a command once; a repeated id of a client gets the reply of the first time.

        If a kill has interrupted the first time, it gets a refusal. A refusal is not kept. A
        command that stops something is executed each time.
        """
        if request.name in STOPS:
            return await self._stop(request, actor)
        key = f"{actor.client} {request.id}"
        # A jog is renewed several times a second: its replies are kept in memory only.
        is_stored = request.name != "jog"
        while True:
            while (first := self._in_progress.get(key)) is not None:
                await first.wait()
            try:
                kept = await self._replies.find(key, is_stored=is_stored)
            except StoreError as error:
                return self._refused(request, actor, not_stored(str(error)))
            if key not in self._in_progress:
                break
        if kept is not None:
            return repeated(request, kept)
        done = self._in_progress[key] = asyncio.Event()
        try:
            return await self._reply(request, actor, key, is_stored=is_stored)
        except WallwrightError as refusal:
            return self._refused(request, actor, refusal)
        finally:
            del self._in_progress[key]
            done.set()

    async def _reply(
        self, request: CommandRequest, actor: Actor, key: str, *, is_stored: bool
    ) -> CommandReply:
        """Record a command, execute it, and store its effects and its reply, in this order.

        Nothing takes effect before its event is on disk, and nothing is acknowledged before it is
        stored: in the store, or in the journal if it is part of the run. Raises WallwrightError for
        a command that is refused.
        """
        act = self._admitted(request, actor)
        self._require_records()
        self._replies.begin(key, request)
        try:
            await self._service.audit.command(request, actor)
            await self._replies.begun(request)
            effect = effect_of(self._service, request)
            sentence = await act()
        except WallwrightError as error:
            self._replies.withdraw(key, request)
            if isinstance(error, AuditError):
                raise CommandRefusedError("audit", str(error), FREE_SPACE) from error
            raise
        if request.name == "start_session":
            self._service.receipts.started_by(actor.name)
        reply = CommandReply(id=request.id, state="done", sentence=sentence)
        if effect is not None and not await effect.on_disk(self._service.pace):
            reply = CommandReply(
                id=request.id, state="accepted", sentence=f"{sentence} {NOT_ON_DISK}"
            )
        try:
            await self._replies.keep(key, request, reply, is_stored=is_stored)
        except StoreError as error:
            raise not_stored(str(error)) from error
        return reply

    async def _stop(self, request: CommandRequest, actor: Actor) -> CommandReply:
        """Execute a command that stops something: before any disk is asked, and each time.

        A used id changes nothing: a person who presses Pause must not get an old reply.
        """
        try:
            sentence = await self._admitted(request, actor)()
        except WallwrightError as refusal:
            return self._refused(request, actor, refusal)
        self._service.audit.stopped(request, actor)
        if request.name == "pause" and not await self._is_stored_soon():
            sentence = f"{sentence} {PAUSE_NOT_STORED}"
        return CommandReply(id=request.id, state="done", sentence=sentence)

    async def _is_stored_soon(self) -> bool:
        """Whether all writes so far are stored within half a second."""
        try:
            async with asyncio.timeout(STOP_REPLY * self._service.pace):
                await self._service.thread.stored()
        except (StoreError, TimeoutError):
            return False
        return True

    def _refused(
        self, request: CommandRequest, actor: Actor, refusal: WallwrightError
    ) -> CommandReply:
        """The reply to a refused command, whose kind and reason are recorded."""
        code, next_step = "not_permitted", ""
        if isinstance(refusal, CommandRefusedError):
            code, next_step = refusal.code, refusal.next_step
        command = request.name if request.name in BY_NAME else "unknown"
        self._service.audit.refused(command, code, actor)
        return CommandReply(
            id=request.id,
            state="refused",
            sentence=self._service.in_words(str(refusal)),
            code=code,
            next_step=next_step,
        )

    def _admitted(self, request: CommandRequest, actor: Actor) -> Callable[[], Awaitable[str]]:
        """What executes a command; raises CommandRefusedError for its name, role or arguments."""
        kind, method = BY_NAME.get(request.name), self._methods.get(request.name)
        slow = self._slow_methods.get(request.name)
        if kind is None or (method is None and slow is None):
            raise CommandRefusedError(
                "unknown_command",
                f"There is no command '{request.name}'.",
                f"The commands are {', '.join(sorted({*self._methods, *self._slow_methods}))}.",
            )
        if not actor.role.includes(kind.role):
            raise CommandRefusedError(
                "role",
                f"The command '{kind.name}' needs the role {kind.role.value}; {actor.name} has the"
                f" role {actor.role.value}.",
                f"Ask a person with the role {kind.role.value}.",
            )
        try:
            arguments: Value = kind.arguments.model_validate(request.arguments)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "arguments"
            raise CommandRefusedError(
                "arguments", f"`{where}` of the command '{kind.name}': {first['msg']}."
            ) from error

        async def act() -> str:
            if slow is not None:
                return await slow(arguments, actor)
            assert method is not None
            return method(arguments, actor)

        return act

    # Sessions

    def _start_session(self, given: StartSession, actor: Actor) -> str:
        service = self._service
        if service.is_stopping:
            raise CommandRefusedError("stopping", "The service stops; start it again first.")
        if service.service.state == "fault":
            raise CommandRefusedError(
                "fault",
                f"The table has a fault: {service.service.sentence}",
                "Clear the fault first.",
            )
        if service.shift is not None:
            raise CommandRefusedError(
                "service_mode",
                f"The table is in service mode, which {service.shift.name} has entered.",
                "Leave service mode first.",
            )
        if service.out_of_play is not None:
            raise CommandRefusedError(
                "out_of_play",
                f"{service.out_of_play} has taken the table out of play.",
                "Ask a person with the role attendant to put it back in play.",
            )
        if service.book is not None:
            raise CommandRefusedError(
                "session",
                "A session is in progress.",
                "End it first, or choose its next game.",
            )
        game = service.plan(given.choice)
        _require_seats(given.names, game.seats)
        if not service.hold_updates():
            raise CommandRefusedError(
                "update",
                "An update of the program is being installed.",
                "Wait until it has ended.",
            )
        service.begin_session(game, dict(given.names))
        return f"The session begins: {game.orders.game.title}."

    def _choose_next(self, given: ChooseNext, actor: Actor) -> str:
        self._require_session()
        game = self._service.plan(given.choice)
        self._service.choose_next(game)
        return f"{game.orders.game.title} applies from the next shuffle."

    def _end_session(self, given: NoArguments, actor: Actor) -> str:
        self._require_session()
        self._service.finish_session()
        ended = self._service.book is None
        return "The session is over." if ended else "The session ends after this round."

    def _take_out_of_play(self, given: NoArguments, actor: Actor) -> str:
        if self._service.out_of_play is not None:
            raise CommandRefusedError("out_of_play", "The table is out of play already.")
        self._service.take_out_of_play(actor.name)
        playing = self._service.book is not None
        return f"The table is out of play{' after this round' if playing else ''}."

    def _put_in_play(self, given: NoArguments, actor: Actor) -> str:
        if self._service.out_of_play is None:
            raise CommandRefusedError("in_play", "The table is in play already.")
        self._service.put_in_play()
        return "The table is in play."

    def _name_players(self, given: NamePlayers, actor: Actor) -> str:
        book = self._require_session()
        _require_seats(given.names, book.game.seats)
        book.name_players(given.names)
        self._service.changed()
        return "The players are named."

    def _save_preset(self, given: SavePreset, actor: Actor) -> str:
        self._service.plan(given.choice)
        presets = self._service.presets.all()
        if given.name not in presets and len(presets) >= MOST_PRESETS:
            raise CommandRefusedError(
                "full", f"There are {MOST_PRESETS} presets.", "Delete one first."
            )
        self._service.presets.save(given.name, given.choice)
        return f"The house rules are saved as '{given.name}'."

    def _delete_preset(self, given: DeletePreset, actor: Actor) -> str:
        if given.name not in self._service.presets.all():
            raise CommandRefusedError("unknown_preset", f"There is no preset '{given.name}'.")
        self._service.presets.delete(given.name)
        return f"The preset '{given.name}' is deleted."

    # The table

    def _press_lid_key(self, given: NoArguments, actor: Actor) -> str:
        daemon = self._require_daemon()
        if self._service.guide.is_pushing:
            raise CommandRefusedError(
                "tiles_not_in",
                "The simulated people have not pushed the tiles in yet.",
                "Wait; they press the key when the tiles are in.",
            )
        daemon.press_lid_key()
        return "The lid's key is pressed."

    def _add_share(self, given: AddShare, actor: Actor) -> str:
        daemon = self._require_daemon()
        book = self._require_session()
        _require_seats({given.seat: ""}, book.game.seats)
        record = daemon.chances.add_share(given.seat, given.share, actor.name)
        self._service.changed()
        return (
            f"The share is number {len(record.codes)} of cycle {record.cycle}; its code is"
            f" {record.codes[-1]}."
        )

    def _answer(self, given: Answer, actor: Actor) -> str:
        service = self._service
        prompt = service.prompts.find(given.prompt)
        if prompt is not None:
            if not actor.role.includes(prompt.role):
                raise CommandRefusedError(
                    "role",
                    f"This prompt needs the role {prompt.role.value}; {actor.name} has the role"
                    f" {actor.role.value}.",
                    f"Ask a person with the role {prompt.role.value}.",
                )
            lead = service.recovery.other_leader(actor.client)
            if prompt.kind == "fault" and lead is not None:
                raise CommandRefusedError(
                    "lead",
                    f"{lead.name} leads this recovery.",
                    "Take the lead first, if that person agrees.",
                )
        daemon = service.daemon
        corrects = daemon is not None and daemon.hand is not None and daemon.hand.is_correcting
        if prompt is not None and prompt.kind == "act" and corrects:
            raise CommandRefusedError(
                "correcting", "Actions are being taken back.", "Wait for the next prompt."
            )
        fresh = service.prompts.answer(given.prompt, given.value)
        return "The answer is taken." if fresh else "This answer was given before."

    def _correct(self, given: Correct, actor: Actor) -> str:
        daemon = self._require_daemon()
        if self._service.prompts.takes_answer("act"):
            raise CommandRefusedError(
                "action_entered",
                "An action was entered at this moment.",
                "Look at the actions, and correct them again.",
            )
        daemon.correct(given.acts, actor.name, given.reason)
        last = "action is" if given.acts == 1 else f"{given.acts} actions are"
        return f"The last {last} taken back."

    def _pause(self, given: NoArguments, actor: Actor) -> str:
        self._require_daemon()
        self._service.runs.pause()
        return "The table is paused."

    def _resume(self, given: NoArguments, actor: Actor) -> str:
        daemon = self._require_daemon()
        if not daemon.is_held:
            raise CommandRefusedError("not_paused", "No person has paused the table.")
        self._service.runs.resume()
        return "The table resumes."

    def _automatic(self, given: Automatic, actor: Actor) -> str:
        self._service.guide.set_automatic(on=given.on)
        self._service.changed()
        return "The simulated people act." if given.on else "People act."

    # Recovery and service

    def _take_lead(self, given: NoArguments, actor: Actor) -> str:
        before = self._service.recovery.take(actor)
        self._service.watch_lead()
        over = f" from {before.name}" if before is not None else ""
        return f"{actor.name} takes the lead of the recovery{over}."

    def _release_lead(self, given: NoArguments, actor: Actor) -> str:
        if not self._service.recovery.release(actor.client):
            raise CommandRefusedError("lead", "This client does not lead the recovery.")
        self._service.watch_lead()
        return "The lead is free."

    def _clear_fault(self, given: ClearFault, actor: Actor) -> str:
        if self._service.service.state != "fault":
            raise CommandRefusedError("no_fault", "The table has no fault.")
        require_unlocked(self._service.lock)
        fault = self._service.feed.status.fault
        if fault is not None and not actor.role.includes(fault.role):
            raise CommandRefusedError(
                "role",
                f"The fault {fault.code} needs the role {fault.role.value}; {actor.name} has the"
                f" role {actor.role.value}.",
                f"Ask a person with the role {fault.role.value}.",
            )
        self._service.clear_fault(abandon=given.abandon)
        return "The table starts again."

    def _stop_service(self, given: NoArguments, actor: Actor) -> str:
        self._service.stop()
        return "The service stops."

    # State

    def _require_records(self) -> None:
        """Raises CommandRefusedError while the audit log or the store cannot be written."""
        if self._service.audit.failure is not None:
            raise CommandRefusedError("audit", self._service.audit.failure, FREE_SPACE)
        if self._service.thread.failure is not None:
            raise not_stored(self._service.thread.failure)

    def _require_session(self) -> Any:
        if self._service.book is None:
            raise CommandRefusedError(
                "no_session", "No session is in progress.", "Start one first."
            )
        return self._service.book

    def _require_daemon(self) -> Any:
        if self._service.daemon is None:
            raise CommandRefusedError(
                "not_running", "The table does not run.", "Start a session first."
            )
        return self._service.daemon


def _require_seats(names: dict[int, str], seats: int) -> None:
    for seat in names:
        if not 0 <= seat < seats:
            raise CommandRefusedError(
                "seat", f"There is no seat {seat}; seats are 0 to {seats - 1}."
            )
