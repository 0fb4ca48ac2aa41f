"""Statuses of an evening for tests of the panel: an open table, a session, a fault."""

from __future__ import annotations

from typing import Any

from controller.service.port import SessionSummary
from controller.service.status import (
    BoardStatus,
    CountsStatus,
    Debt,
    GameChoice,
    HandResult,
    MachineStatus,
    OpenPrompt,
    PaymentStatus,
    Programme,
    PromptChoice,
    RecentEvent,
    RoundStatus,
    SeatStatus,
    ServiceStatus,
    SessionStatus,
    ThrowStatus,
    TilesStatus,
)
from controller.service.user_roles import UserRole
from controller.upkeep.service_mode.mode_status import (
    ActivityStatus,
    CalibrationOffer,
    ChannelStatus,
    CounterStatus,
    ModeFinding,
    ModeQuestion,
    ProposedChange,
    ServiceModeStatus,
    TrialStatus,
)

NAMES = ("Mei", "Ren", "Ligaya", "Jo")
WINDS = ("East", "South", "West", "North")

SEATS = tuple(
    SeatStatus(
        seat=seat,
        wind=WINDS[seat],
        name=NAMES[seat],
        dealer=seat == 0,
        tiles=17 if seat == 0 else 16,
        score=(12, -8, 4, -8)[seat],
    )
    for seat in range(4)
)

RESULT = HandResult(
    number=2,
    game="wenzhou",
    sentence="Mei (East) wins with a soft hand on Ren's discard.",
    winner=0,
    payments=(
        PaymentStatus(payer=1, payee=0, amount=4, why="4 with the dealer in his hand 2 in a row"),
        PaymentStatus(payer=2, payee=0, amount=4, why="4 with the dealer in his hand 2 in a row"),
        PaymentStatus(payer=3, payee=0, amount=4, why="4 with the dealer in his hand 2 in a row"),
    ),
    reasons=("Won on a discard, with a caishen as another tile: soft.",),
    scores=(12, -8, 4, -8),
)

SESSION = SessionStatus(
    id="s-17",
    started="2026-03-14T18:05:00Z",
    game="wenzhou",
    title="Wenzhou mahjong",
    rounds=2,
    follow_play=True,
    seats=SEATS,
    results=(
        HandResult(number=1, game="wenzhou", sentence="Nobody wins: the wall is empty."),
        RESULT,
    ),
    debts=(
        Debt(debtor="Ren", creditor="Mei", amount=8),
        Debt(debtor="Jo", creditor="Mei", amount=4),
        Debt(debtor="Jo", creditor="Ligaya", amount=4),
    ),
)

ROUND = RoundStatus(
    set=0,
    dealer=0,
    phase="dealing",
    step="Packet 7 of 16: four tiles to West.",
    throw=ThrowStatus(by=0, dice=(3, 5), why="break"),
    indicator="w3.8u",
    indicator_face="4p",
)

DICE = OpenPrompt(
    id="p-1",
    kind="dice",
    role=UserRole.PLAYER,
    text="Throw two dice for the break.",
    seats=(0,),
    dice=2,
)

CUT = OpenPrompt(
    id="p-2",
    kind="choice",
    role=UserRole.PLAYER,
    text="Choose the cut.",
    code="cut",
    default="one_stack",
    seats=(0,),
    choices=tuple(
        PromptChoice(value=value, label=value)
        for value in (
            "one_stack",
            "cup_say",
            "chee_yee",
            "dai_pin",
            "jung_quat",
            "dragon_head",
            "hong_kong_bank",
            "four_across",
        )
    ),
)

JAM = OpenPrompt(
    id="p-3",
    kind="fault",
    role=UserRole.ATTENDANT,
    text="head 2: head2_counter counted 0 of 2 tiles in 2.0 s and is blocked.",
    code="JAM",
    part="head 2",
    evidence="head2_counter counted 0 of 2 tiles in 2.0 s and is blocked",
    request="Take the tile that is stuck at head 2 out and put it back into the drum.",
    choices=(
        PromptChoice(value="done", label="done"),
        PromptChoice(value="stop", label="stop"),
    ),
)


