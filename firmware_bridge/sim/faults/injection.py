"""Fault injection for a simulated table: which injected faults are pending, and which are active.

A part of the plant asks at each occasion whether a fault occurs (`InjectedFaults.on_occasion`), and
simulates its consequences. The fault therefore shows as at a real table: by sensors, currents and
the faults that the boards report. Each injected fault has its own random stream, so that the rest
of the run stays the same with and without it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from config.schema import Table
from firmware_bridge.sim.faults.injected_fault import Always, At, InjectedFault, Nth, Rate, check
from firmware_bridge.sim.faults.kinds import BY_OUTPUTS, KINDS, Realm
from firmware_bridge.sim.faults.parts import found_at, places


@dataclass(frozen=True)
class OccurredFault:
    """An injected fault that occurred: time (seconds since power-on), kind, and part."""

    at: float
    kind: str
    part: str


class InjectedFaults:
    """A table's injected faults, pending and active. BadFaultOptionError for a wrong part.

    `appliers` has, for each realm outside the plant (boards, line, host), the function that applies
    a fault there. A fault of a realm without a function is recorded and has no effect.
    """

    def __init__(
        self, table: Table, injected_faults: Iterable[InjectedFault] = (), seed: int = 0
    ) -> None:
        self.occurred: list[OccurredFault] = []
        """The faults that occurred so far, in order."""
        self.appliers: dict[Realm, Callable[[InjectedFault], None]] = {}
        self._table = table
        self._seed = seed
        self._pending: dict[tuple[str, str], list[_PendingFault]] = {}
        self._by_outputs: dict[tuple[str, str], None] = {}
        self._active: list[_ActiveFault] = []
        self._added = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._start = 0.0
        for injected in injected_faults:
            self.add(injected)

    def __bool__(self) -> bool:
        """Whether any fault was added."""
        return bool(self._pending)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the time at the table's power-on."""
        self._loop, self._start = loop, loop.time()
        for kind, site in self._by_outputs:
            for pending in self._pending[kind, site]:
                self._schedule(kind, site, pending)

    def add(self, injected: InjectedFault) -> None:
        """Add a fault; its occasions are counted from now. Raises BadFaultOptionError.

        The plant must have been created with at least one fault: otherwise its sensors and its line
        were built without fault injection.
        """
        check(injected, self._table)
        kind, site = injected.kind, KINDS[injected.kind].parts(self._table)[injected.part]
        pending = _PendingFault(injected, Random(f"{self._seed}:{self._added}:{injected}"))
        self._added += 1
        self._pending.setdefault((kind, site), []).append(pending)
        if KINDS[kind].occasion is BY_OUTPUTS:
            self._by_outputs[kind, site] = None
            if self._loop is not None:
                self._schedule(kind, site, pending)

    def on_host(self, apply: Callable[[InjectedFault], None]) -> None:
        """Set the function that applies the host's faults: power, disk, journal, wall clock."""
        self.appliers[Realm.HOST] = apply

    def has_kind(self, kind: str) -> bool:
        """Whether a fault of this kind was added."""
        return any(added == kind for added, _ in self._pending)

    def stream(self, name: str) -> Random:
        """A separate random stream for the further course of a fault."""
        # This text is part of the seed: any change of it changes every seeded run.
        return Random(f"{self._seed}:mishap {name}")

    # Calls from the parts of the plant

    def on_occasion(self, kind: str, site: str) -> InjectedFault | None:
        """Count an occasion of this kind at this site; return the fault that occurs, or None."""
        for pending in self._pending.get((kind, site), ()):
            if pending.occurs(self.now):
                return self._record(pending.injected)
        return None

    def output_changed(self, board: str) -> None:
        """Count a change of an output of this board: the occasion of all faults from outside."""
        for kind, site in self._by_outputs:
            if site in (board, "table", "line", "host", "drum"):
                for pending in self._pending[kind, site]:
                    if pending.occurs(self.now):
                        assert self._loop is not None
                        self._loop.call_soon(self._apply, kind, pending.injected)

    def activate(self, kind: str, site: str, repair: Callable[[], None]) -> None:
        """Record an active fault; `repair` ends it."""
        self._active.append(_ActiveFault(kind, site, found_at(kind, site, self._table), repair))

    def deactivate(self, kind: str, site: str) -> None:
        """Remove an active fault that ended by itself, or that begins again."""
        self._active = [each for each in self._active if (each.kind, each.site) != (kind, site)]

    # Repairs by people

    def repair(self, code_or_kind: str, part: str) -> bool:
        """Repair the active faults of a part; return whether there were any.

        `part` can name several parts: "lift 0, lift 1 or lift 3".
        The name of a kind repairs that kind only. Any other text, such as a fault code of the
        controller, repairs every fault of the part. The name of a board ("board base"), and a part
        that this table does not have, mean the whole table: while a board does not answer, nothing
        moves, and a person may look everywhere.
        """
        names = part.lower().replace(" or ", ", ").split(", ")
        here = {name.replace(" ", "").replace("handlane", "lane") for name in names}
        everywhere = "table" in here or not here <= set(places(self._table))
        found = [
            active
            for active in self._active
            if (code_or_kind not in KINDS or active.kind == code_or_kind)
            and (everywhere or not here.isdisjoint(active.found_at))
        ]
        for active in found:
            self._active.remove(active)
            pending = self._pending.get((active.kind, active.site), [])
            pending[:] = [each for each in pending if not isinstance(each.injected.when, Always)]
            active.repair()
        return bool(found)

    @property
    def active(self) -> tuple[tuple[str, str], ...]:
        """Kind and site of all active faults."""
        return tuple((active.kind, active.site) for active in self._active)

    # Helpers

    @property
    def now(self) -> float:
        """Seconds since the table's power-on."""
        return self._loop.time() - self._start if self._loop is not None else 0.0

    def _schedule(self, kind: str, site: str, pending: _PendingFault) -> None:
        if isinstance(pending.injected.when, At) and self._loop is not None:
            at = max(self._loop.time(), self._start + pending.injected.when.seconds)
            self._loop.call_at(at, self._due, kind, site, pending)

    def _due(self, kind: str, site: str, pending: _PendingFault) -> None:
        if pending in self._pending[kind, site] and pending.occurs(self.now):
            self._apply(kind, pending.injected)

    def _apply(self, kind: str, injected: InjectedFault) -> None:
        self._record(injected)
        realms = {KINDS[kind].realm}
        if kind == "power_cut":
            realms = {Realm.HOST} if injected.part == "host" else {Realm.BOARD}
            realms |= {Realm.HOST} if injected.part == "table" else set()
        for realm, apply in tuple(self.appliers.items()):
            if realm in realms:
                apply(injected)

    def _record(self, injected: InjectedFault) -> InjectedFault:
        self.occurred.append(OccurredFault(self.now, injected.kind, injected.part))
        return injected


@dataclass(eq=False)
class _PendingFault:
    """A pending fault, and the number of its occasions so far."""

    injected: InjectedFault
    chance: Random
    occasions: int = 0
    done: bool = False

    def occurs(self, now: float) -> bool:
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
    repair: Callable[[], None]
