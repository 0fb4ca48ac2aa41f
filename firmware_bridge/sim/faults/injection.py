"""Fault injection for a simulated table: each fault acts once, always, or with a probability.

    parse("jam:head2@12.5")            one jam at head 2, at the first tile after 12.5 s
    parse("jam:head2#30~2")            one jam, at its 30th tile, which two reversals loosen
    parse("dirty_sensor:head3:0.02")   each time S1 of head 3 works, with this probability
    parse("weak_motor:lift1")          always

The plant's parts ask at their occasions (`Mishaps.strikes`) and do what follows from it by
themselves, so that a mishap shows as it would at a real table: by sensors, currents and the
boards' own faults. Each mishap has a stream of chance of its own: without any, a run is the very
same run. What kinds there are stands in `mishap_kinds`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random

from config.errors import instead
from config.schema import Table
from firmware_bridge.sim.faults.kind import BY_OUTPUTS, FaultKind, Realm
from firmware_bridge.sim.faults.kinds import KINDS
from firmware_bridge.sim.faults.parts import found_at, places
from rules.errors import WallwrightError

_NUMBER = "[0-9.]{1,15}"
_TEXT = re.compile(
    r"(?P<kind>\w+):(?P<part>\w+)"
    rf"(@(?P<at>{_NUMBER})|#(?P<nth>[0-9]{{1,9}})|:(?P<rate>{_NUMBER}))?(~(?P<size>{_NUMBER}))?"
)
RAREST = 1e-6
"""The least probability that can be ordered."""
EXAMPLES = "jam:head2@12.5, jam:head2#30, dirty_sensor:head3:0.02 or weak_motor:lift1"


class BadFaultOptionError(WallwrightError, ValueError):
    """An injected fault that cannot be ordered: the error, and a valid alternative."""

    def __init__(self, wrong: str, cure: str) -> None:
        super().__init__(f"{wrong}. {cure}")
        self.wrong = wrong
        self.cure = cure


@dataclass(frozen=True)
class At:
    """Once, at the first occasion at or after this time, seconds since the table got power."""

    seconds: float

    def __str__(self) -> str:
        return f"@{plain(self.seconds)}"


@dataclass(frozen=True)
class Nth:
    """Once, at this occasion, counted from 1."""

    number: int

    def __str__(self) -> str:
        return f"#{self.number}"


@dataclass(frozen=True)
class Rate:
    """At each occasion with this probability."""

    probability: float

    def __str__(self) -> str:
        return f":{plain(self.probability)}"


@dataclass(frozen=True)
class Always:
    """At each occasion, until a person repairs it permanently."""

    def __str__(self) -> str:
        return ""


When = At | Nth | Rate | Always


@dataclass(frozen=True)
class InjectedFault:
    """An injected fault: kind, part and time; `parse` reads its text.

    `size` is how long it lasts, or how bad it is: its kind says in what; None is the usual.
    """

    kind: str
    part: str
    when: When = field(default_factory=Always)
    size: float | None = None

    @property
    def amount(self) -> float:
        """Its size, or what is usual for its kind; 0 where that is open."""
        return KINDS[self.kind].usual if self.size is None else self.size

    def __str__(self) -> str:
        size = "" if self.size is None else f"~{plain(self.size)}"
        return f"{self.kind}:{self.part}{self.when}{size}"


@dataclass(frozen=True)
class Happened:
    """An injected fault that occurred: time (seconds since power-on), kind, and part."""

    at: float
    kind: str
    part: str


def parse(text: str) -> InjectedFault:
    """Parse an injected fault. Raises BadFaultOptionError, which names valid alternatives."""
    found = _TEXT.fullmatch(text.strip())
    if found is None:
        raise BadFaultOptionError(
            f"'{text}' is no mishap", f"Write KIND:PART, for instance {EXAMPLES}."
        )
    kind = _kind(found["kind"])
    size = None if found["size"] is None else _number(found["size"], text)
    if size is not None and not kind.measure:
        raise BadFaultOptionError(
            f"'{text}': {kind.name} has no size", f"Leave out ~{found['size']}."
        )
    return InjectedFault(kind.name, found["part"], _when(found, text), size)


def check(injected: InjectedFault, table: Table) -> InjectedFault:
    """Return the fault, if this table can have it. Raises BadFaultOptionError."""
    parts = _kind(injected.kind).parts(table)
    if injected.part not in parts:
        cure = instead(injected.part, parts) if parts else "Leave it out: it has no such part."
        wrong = f"'{injected}': the table {table.name} has no '{injected.part}' for {injected.kind}"
        raise BadFaultOptionError(wrong, cure)
    return injected


class InjectedFaults:
    """A table's injected faults, pending and active. BadFaultOptionError for a wrong part.

    `bring` has, by realm, who brings about what no part of the plant can: the boards' power, the
    line, the host. Whoever owns these sets it; until then such a mishap only goes on record.
    """

    def __init__(
        self, table: Table, injected_faults: Iterable[InjectedFault] = (), seed: int = 0
    ) -> None:
        self.happened: list[Happened] = []
        """The faults that occurred so far, in order."""
        self.bring: dict[Realm, Callable[[InjectedFault], None]] = {}
        self._table = table
        self._seed = seed
        self._orders: dict[tuple[str, str], list[_Order]] = {}
        self._by_outputs: dict[tuple[str, str], None] = {}
        self._standing: list[_ActiveFault] = []
        self._ordered = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._start = 0.0
        for injected in injected_faults:
            self.order(injected)

    def __bool__(self) -> bool:
        """Whether any fault was ordered."""
        return bool(self._orders)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the time at the table's power-on."""
        self._loop, self._start = loop, loop.time()
        for kind, site in self._by_outputs:
            for order in self._orders[kind, site]:
                self._comes_at_its_time(kind, site, order)

    def order(self, injected: InjectedFault) -> None:
        """One more is to happen; its occasions are counted from now. Raises BadMishap.

        A table for which none was ordered when it was made takes none: its sensors and its line
        are not made for it.
        """
        check(injected, self._table)
        kind, site = injected.kind, KINDS[injected.kind].parts(self._table)[injected.part]
        order = _Order(injected, Random(f"{self._seed}:{self._ordered}:{injected}"))
        self._ordered += 1
        self._orders.setdefault((kind, site), []).append(order)
        if KINDS[kind].occasion is BY_OUTPUTS:
            self._by_outputs[kind, site] = None
            if self._loop is not None:
                self._comes_at_its_time(kind, site, order)

    def on_host(self, hears: Callable[[InjectedFault], None]) -> None:
        """Set the function that applies the host's faults: power, disk, journal, wall clock."""
        self.bring[Realm.HOST] = hears

    def ordered(self, kind: str) -> bool:
        """Whether this kind can happen at all."""
        return any(known == kind for known, _ in self._orders)

    def stream(self, name: str) -> Random:
        """A separate random stream for the further course of a fault."""
        return Random(f"{self._seed}:mishap {name}")

    # Calls from the parts of the plant

    def strikes(self, kind: str, site: str) -> InjectedFault | None:
        """An occasion for this kind at this site: the mishap that happens now, if one does."""
        for order in self._orders.get((kind, site), ()):
            if order.strikes(self.now):
                return self._happens(order.injected)
        return None

    def output(self, board: str) -> None:
        """An output of this board has changed: the occasion of whatever comes from outside."""
        for kind, site in self._by_outputs:
            if site in (board, "table", "line", "host"):
                for order in self._orders[kind, site]:
                    if order.strikes(self.now):
                        assert self._loop is not None
                        self._loop.call_soon(self._comes, kind, order.injected)

    def stands(self, kind: str, site: str, mend: Callable[[], None]) -> None:
        """Record an active fault, which `mend` ends."""
        self._standing.append(_ActiveFault(kind, site, found_at(kind, site, self._table), mend))

    def over(self, kind: str, site: str) -> None:
        """Remove an active fault that ended by itself, or that begins again."""
        self._standing = [each for each in self._standing if (each.kind, each.site) != (kind, site)]

    # Repairs by people

    def mend(self, code_or_kind: str, part: str) -> bool:
        """Repair the active faults of a part; return whether there were any.

        A kind mends that kind alone; anything else is a controller's word, and everything that is
        found at the part is mended. A part that this table does not have is the table as a whole.
        """
        place = part.lower().replace(" ", "").replace("handlane", "lane")
        everywhere = place == "table" or place not in places(self._table)
        found = [
            trouble
            for trouble in self._standing
            if (code_or_kind not in KINDS or trouble.kind == code_or_kind)
            and (everywhere or place in trouble.found_at)
        ]
        for trouble in found:
            self._standing.remove(trouble)
            orders = self._orders.get((trouble.kind, trouble.site), [])
            orders[:] = [each for each in orders if not isinstance(each.injected.when, Always)]
            trouble.mend()
        return bool(found)

    @property
    def standing(self) -> tuple[tuple[str, str], ...]:
        """Kind and site of all active faults."""
        return tuple((trouble.kind, trouble.site) for trouble in self._standing)

    # Helpers

    @property
    def now(self) -> float:
        """Seconds since the table got power."""
        return self._loop.time() - self._start if self._loop is not None else 0.0

    def _comes_at_its_time(self, kind: str, site: str, order: _Order) -> None:
        if isinstance(order.injected.when, At) and self._loop is not None:
            at = max(self._loop.time(), self._start + order.injected.when.seconds)
            self._loop.call_at(at, self._due, kind, site, order)

    def _due(self, kind: str, site: str, order: _Order) -> None:
        if order in self._orders[kind, site] and order.strikes(self.now):
            self._comes(kind, order.injected)

    def _comes(self, kind: str, injected: InjectedFault) -> None:
        self._happens(injected)
        realms = {KINDS[kind].realm}
        if kind == "power_cut":
            realms = {Realm.HOST} if injected.part == "host" else {Realm.BOARD}
            realms |= {Realm.HOST} if injected.part == "table" else set()
        for realm, brings in tuple(self.bring.items()):
            if realm in realms:
                brings(injected)

    def _happens(self, injected: InjectedFault) -> InjectedFault:
        self.happened.append(Happened(self.now, injected.kind, injected.part))
        return injected


