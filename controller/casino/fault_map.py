"""The codes of every fault of the catalogue: those of the event `fault` with this code."""

from __future__ import annotations

from collections.abc import Mapping

from controller.casino.host_codes import HostRow
from controller.run.faults.catalogue import Fault

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
