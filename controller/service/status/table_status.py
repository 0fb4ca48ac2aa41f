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

from controller.service.status.chance_status import ChanceStatus
from controller.service.status.choice import Programme, Value
from controller.service.status.machine_status import (
    AuditStatus,
    BoardStatus,
    CountsStatus,
    FaultStatus,
    MachineStatus,
    PauseCauseStatus,
    SceneStatus,
    TilesStatus,
)
from controller.service.status.prompt_status import OpenPrompt
from controller.service.status.round_status import OpenTilesStatus, RoundStatus
from controller.service.status.session_status import SessionStatus
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
    """What the service does: nobody plays, a session, service mode, stopping, or a fault."""

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
