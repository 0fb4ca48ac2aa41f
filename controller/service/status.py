"""The status of a table: one frozen value from which every client reads.

The command line, the API, the panel and the metrics show this value and nothing else. It contains
no identity of a tile that players cannot see. `STATUS_VERSION` is raised when a field is renamed,
removed or changes its meaning; new fields do not raise it. Times are seconds of the table's clock,
which begins with the service; the feed reports the present time of that clock with every change.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from controller.maintenance.mode_status import ServiceModeStatus
from controller.service.user_roles import UserRole

STATUS_VERSION = 1
"""Version of `Status` and of its JSON schema."""

RESULTS = 20
"""Number of hand results that the status contains; the API pages through all of them."""
RECENT = 20
"""Number of recent events that the status contains in words."""

Scalar = int | float | bool | str
Answers = dict[str, int | str]


class Value(BaseModel):
    """Base of the status models: frozen, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class GameChoice(Value):
    """A game with its house rules, as people choose it for the next shuffle."""

    game: str = Field(description="Name of the game, as `wallwright games` lists it.")
    house_rules: dict[str, object] = Field(
        default_factory=dict,
        description="Parameters of the game that differ from its defaults, by name.",
    )
    players: int | None = Field(default=None, description="Number of players; null: the usual one.")
    dealer: int = Field(default=0, ge=0, le=7, description="Seat of the first dealer, from 0.")
    follow_play: bool = Field(
        default=False, description="Whether the table follows every hand by the rules."
    )
    draw_seats: bool = Field(
        default=False, description="Whether the seats are drawn before the first hand."
    )
    answers: Answers = Field(
        default_factory=dict,
        description="Choices made in advance for every round, such as the cut, by question.",
    )


class Programme(Value):
    """The game of the present round, and the game that applies from the next shuffle."""

    now: GameChoice | None = None
    next: GameChoice | None = None


class BoardStatus(Value):
    """One board of the table: whether it answers, and its identity."""

    connected: bool = False
    serial: str = ""
    firmware: str = ""


class TableFacts(Value):
    """Facts of the table that do not change while the service runs."""

    name: str
    seats: int
    simulated: bool
    software: str


ServiceName = Literal["idle", "session", "service_mode", "stopping", "fault"]


class ServiceStatus(Value):
    """What the service does: nobody plays, a session, service mode, stopping, or a fault."""

    state: ServiceName = "idle"
    since: float = 0.0
    sentence: str = ""


class SeatStatus(Value):
    """One seat of the present session: its wind in games with winds, its player, its score."""

    seat: int
    wind: str = Field(default="", description="East, South, West or North; empty without winds.")
    name: str = ""
    dealer: bool = False
    tiles: int = 0
    score: float = 0


class PaymentStatus(Value):
    """One payment of a settlement; `payer` and `payee` are seats, null is the bank or pot."""

    payer: int | None
    payee: int | None
    amount: float
    why: str


class HandResult(Value):
    """The result of one hand, with its reasons."""

    number: int
    game: str
    sentence: str
    winner: int | None = None
    payments: tuple[PaymentStatus, ...] = ()
    reasons: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    abandoned: bool = False


class Debt(Value):
    """What one player owes another after all hands of the session."""

    debtor: str
    creditor: str
    amount: float


class SessionStatus(Value):
    """The present session: its game, its players, its scores and its last results."""

    id: str
    started: str
    game: str
    title: str
    rounds: int = 0
    ending: bool = Field(default=False, description="Whether the session ends after this round.")
    follow_play: bool = False
    seats: tuple[SeatStatus, ...] = ()
    results: tuple[HandResult, ...] = ()
    debts: tuple[Debt, ...] = ()


class ThrowStatus(Value):
    """The last throw of dice in this round."""

    by: int
    dice: tuple[int, ...]
    why: str = ""


class RoundStatus(Value):
    """The round on the table: its set-up so far."""

    set: int
    hand: int = Field(default=0, description="Number of the round in the session; 0 without one.")
    dealer: int
    phase: str = Field(description="State of the region `top` of the state machine.")
    step: str = Field(default="", description="The present step of the set-up, in words.")
    throw: ThrowStatus | None = None
    choices: Answers = Field(default_factory=dict)
    indicator: str = Field(default="", description="Place of the tile that was turned up.")
    indicator_face: str = ""
    acts: int = Field(default=0, description="Actions taken in the hand, if the table follows it.")
    to_act: tuple[int, ...] = ()
    over: bool = Field(default=False, description="Whether the hand that was followed is over.")