def session(**changed: Any) -> dict[str, Any]:
    """The values of a status during a session, with changes."""
    values: dict[str, Any] = {
        "service": ServiceStatus(state="session", since=3.0),
        "boards": {"base": BoardStatus(connected=True, serial="A-7", firmware="1.4")},
        "programme": Programme(now=GameChoice(game="wenzhou")),
        "session": SESSION,
        "round": ROUND,
        "machine": MachineStatus(under="building", top="dealing", mode="going"),
        "tiles": TilesStatus(expected=272, accounted=272),
        "counts": CountsStatus(
            rounds=2, recoveries={"JAM": 3, "LIFT": 1}, assists={"JAM": 1}, pauses={"COMMAND": 1}
        ),
        "recent": (
            RecentEvent(at=12.0, text="The walls are raised."),
            RecentEvent(at=15.5, text="Mei (East) throws 3 and 5."),
        ),
    }
    return values | changed


def _channel(part: str, role: str, kind: str, **values: Any) -> ChannelStatus:
    return ChannelStatus(board="base", part=part, role=role, kind=kind, **values)


MODE = ServiceModeStatus(
    since=1.0,
    name="Tom",
    renewal_s=0.3,
    trace_s=10.0,
    channels={
        "lid": _channel(
            "lid",
            "motor",
            "motor",
            value=0,
            unit="permille",
            jog=("forward", "reverse"),
            least_speed=100,
            most_speed=400,
        ),
        "lid_opened": _channel(
            "lid",
            "opened",
            "sensor",
            value=0,
            unit="level",
            count=41,
            trace=((-9.0, 0.0), (-6.0, 1.0), (-2.5, 0.0)),
        ),
        "head2_counter": _channel(
            "head 2",
            "counter",
            "sensor",
            value=1,
            unit="level",
            count=20480,
            trace=tuple((-9.0 + n * 0.4, float(n % 2)) for n in range(20)),
        ),
        "y": _channel(
            "gantry",
            "y",
            "axis",
            value=214.5,
            unit="mm",
            jog=("forward", "reverse"),
            least_speed=50,
            most_speed=300,
            homes=True,
            trace=((-9.0, 100.0), (-4.0, 214.5)),
        ),
    },
    stations=("lid", "head 2", "gantry"),
    question=ModeQuestion(
        id="q1",
        kind="measure",
        text="Measure the height of tray 2 above the felt.",
        unit="mm",
        choices=("stop",),
    ),
    activity=ActivityStatus(kind="calibration", target="tray 2", step="The tray is up."),
    results=(
        TrialStatus(
            part="lid",
            what="opens",
            channels=("lid",),
            seen="lid_opened after 1.9 s",
            answer="yes",
            verdict="passed",
        ),
    ),
    calibrations=(
        CalibrationOffer(kind="tray", target="tray 2", title="Height of tray 2"),
        CalibrationOffer(
            kind="gripper",
            target="gripper",
            title="Width of the gripper",
            unavailable="The gantry is not homed.",
        ),
    ),
    change=ProposedChange(
        id="c1",
        file="table.yaml",
        summary=("tray 2: height 21.0 to 21.4 mm",),
        diff="-  height_mm: 21.0\n+  height_mm: 21.4",
        writable=True,
    ),
    counters=(CounterStatus(name="lid, openings", value=1240),),
    warnings=("head 2 needs more attempts than a week ago.",),
    moved=("lid",),
    findings=(ModeFinding(at=2.0, text="The lid opens in 1.9 s.", kind="info"),),
)

PAST = (
    SessionSummary(
        "s-17",
        "2026-03-14T18:05:00Z",
        "",
        "wenzhou",
        "Wenzhou mahjong",
        2,
        NAMES,
        (12, -8, 4, -8),
    ),
    SessionSummary(
        "s-16",
        "2026-03-13T17:00:00Z",
        "2026-03-13T23:10:00Z",
        "pai_gow",
        "Pai gow",
        41,
        ("Ana", "Ben"),
        (30, -30),
    ),
)
RESULTS = SESSION.results
