"""Builds the status of a table from its events, its run state and its session."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controller.events import Event, EventName
from controller.events.counts import EventCounts
from controller.run.faults.catalogue import CATALOGUE
from controller.run.faults.failures import Fault
from controller.service.auditing.audit_trail import AuditTrail
from controller.service.evening.evening_programme import hand_name, hand_of
from controller.service.evening.game_choices import PlannedGame
from controller.service.evening.session_keeper import SessionKeeper
from controller.service.present_run import PresentRun
from controller.service.prompts.open_prompts import OpenPrompts
from controller.service.prompts.recovery_lead import RecoveryLead
from controller.service.service_state import ServiceState
from controller.service.status import (
    RECENT,
    BoardStatus,
    CountsStatus,
    FaultStatus,
    GameChoice,
    HeadStatus,
    MachineStatus,
    PauseCauseStatus,
    Programme,
    RecentEvent,
    ResultQuestion,
    SceneStatus,
    Status,
    TableFacts,
    ThrowStatus,
    TilesStatus,
)
from controller.service.tracking.event_words import in_words
from controller.service.tracking.round_view import (
    RoundView,
    chance_of,
    deal_on_table,
    players_picture,
    turned_up,
)
from controller.service.user_roles import role_for

if TYPE_CHECKING:
    from config.layout.staging import Staging
    from controller.run.daemon import Daemon
    from controller.run.rounds.hand_results import EndedHand

_BELOW_TURNS = ("shuffling", "building")


@dataclass(frozen=True)
class StatusSources:
    """The parts of the service that the status reads, apart from events."""

    run: PresentRun
    state: ServiceState
    sessions: SessionKeeper
    prompts: OpenPrompts
    lead: RecoveryLead
    audit: AuditTrail


class StatusTracker:
    """Keeps what the events report, and builds the status on request, with the other `sources`."""

    def __init__(self, facts: TableFacts, sources: StatusSources) -> None:
        self._facts = facts
        self._sources = sources
        self._counts = EventCounts()
        self._recent: deque[RecentEvent] = deque(maxlen=RECENT)
        self._machine = MachineStatus()
        self._round = RoundView()
        self._thrown: ThrowStatus | None = None
        """The last throw in the play of the round."""
        self._fault: FaultStatus | None = None
        self._rounds = 0
        self._serials: Mapping[str, str] = {}

    def begin_run(self, serials: Mapping[str, str]) -> None:
        """Note that a daemon starts; `serials` are the serial numbers of its boards."""
        self._serials, self._fault, self._thrown = serials, None, None

    def end_run(self) -> None:
        """Note that the daemon has ended."""
        self._machine = MachineStatus()

    def count_round(self) -> None:
        """Count a round that is over."""
        self._rounds += 1

    def clear_fault(self) -> None:
        """Note that the table starts again after a fault."""
        self._fault = None

    def report(self, sentence: str) -> None:
        """Add a sentence to the recent events."""
        at = round(self._sources.state.clock(), 3)
        self._recent.append(RecentEvent(at=at, text=sentence, kind="warning"))

    def update(self, event: Event) -> None:
        """Take an event of the table."""
        self._counts = self._counts.after(event)
        words = in_words(event)
        if words is not None:
            text = self._sources.sessions.event_in_words(event, words.text)
            self._recent.append(words.model_copy(update={"text": text}))
        match event:
            case {"event": EventName.STATE, "under": str(under), "top": str(top)}:
                self._machine = MachineStatus(under=under, top=top, mode="going")
                if under == top:
                    self._machine = MachineStatus(under=under, top=top, mode=under)
                if top in ("collecting", "clear"):
                    self._thrown = None
            case {"event": EventName.DICE_THROWN, "by": int(by), "dice": list(dice)} if (
                self._machine.top == "playing"
            ):
                self._thrown = ThrowStatus(by=by, dice=tuple(dice))
            case {"event": EventName.FAULT, "code": str(code), "part": str(part)}:
                self._fault = _fault(code, part, event)

    def _question(self, daemon: Daemon | None) -> ResultQuestion | None:
        """The question for the result of the hand that is over, if the table asks for it."""
        hand = None if daemon is None else daemon.results.open_hand
        return None if daemon is None or hand is None else self._question_of(daemon, hand)

    def question_about(self, session: str, hand: int) -> ResultQuestion | None:
        """The question for the result of a hand; None if people cannot report it."""
        daemon = self._sources.run.daemon
        found = None if daemon is None else daemon.results.find(hand_name(session, hand))
        return None if daemon is None or found is None else self._question_of(daemon, found)

    def _question_of(self, daemon: Daemon, hand: EndedHand) -> ResultQuestion:
        session, number = hand_of(hand.name)
        result = daemon.results.result_of(hand.name)
        book = self._sources.sessions.book_of(session)
        return ResultQuestion(
            session=session,
            hand=number,
            seats=() if book is None or book.id != session else book.seats_of(number),
            form=hand.question.form.facts(),
            result=None if result is None else dict(result),
            overdue=daemon.results.is_overdue and hand is daemon.results.open_hand,
        )

    def status(self) -> Status:
        """The present status."""
        sources, run = self._sources, self._sources.run
        daemon, book, named = run.daemon, sources.sessions.book, sources.sessions.in_words
        figures = self._counts.figures()
        scene = SceneStatus() if daemon is None else self._scene(daemon)
        return Status(
            table=self._facts,
            boards=self._boards(),
            service=sources.state.status,
            programme=Programme(now=_choice(run.game), next=_choice(run.chosen)),
            session=None if book is None else book.status(self._dealt()),
            question=self._question(daemon),
            round=self._round.status(daemon, 0 if book is None else book.hand, self._thrown, named),
            chance=chance_of(daemon),
            machine=self._machine,
            scene=scene,
            players=players_picture(daemon, scene),
            prompts=tuple(
                prompt.model_copy(update={"text": named(prompt.text)})
                for prompt in sources.prompts.open
            ),
            pause=tuple(
                PauseCauseStatus(
                    why=cause.why, board=cause.board, channel=cause.channel, since=cause.since
                )
                for cause in self._counts.pause
            ),
            audit=sources.audit.status,
            fault=self._fault,
            tiles=TilesStatus()
            if daemon is None
            else TilesStatus(
                expected=daemon.run_state.ledger.expected,
                accounted=daemon.run_state.ledger.accounted,
            ),
            counts=CountsStatus.model_validate(
                {**figures, "rounds": self._rounds, "faults": self._counts.total("faults")}
            ),
            lead=sources.lead.status,
            recent=tuple(self._recent),
            service_mode=run.mode_status,
        )

    def _boards(self) -> dict[str, BoardStatus]:
        silent = {cause.board for cause in self._counts.pause if cause.why == "SILENT"}
        running = self._sources.run.daemon is not None
        return {
            name: BoardStatus(
                connected=running and name not in silent, serial=self._serials.get(name, "")
            )
            for name in self._sources.run.table.boards
        }

    def _dealt(self) -> dict[int, int]:
        daemon = self._sources.run.daemon
        on_top = None if daemon is None else daemon.run_state.ledger.on_top
        if daemon is None or on_top is None:
            return {}
        hands = daemon.run_state.ledger.sets[on_top].hands
        return {seat: len(hand) for seat, hand in hands.items()}

    def _scene(self, daemon: Daemon) -> SceneStatus:
        ledger, lifted = daemon.run_state.ledger, daemon.lifted
        places: dict[str, str] = {}
        if ledger.on_top is not None:
            top = ledger.sets[ledger.on_top]
            places = {str(place): "wall" for place in top.standing}
            for seat, hand in top.hands.items():
                places |= {str(place): f"seat {seat}" for place in hand}
            deal = deal_on_table(daemon)
            up = {} if deal is None else turned_up(deal)
            places |= {at: face for at, face in up.items() if at in places}
        drum = sum(each.accounted for each in ledger.sets if each.where == "drum")
        in_trays = any(each.where == "trays" for each in ledger.sets)
        building = daemon.is_building and not in_trays
        out = sum(done for done, _ in lifted.values()) if building else 0
        turning = self._machine.under in _BELOW_TURNS
        return SceneStatus(
            places=places,
            drum=max(0, drum - out),
            drum_turns=turning and self._machine.mode == "going",
            lid_open=self._machine.top == "collecting"
            or self._machine.under == "gathering"
            or daemon.is_lid_interrupted,
            trays=self._trays(daemon.staging, lifted if building else None, full=in_trays),
            heads={
                part: HeadStatus(lifted=done, target=share)
                for part, (done, share) in lifted.items()
                if building
            },
            ready_lamp=self._machine.top == "playing",
        )

    def _trays(
        self, staging: Staging, lifted: Mapping[str, tuple[int, int]] | None, *, full: bool
    ) -> dict[str, int]:
        """Tiles in each tray below; during a build they follow from what the heads have lifted."""
        if full:
            return {str(fill.tray): fill.tiles for fill in staging.fills}
        heads = self._sources.run.table.modules.heads
        if lifted is None or heads is None or staging.by_hand:
            return {}
        trays: dict[str, int] = {}
        for head, (done, _) in zip(heads.ports, lifted.values(), strict=False):
            left = done - sum(staging.lanes[seat] for seat in staging.lanes_of(head.trays))
            for tray in head.trays:
                tiles = sum(fill.tiles for fill in staging.fills if fill.tray == tray)
                trays[str(tray)] = max(0, min(tiles, left))
                left -= tiles
        return trays


def _choice(game: PlannedGame | None) -> GameChoice | None:
    return None if game is None else game.choice


def _fault(code: str, part: str, event: Event) -> FaultStatus:
    row = CATALOGUE[Fault[code]]
    return FaultStatus(
        code=code,
        part=part,
        evidence=str(event.get("evidence", "")),
        cure=row.request(part),
        role=role_for(row.who),
        since=round(float(str(event["t"])), 3),
    )
