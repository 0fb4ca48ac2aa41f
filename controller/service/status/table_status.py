"""The status of a table: one frozen value from which every client reads.

The command line, the API, the panel and the metrics show this value and nothing else. It contains
no identity of a tile that players cannot see. `STATUS_VERSION` is raised when a field is renamed,
removed or changes its meaning; new fields do not raise it. Times are seconds of the table's clock,
which begins with the service; the feed reports the present time of that clock with every change.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from controller.service.status.play_status import (
    ChanceStatus,
    OpenTilesStatus,
    Programme,
    ResultQuestion,
    RoundStatus,
    SessionStatus,
    Value,
)
from controller.service.user_roles import UserRole
from controller.upkeep.service_mode.mode_status import ServiceModeStatus

STATUS_VERSION = 1
"""Version of `Status` and of its JSON schema."""


RECENT = 20
"""Number of recent events that the status contains in words."""


class TableFacts(Value):
    """Facts of the table that do not change while the service runs."""

    name: str
    seats: int
    simulated: bool
    software: str
    identity: str = Field(
        default="not signed",
        description="SHA-256 of the program's signed manifest, or `not signed`.",
    )


ServiceName = Literal["idle", "session", "service_mode", "stopping", "fault"]


class ServiceStatus(Value):
    """The state of the service: idle, a session, service mode, stopping, or a fault."""

    state: ServiceName = "idle"
    since: float = 0.0
    sentence: str = ""
    out_of_play: bool = Field(
        default=False, description="Whether no session begins until the table is put back in play."
    )


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


class BoardStatus(Value):
    """One board of the table: whether it answers, and its identity."""

    connected: bool = False
    serial: str = ""
    firmware: str = ""


class MachineStatus(Value):
    """States of the state machine's regions, as docs/reference/MACHINE.md lists them."""

    under: str = "offline"
    top: str = "offline"
    mode: str = "offline"


class HeadStatus(Value):
    """One head: how many tiles it has lifted of those that it has to lift in this build."""

    lifted: int = 0
    target: int = 0


class SceneStatus(Value):
    """The places of the tiles, for the picture. `places` has each place of the set that is on top.

    A place's value is `wall`, `seat N`, `up FACE` for a tile turned up in its place, or `up N FACE`
    for a tile turned up before seat N. If the discards lie mixed, roles below `dealer` receive
    `pool` for each tile in the middle; the places of drawn tiles then do not state who drew which.
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


class AuditStatus(Value):
    """The audit log, and counts of the table's life that it proves."""

    events: int = Field(default=0, description="Events in the audit log.")
    failure: str = Field(default="", description="Why the log cannot be written; empty if it can.")
    power_ups: int = Field(default=0, description="Starts of the service.")
    lid_openings: int = Field(default=0, description="Times that the lid was opened for a set.")
    service_entries: int = Field(default=0, description="Times that service mode was entered.")


class TilesStatus(Value):
    """The ledger's count: tiles of all sets, and those whose position is confirmed."""

    expected: int = 0
    accounted: int = 0


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
    declarations: tuple[str, ...] = Field(
        default=(),
        description="Actions that are not listed: `win` with the tiles it shows, `false win`.",
    )
    default: str = ""
    safety: bool = Field(default=False, description="Whether the table is paused until the answer.")
    lit: tuple[str, ...] = Field(default=(), description="Places that the step names.")
    dice: int = Field(default=0, description="Faces that a prompt of the kind `dice` asks for.")
    since: float = 0.0


class PlayersPicture(Value):
    """Parts of the status that players receive if the discards lie mixed (`players_view`).

    `places` replaces those of the scene, `tiles` the numbers of tiles of the seats.
    """

    open_tiles: OpenTilesStatus | None
    places: dict[str, str]
    tiles: dict[int, int]


class Status(Value):
    """The whole status of one table."""

    version: Annotated[int, Field(ge=1)] = STATUS_VERSION
    table: TableFacts
    boards: dict[str, BoardStatus] = Field(default_factory=dict)
    service: ServiceStatus = ServiceStatus()
    programme: Programme = Programme()
    session: SessionStatus | None = None
    question: ResultQuestion | None = Field(
        default=None, description="The hand that is over and whose result is asked for."
    )
    round: RoundStatus | None = None
    chance: ChanceStatus = ChanceStatus()
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
    audit: AuditStatus = AuditStatus()
    players: SkipJsonSchema[PlayersPicture | None] = Field(default=None, exclude=True, repr=False)
    """What roles below `dealer` receive in place of some parts; not a part of the JSON."""
