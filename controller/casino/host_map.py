"""The map from a table's events, faults and commands to the codes of a casino's host.

It has a row for every event that the audit log of a table records, for every command that a client
gives the table and that is recorded as done, and for every fault of the catalogue, which the event
`fault` reports with its code. A refused command changes nothing and has no code.

The codes are those of SAS exceptions and of G2S events. The Slot Accounting System (SAS) reports
one byte for each exception; Game To System (G2S) reports a code of letters and digits. The meanings
are in our words. Both protocols are described in documents that their publishers sell; a product
that speaks one of them must be checked against these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controller.events.lookups import ROWS
from controller.events.row import HostGroup
from controller.events.table import WITHIN_A_ROUND
from controller.run.faults.catalogue import Fault

SAS: Mapping[str, str] = {
    "11": "the door was opened",
    "12": "the door was closed",
    "17": "the power came on",
    "18": "the power was lost",
    "20": "a fault without a code of its own (general tilt)",
    "31": "memory fault, data recovered from a copy",
    "34": "stored data are damaged",
    "35": "the storage device is faulty",
    "37": "the program's checksum is wrong",
    "3C": "an operator changed the configuration",
    "6F": "the machine is locked",
    "71": "an attendant is called",
    "72": "the call of an attendant has ended",
    "7E": "a game has started",
    "7F": "a game has ended",
    "84": "a self-test or an operator's menu was entered",
    "85": "a self-test or an operator's menu was left",
    "86": "an attendant took the machine out of service",
    "8C": "a game was selected",
    "8F": "a check of the program is complete",
}
"""Meaning of each SAS exception that the map uses, by its byte in hexadecimal."""

G2S: Mapping[str, str] = {
    "G2S_CBE006": "an operator changed the cabinet's configuration",
    "G2S_CBE202": "state: disabled by an operator",
    "G2S_CBE203": "state: disabled by the machine",
    "G2S_CBE205": "state: enabled and playable",
    "G2S_CBE206": "state: operator mode",
    "G2S_CBE210": "state: locked by the machine",
    "G2S_CBE301": "an attendant is called",
    "G2S_CBE302": "the call of an attendant has ended",
    "G2S_CBE307": "the cabinet's door was opened",
    "G2S_CBE308": "the cabinet's door was closed",
    "G2S_CBE309": "a fault of the cabinet without a code of its own",
    "G2S_CBE311": "fault of the non-volatile storage",
    "G2S_CBE314": "another game was selected",
    "G2S_CBE315": "the clock was changed",
    "G2S_CBE325": "the power came on",
    "G2S_CBE402": "a processor was reset",
    "G2S_GAE102": "a check of the program has started",
    "G2S_GAE103": "a check of the program is complete",
    "G2S_GAE104": "a check of the program failed",
    "G2S_GPE103": "a game has started",
    "G2S_GPE112": "a game has ended",
}
"""Meaning of each G2S event code that the map uses."""


@dataclass(frozen=True)
class HostRow:
    """The codes that report one event to a casino's host.

    `what` is the name of an event of the audit log, of a command, or of a fault. `sas` and `g2s`
    are codes in the order in which they are to be reported; they can be empty. `note` says why
    there is no code, or when a code applies.
    """

    what: str
    sas: tuple[str, ...] = ()
    g2s: tuple[str, ...] = ()
    note: str = ""

    def as_json(self) -> dict[str, object]:
        """The row as plain JSON values, with the meaning of each code."""
        return {
            "what": self.what,
            "sas": {code: SAS[code] for code in self.sas},
            "g2s": {code: G2S[code] for code in self.g2s},
            "note": self.note,
        }


_OWN_EVENT = "The table emits an event of its own for it, which has the code."
_NO_STATE = "It changes nothing that a host of SAS or G2S keeps."
_MAINTENANCE = "It is part of service mode, whose beginning and end are reported."

COMMANDS: Mapping[str, HostRow] = {
    row.what: row
    for row in (
        HostRow("start_session", ("8C",), ("G2S_CBE314",)),
        HostRow(
            "choose_next",
            ("8C",),
            ("G2S_CBE314",),
            "The choice applies from the next shuffle on.",
        ),
        *(
            HostRow(what, note=_OWN_EVENT)
            for what in (
                "answer",
                "clear_fault",
                "correct",
                "enter_service_mode",
                "leave_service_mode",
                "pause",
                "press_lid_key",
                "put_in_play",
                "report_result",
                "resume",
                "stop_service",
                "take_out_of_play",
            )
        ),
        *(
            HostRow(what, note=_NO_STATE)
            for what in (
                "add_share",
                "automatic",
                "delete_preset",
                "end_session",
                "name_players",
                "release_lead",
                "save_preset",
                "take_lead",
            )
        ),
        HostRow("confirm_change", ("3C",), ("G2S_CBE006",)),
        *(
            HostRow(what, note=_MAINTENANCE)
            for what in (
                "answer_service_question",
                "calibrate",
                "clear_board_faults",
                "discard_change",
                "home",
                "jog",
                "run_test",
                "stop_activity",
                "stop_jog",
            )
        ),
    )
}
"""The row of each command by its name."""


_MECHANISM = (
    "Neither protocol has a code for this part of a table. The codes of SAS for jams name reels,"
    " hoppers and note acceptors, which a host's staff would look for."
)
_GENERAL = ("20",), ("G2S_CBE309", "G2S_CBE203")
_OTHERS: Mapping[Fault, HostRow] = {
    Fault.AUDIT: HostRow("AUDIT", ("35",), ("G2S_CBE311", "G2S_CBE203")),
    Fault.STORE: HostRow("STORE", ("35",), ("G2S_CBE311", "G2S_CBE203")),
    Fault.AUDIT_LOCKED: HostRow(
        "AUDIT_LOCKED",
        ("34", "6F"),
        ("G2S_CBE311", "G2S_CBE210"),
        "The recorded events were changed; the table is locked until a technician has looked.",
    ),
    Fault.CONFIGURATION: HostRow("CONFIGURATION", ("34",), ("G2S_CBE311", "G2S_CBE203")),
    Fault.SELF_TEST: HostRow("SELF_TEST", ("34",), ("G2S_CBE311", "G2S_CBE203")),
    Fault.JOURNAL: HostRow("JOURNAL", ("35",), ("G2S_CBE311", "G2S_CBE203")),
    Fault.JOURNAL_LOCKED: HostRow(
        "JOURNAL_LOCKED",
        *_GENERAL,
        "Another process has the journal open; the storage itself has no fault.",
    ),
    Fault.BROWN_OUT: HostRow(
        "BROWN_OUT", ("20",), ("G2S_CBE309", "G2S_CBE402"), "The supply of one board fell."
    ),
    Fault.WATCHDOG: HostRow(
        "WATCHDOG", ("20",), ("G2S_CBE309", "G2S_CBE402"), "The processor of a board was reset."
    ),
    Fault.POWER: HostRow(
        "POWER",
        *_GENERAL,
        "The power of the motors was cut; the computer runs. SAS 18 means the whole machine.",
    ),
    Fault.EMERGENCY: HostRow(
        "EMERGENCY", *_GENERAL, "Neither protocol has a code for an emergency stop."
    ),
    Fault.NOBODY: HostRow("NOBODY", ("71",), ("G2S_CBE301",), "A prompt was not answered in time."),
}

FAULTS: Mapping[Fault, HostRow] = {
    fault: _OTHERS.get(fault) or HostRow(fault.name, *_GENERAL, _MECHANISM) for fault in Fault
}
"""The row of each fault. A fault without a row of its own has the general codes."""


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