@dataclass(eq=False)
class _Order:
    """A pending fault, and the number of its occasions so far."""

    injected: InjectedFault
    chance: Random
    occasions: int = 0
    done: bool = False

    def strikes(self, now: float) -> bool:
        self.occasions += 1
        if self.done:
            return False
        match self.injected.when:
            case At(seconds):
                self.done = now >= seconds - 1e-9
                return self.done
            case Nth(number):
                self.done = self.occasions == number
                return self.done
            case Rate(probability):
                return self.chance.random() < probability
        return True


@dataclass(frozen=True)
class _ActiveFault:
    """An active fault, the parts where a person finds it, and its repair."""

    kind: str
    site: str
    found_at: frozenset[str]
    mend: Callable[[], None]


def _kind(name: str) -> FaultKind:
    if name not in KINDS:
        raise BadFaultOptionError(f"There is no mishap '{name}'", instead(name, KINDS))
    return KINDS[name]


def _when(found: re.Match[str], text: str) -> When:
    if found["at"] is not None:
        return At(_number(found["at"], text))
    if found["nth"] is not None:
        if int(found["nth"]) == 0:
            raise BadFaultOptionError(
                f"'{text}': occasions are counted from 1", "Write #1 or more."
            )
        return Nth(int(found["nth"]))
    if found["rate"] is not None:
        rate = _number(found["rate"], text)
        if not RAREST <= rate <= 1:
            wrong = f"'{text}': {found['rate']} is no probability"
            raise BadFaultOptionError(wrong, "Write :0.000001 to :1.")
        return Rate(rate)
    return Always()


def _number(digits: str, text: str) -> float:
    try:
        return float(digits)
    except ValueError:
        wrong = f"'{text}': '{digits}' is no number"
        raise BadFaultOptionError(wrong, "Write it as 12 or 12.5.") from None


def plain(number: float) -> str:
    """A number with every digit and no exponent, which a fault's text does not allow."""
    return format(Decimal(repr(number)), "f").removesuffix(".0")
