"""The part of the status that describes the machine: boards, states, tiles, faults, counts."""

from __future__ import annotations

from pydantic import Field

from controller.service.status.choice import Value
from controller.service.user_roles import UserRole


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
    """What lies where, for the picture. `places` has each place of the set that is on top.

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
