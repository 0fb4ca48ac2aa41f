"""The text of an injected fault: kind, part, and when it acts (once, always, or by probability).

    parse("jam:head2@12.5")            one jam at head 2, at the first tile after 12.5 s
    parse("jam:head2#30~2")            one jam, at its 30th tile, which two reversals loosen
    parse("dirty_sensor:head3:0.02")   each time S1 of head 3 works, with this probability
    parse("weak_motor:lift1")          always

`kinds.py` lists the kinds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

from config.errors import instead
from config.schema import Table
from firmware_bridge.sim.faults.kinds import KINDS, FaultKind
from rules.errors import WallwrightError

_NUMBER = "[0-9.]{1,15}"
_TEXT = re.compile(
    r"(?P<kind>\w+):(?P<part>\w+)"
    rf"(@(?P<at>{_NUMBER})|#(?P<nth>[0-9]{{1,9}})|:(?P<rate>{_NUMBER}))?(~(?P<size>{_NUMBER}))?"
)
LOWEST_RATE = 1e-6
"""The lowest probability that a text may give."""
EXAMPLES = "jam:head2@12.5, jam:head2#30, dirty_sensor:head3:0.02 or weak_motor:lift1"


class BadFaultOptionError(WallwrightError, ValueError):
    """An injected fault that is not valid: the error, and a valid alternative."""

    def __init__(self, wrong: str, cure: str) -> None:
        super().__init__(f"{wrong}. {cure}")
        self.wrong = wrong
        self.cure = cure


@dataclass(frozen=True)
class At:
    """The fault acts once, at the first occasion `seconds` or more after the table's power-on."""

    seconds: float

    def __str__(self) -> str:
        return f"@{plain(self.seconds)}"


@dataclass(frozen=True)
class Nth:
    """The fault acts once, at the occasion with this number, counted from 1."""

    number: int

    def __str__(self) -> str:
        return f"#{self.number}"


@dataclass(frozen=True)
class Rate:
    """The fault acts at each occasion with this probability."""

    probability: float

    def __str__(self) -> str:
        return f":{plain(self.probability)}"


@dataclass(frozen=True)
class Always:
    """The fault acts at each occasion, until a person repairs it permanently."""

    def __str__(self) -> str:
        return ""


When = At | Nth | Rate | Always


@dataclass(frozen=True)
class InjectedFault:
    """An injected fault: kind, part and time; `parse` reads its text.

    `size` is its duration or severity, in the unit of its kind; None is the kind's default.
    """

    kind: str
    part: str
    when: When = field(default_factory=Always)
    size: float | None = None

    @property
    def amount(self) -> float:
        """The size of the fault, or else the default size of its kind; 0 for a kind without one."""
        return KINDS[self.kind].usual if self.size is None else self.size

    def __str__(self) -> str:
        size = "" if self.size is None else f"~{plain(self.size)}"
        return f"{self.kind}:{self.part}{self.when}{size}"


def parse(text: str) -> InjectedFault:
    """Parse an injected fault. Raises BadFaultOptionError, which names valid alternatives."""
    found = _TEXT.fullmatch(text.strip())
    if found is None:
        raise BadFaultOptionError(
            f"'{text}' is not an injected fault", f"Write KIND:PART, such as {EXAMPLES}."
        )
    kind = _kind(found["kind"])
    size = None if found["size"] is None else _number(found["size"], text)
    if size is not None and not kind.measure:
        raise BadFaultOptionError(
            f"'{text}': a fault of kind {kind.name} has no size", f"Leave out ~{found['size']}."
        )
    return InjectedFault(kind.name, found["part"], _when(found, text), size)


def check(injected: InjectedFault, table: Table) -> InjectedFault:
    """Return the fault, if this table can have it. Raises BadFaultOptionError."""
    parts = _kind(injected.kind).parts(table)
    if injected.part not in parts:
        cure = instead(injected.part, parts) if parts else "Leave this fault out."
        wrong = f"'{injected}': the table {table.name} has no '{injected.part}' for {injected.kind}"
        raise BadFaultOptionError(wrong, cure)
    return injected


def _kind(name: str) -> FaultKind:
    if name not in KINDS:
        raise BadFaultOptionError(f"'{name}' is not a kind of injected fault", instead(name, KINDS))
    return KINDS[name]


def _when(found: re.Match[str], text: str) -> When:
    if found["at"] is not None:
        return At(_number(found["at"], text))
    if found["nth"] is not None:
        if int(found["nth"]) == 0:
            raise BadFaultOptionError(
                f"'{text}': the number of an occasion must be at least 1", "Write #1 or more."
            )
        return Nth(int(found["nth"]))
    if found["rate"] is not None:
        rate = _number(found["rate"], text)
        if not LOWEST_RATE <= rate <= 1:
            wrong = f"'{text}': a probability must be 0.000001 to 1; got {found['rate']}"
            raise BadFaultOptionError(wrong, "Write :0.000001 to :1.")
        return Rate(rate)
    return Always()


def _number(digits: str, text: str) -> float:
    try:
        return float(digits)
    except ValueError:
        wrong = f"'{text}': '{digits}' is not a number"
        raise BadFaultOptionError(wrong, "Write a number such as 12 or 12.5.") from None


def plain(number: float) -> str:
    """A number as text without an exponent, which the text of a fault cannot contain."""
    return format(Decimal(repr(number)), "f").removesuffix(".0")
