"""The map from a table's events, faults and commands to the codes of a casino's host.

It has a row for every event that the audit log of a table records.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.casino.host_codes import COMMANDS, FAULTS, G2S, SAS, HostRow
from controller.events.lookups import ROWS
from controller.events.row import HostGroup
from controller.events.table import WITHIN_A_ROUND

_IN_RECEIPT = WITHIN_A_ROUND.note
_ACCESS = (
    "SAS and G2S have no code for users and logins of a machine; the audit log has the event with"
    " person, role and address."
)
_LOG = "SAS and G2S have no code for the log of a machine; a bundle of the log proves the event."
REFUSED = "_refused"
"""End of the name of a refused request; it has the codes of the request's own row: none."""

_POWER = (
    HostRow("power_up", ("17",), ("G2S_CBE325",), "The service started; `number` counts starts."),
    HostRow(
        "service_stopped",
        ("86",),
        ("G2S_CBE202",),
        "The service was stopped in order. After a power cut the host finds the table silent.",
    ),
)
_SERVICE = (
    HostRow("gat_started", (), ("G2S_GAE102",), "SAS reports the end only."),
    HostRow("gat_complete", ("8F",), ("G2S_GAE103",)),
    HostRow("gat_failed", ("20",), ("G2S_GAE104",)),
    HostRow("service_mode_entered", ("84",), ("G2S_CBE206",)),
    HostRow(
        "service_mode_left",
        ("85",),
        ("G2S_CBE205",),
        "With an open fault the state is G2S_CBE203 instead.",
    ),
    HostRow(
        "taken_out_of_play",
        ("86",),
        ("G2S_CBE202",),
        "If a host gave the command, the state is G2S_CBE204, disabled by the host, instead.",
    ),
    HostRow(
        "put_in_play",
        (),
        ("G2S_CBE205",),
        "SAS has no exception for a machine that is in service again.",
    ),
    HostRow("configuration_read", ("3C",), ("G2S_CBE006",)),
    HostRow(
        "configuration_refused",
        note="Nothing was changed: the table keeps its earlier configuration.",
    ),
    HostRow(
        "command",
        note="The codes depend on the command; the list of commands has them.",
    ),
    HostRow(
        "command_refused",
        note="Nothing was done: the role, the arguments or the state did not permit the command.",
    ),
    HostRow(
        "backup_restored",
        ("3C",),
        ("G2S_CBE006",),
        "A backup replaces configuration and records.",
    ),
    HostRow(
        "clock_jumped",
        (),
        ("G2S_CBE315",),
        "SAS has no exception for the clock of the machine.",
    ),
)
_LIDS = tuple(
    HostRow(
        what,
        note="The table opens this lid in every round to take the tiles in. The code of a door"
        " (SAS 11 and 12, G2S_CBE307 and 308) would report an intrusion each time.",
    )
    for what in ("lid_opened", "lid_closed")
)
_RECORDS = (
    *(HostRow(what, note=_LOG) for what in ("log_begun", "key_rotated", "audit_recovered")),
    *(
        HostRow(what, note=_ACCESS)
        for what in (
            "login",
            "first_start",
            "pair",
            "logout",
            "change_password",
            "end_login",
            "add_user",
            "change_user",
            "delete_user",
            "add_token",
            "add_pairing_code",
            "revoke_key",
        )
    ),
)


def _of_the_stream(group: HostGroup) -> tuple[HostRow, ...]:
    """The rows of the events of the stream that the audit log records."""
    return tuple(
        HostRow(name, codes.sas, codes.g2s, codes.note)
        for name, row in ROWS.items()
        if (codes := row.recorded) is not None and codes.group == group
    )


GROUPS: Mapping[str, tuple[HostRow, ...]] = {
    "Start, stop and service": (*_POWER, *_SERVICE),
    "Faults and calls": _of_the_stream("Faults and calls"),
    "Rounds": (*_of_the_stream("Rounds"), HostRow("receipt", note=_IN_RECEIPT), *_LIDS),
    "Log, users and logins": _RECORDS,
}
"""The rows of all events, in groups by title."""

OTHERS: tuple[HostRow, ...] = (
    HostRow(
        "program differs from its manifest",
        ("37", "6F"),
        ("G2S_CBE210",),
        "The service stops the table until it is started again with the signed program.",
    ),
    HostRow(
        "door opened",
        ("11",),
        ("G2S_CBE307",),
        "For a table with a sensor of its service door; the shipped tables have none.",
    ),
    HostRow("door closed", ("12",), ("G2S_CBE308",), "As above."),
    HostRow(
        "power lost",
        ("18",),
        (),
        "The computer has no power then: only an interface with a battery can report it.",
    ),
)
"""Rows of occurrences that have no event of their own in the audit log."""

EVENTS: Mapping[str, HostRow] = {row.what: row for rows in GROUPS.values() for row in rows}
"""The row of each event by its name in the audit log."""


def row_of(what: str) -> HostRow | None:
    """The row of an event of the audit log; None for an event that the map does not have."""
    return EVENTS.get(what) or EVENTS.get(what.removesuffix(REFUSED))


MAP_VERSION = 1
"""Version of the map as JSON: raised when a key is renamed, removed or changes its meaning."""


def host_map() -> dict[str, object]:
    """The map as plain JSON values."""
    return {
        "map_version": MAP_VERSION,
        "sas": dict(SAS),
        "g2s": dict(G2S),
        "events": [row.as_json() for row in EVENTS.values()],
        "faults": [row.as_json() for row in FAULTS.values()],
        "commands": [row.as_json() for row in COMMANDS.values()],
        "others": [row.as_json() for row in OTHERS],
    }


def sections() -> dict[str, tuple[HostRow, ...]]:
    """The rows of the map by the title of their section."""
    return {
        "Events of the audit log": tuple(EVENTS.values()),
        "Faults": tuple(FAULTS.values()),
        "Commands": tuple(COMMANDS.values()),
        "Others": OTHERS,
    }
