"""Codes of SAS exceptions and of G2S events that can report an event of a table.

The Slot Accounting System (SAS) reports one byte for each exception; Game To System (G2S) reports a
code of letters and digits. The meanings are in our words. Both protocols are described in documents
that their publishers sell; a product that speaks one of them must be checked against these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
