"""Statuses of a table for the tests of the monitor, made from the models of the service."""

from __future__ import annotations

from typing import Any

from controller.service.status import (
    BoardStatus,
    CountsStatus,
    Debt,
    FaultStatus,
    HandResult,
    LeadStatus,
    MachineStatus,
    OpenPrompt,
    PauseCauseStatus,
    PromptChoice,
    RecentEvent,
    RoundStatus,
    SeatStatus,
    ServiceStatus,
    SessionStatus,
    Status,
    TableFacts,
    TilesStatus,
)
from controller.service.user_roles import UserRole
from controller.upkeep.service_mode.mode_status import ActivityStatus, JogStatus, ServiceModeStatus

FACTS = TableFacts(name="robotic", seats=4, simulated=True, software="0.2.0")
JAM = OpenPrompt(
    id="p1-1",
    kind="fault",
    role=UserRole.ATTENDANT,
    text="head 2: head2_counter counted 0 of 1 tiles in 2.0 s and is blocked. Take the tile that is"
    " stuck at head 2 out and put it back into the drum.",
    code="JAM",
    part="head 2",
    choices=(PromptChoice(value="done", label="done"), PromptChoice(value="stop", label="stop")),
    since=60.0,
)
SESSION = SessionStatus(
    id="s1",
    started="2026-01-01T18:00:00+00:00",
    game="wenzhou",
    title="Wenzhou mahjong",
    rounds=3,
    seats=(
        SeatStatus(seat=0, wind="East", name="Ann", dealer=True, tiles=14, score=12),
        SeatStatus(seat=1, wind="South", name="Ben", tiles=13, score=-4),
        SeatStatus(seat=2, wind="West", name="陳大文", tiles=13, score=-4),
        SeatStatus(seat=3, wind="North", tiles=13, score=-4),
    ),
    results=(HandResult(number=3, game="wenzhou", sentence="Ann wins a soft hand."),),
    debts=(Debt(debtor="Ben", creditor="Ann", amount=4),),
)
PLAYING = Status(
    table=FACTS,
    boards={"base": BoardStatus(connected=True), "arm": BoardStatus(connected=True)},
    service=ServiceStatus(state="session", sentence="Wenzhou mahjong is played."),
    session=SESSION,
    round=RoundStatus(set=0, dealer=0, phase="dealing", step="deal four tiles to seat 2"),
    machine=MachineStatus(under="building", top="dealing", mode="going"),
    tiles=TilesStatus(expected=272, accounted=272),
    counts=CountsStatus(rounds=3, faults=0, recoveries={"JAM": 2}, assists={"JAM": 1}),
    recent=tuple(
        RecentEvent(at=50.0 + number, text=f"event number {number}", kind="info")
        for number in range(20)
    ),
)


def as_json(status: Status, **changes: Any) -> dict[str, Any]:
    """The status as the stream sends it."""
    found: dict[str, Any] = status.model_copy(update=changes).model_dump(mode="json")
    return found


TROUBLED = PLAYING.model_copy(
    update={
        "prompts": (JAM,),
        "pause": (
            PauseCauseStatus(why="EMERGENCY_STOP", board="base", channel="emergency", since=90.0),
        ),
        "fault": FaultStatus(
            code="LIFT",
            part="lift 1",
            evidence="lift1_up gave no signal within 5.5 s",
            cure="Look for what blocks lift 1.",
            role=UserRole.TECHNICIAN,
            since=95.0,
        ),
        "lead": LeadStatus(client="tablet", name="Dee", role=UserRole.ATTENDANT, since=91.0),
        "machine": MachineStatus(under="paused", top="paused", mode="paused"),
        "boards": {"base": BoardStatus(connected=False), "arm": BoardStatus(connected=True)},
    }
)
SERVICED = Status(
    table=FACTS,
    service=ServiceStatus(state="service_mode", sentence="Ann has entered service mode."),
    service_mode=ServiceModeStatus(
        since=1.0,
        name="Ann",
        renewal_s=0.3,
        trace_s=10.0,
        jog=JogStatus(
            channel="lid", direction="forward", speed=300, client="t", name="Ann", since=2.0
        ),
        activity=ActivityStatus(kind="test", target="head 2", step="Watch wheel of head 2."),
        latched=("EMERGENCY_STOP at emergency on board base",),
    ),
)
EVERY = {
    "playing": PLAYING,
    "troubled": TROUBLED,
    "serviced": SERVICED,
    "idle": Status(table=FACTS),
}