class MachineStatus(Value):
    """States of the state machine's regions, as docs/MACHINE.md lists them."""

    under: str = "offline"
    top: str = "offline"
    mode: str = "offline"


class HeadStatus(Value):
    """One head: how many tiles it has lifted of those that it has to lift in this build."""

    lifted: int = 0
    target: int = 0


class SceneStatus(Value):
    """What lies where, for the picture. `places` has each place of the set that is on top.

    A place's value is `wall`, `seat N`, `up FACE` for a tile turned up in its place, or `up N FACE`
    for a tile turned up before seat N.
    """

    places: dict[str, str] = Field(default_factory=dict)
    drum: int = Field(default=0, description="Tiles in the drum.")
    drum_turns: bool = False
    lid_open: bool = False
    trays: dict[str, int] = Field(
        default_factory=dict, description="Tiles in the trays below, by number of the tray."
    )
    heads: dict[str, HeadStatus] = Field(default_factory=dict)
    ready_lamp: bool = False


class PromptChoice(Value):
    """One answer that a prompt offers."""

    value: str
    label: str


PromptKind = Literal["fault", "step", "choice", "dice", "face", "act", "seats"]


class OpenPrompt(Value):
    """A question to people that is still open.

    `fault` asks to remove a fault, `step` to do something by hand, `choice` for one of `choices`,
    `dice` for faces such as `3,5`, `face` for a tile, `act` for a player's action, `seats` to move.
    An answer names the prompt's id; the same answer twice counts once.
    """

    id: str
    kind: PromptKind
    role: UserRole
    text: str
    code: str = Field(default="", description="Fault code, or the question of a choice.")
    part: str = ""
    evidence: str = ""
    request: str = ""
    seats: tuple[int, ...] = Field(default=(), description="Seats that may answer.")
    choices: tuple[PromptChoice, ...] = ()
    more: bool = Field(default=False, description="Whether more answers exist than are listed.")
    default: str = ""
    safety: bool = Field(default=False, description="Whether the table is paused until the answer.")
    lit: tuple[str, ...] = Field(default=(), description="Places that the step names.")
    dice: int = Field(default=0, description="Faces that a prompt of the kind `dice` asks for.")
    since: float = 0.0


class PauseCauseStatus(Value):
    """One cause of the present pause; `board` and `channel` are empty for a command."""

    why: str
    board: str = ""
    channel: str = ""
    since: float = 0.0


class FaultStatus(Value):
    """The fault that stopped the table."""

    code: str
    part: str
    evidence: str
    cure: str
    role: UserRole
    since: float


class CountsStatus(Value):
    """Counts since the service started, by fault code or cause."""

    rounds: int = 0
    faults: int = 0
    recoveries: dict[str, int] = Field(default_factory=dict)
    assists: dict[str, int] = Field(default_factory=dict)
    pauses: dict[str, int] = Field(default_factory=dict)
    paused_s: float = 0.0


class TilesStatus(Value):
    """The ledger's count: tiles of all sets, and those whose position is confirmed."""

    expected: int = 0
    accounted: int = 0


class LeadStatus(Value):
    """The client that leads a recovery: only it may answer a fault prompt until it lets go."""

    client: str
    name: str
    role: UserRole
    since: float


class RecentEvent(Value):
    """An event in words."""

    at: float
    text: str
    kind: Literal["info", "warning", "fault"] = "info"


class Status(Value):
    """The whole status of one table."""

    version: Annotated[int, Field(ge=1)] = STATUS_VERSION
    table: TableFacts
    boards: dict[str, BoardStatus] = Field(default_factory=dict)
    service: ServiceStatus = ServiceStatus()
    programme: Programme = Programme()
    session: SessionStatus | None = None
    round: RoundStatus | None = None
    machine: MachineStatus = MachineStatus()
    scene: SceneStatus = SceneStatus()
    prompts: tuple[OpenPrompt, ...] = ()
    pause: tuple[PauseCauseStatus, ...] = ()
    fault: FaultStatus | None = None
    tiles: TilesStatus = TilesStatus()
    counts: CountsStatus = CountsStatus()
    lead: LeadStatus | None = None
    recent: tuple[RecentEvent, ...] = ()
    service_mode: ServiceModeStatus | None = None
