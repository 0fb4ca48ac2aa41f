"""Injects the faults of an evening at their time, and determines what each of them excuses.

A wrong sensor reading, a double tile or a tile of another set can leave tiles where no sensor
detects them. Mechanisms that meet these tiles later refuse a command, and the controller cannot
prevent it. Every other refusal is a defect of the controller. In the same way, the journal may be
locked only after all its copies were corrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from config.schema import Modules, Part
from controller.proof.chaos.scenarios import STRANGE, Evening, ScheduledFault
from firmware_bridge.sim.faults.injected_fault import InjectedFault, Nth
from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.stall import boards_side

BLIND = frozenset(
    {
        *("bouncing_sensor", "dirty_sensor", "stuck_sensor"),
        *("double_feed", "extra_tile", "added_tile", "foreign_tile"),
    }
)
"""Faults that can leave tiles where no sensor detects them."""


def may_refuse(modules: Modules, injected_faults: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Channels of the mechanisms that may refuse a command after these faults (kind and part)."""
    blinded = {part for kind, part in injected_faults if kind in BLIND}
    return frozenset(channel for part in blinded for channel in _on_its_way(modules, part))


def _on_its_way(modules: Modules, part: str) -> Iterator[str]:
    """The channels of a part and of all parts that tiles reach after it."""
    heads = modules.heads.ports if modules.heads else ()
    sides = modules.trays.sides if modules.trays else ()
    seats = modules.lanes.seats if modules.lanes else ()
    top = (modules.gantry, modules.flipper, modules.reader)
    for number, head in enumerate(heads):
        if part in ("drum", f"head{number}") or part in _channels(head):
            trays = [side for tray, side in enumerate(sides) if tray in head.trays]
            yield from _channels(head, modules.magazine, *trays, modules.chain, *seats, *top)
    if part in ("magazine", *_channels(modules.magazine)):
        yield from _channels(modules.magazine, *heads, *sides, modules.chain, *top)
    if part in _channels(modules.chain):
        yield from _channels(modules.chain, *sides, *top)
    for module in (*sides, *seats):
        if part in _channels(module):
            yield from _channels(module, *top)
    if part in _channels(*top):
        yield from _channels(*top, *sides, *seats)
    if part in _channels(modules.lid, modules.keys):
        yield from _channels(modules.lid)


def _channels(*parts: object) -> set[str]:
    """All channel names in these parts of a table."""
    found: set[str] = set()
    for part in parts:
        match part:
            case str():
                found.add(part)
            case tuple():
                found |= _channels(*part)
            case Part():
                found |= _channels(*(getattr(part, name) for name in type(part).model_fields))
    return found


COPIES = 3
"""Number of journal copies; the journal is allowed to lock only if all were corrupted."""


class JournalCorruption:
    """Corrupts the journal copies of one table after another, at places drawn from `chance`."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._corrupted: list[set[Path]] = []
        """Journal copies that were corrupted in each round on this table."""

    def begin_table(self) -> None:
        """Forget the corrupted copies: each table has a journal of its own."""
        self._corrupted.clear()

    def begin_round(self) -> None:
        """Record the copies that are corrupted from now on for a new round."""
        self._corrupted.append(set())

    @property
    def may_lock(self) -> bool:
        """Whether the journal may lock: all copies were corrupted in the last two rounds."""
        return len(set().union(*self._corrupted[-2:])) == COPIES

    def corrupt(self, journal: Path) -> None:
        """Overwrite a part of one journal copy, truncate the copy, or delete it."""
        copies = sorted(journal.parent.glob(f"{journal.name}*"))
        files = [c for c in copies if c.suffix not in (".lock", ".chance-key") and c.stat().st_size]
        if not files:
            return
        file = self._chance.choice(files)
        self._corrupted[-1].add(file)
        size = file.stat().st_size
        match self._chance.randrange(3):
            case 0:
                with file.open("r+b") as opened:
                    opened.seek(self._chance.randrange(size))
                    opened.write(self._chance.randbytes(64))
            case 1:
                with file.open("r+b") as opened:
                    opened.truncate(self._chance.randrange(size))
            case _:
                file.unlink()


NEVER = Nth(999_999_999)


class FaultSchedule:
    """The faults of an evening: those that wait for their time, and those that have occurred."""

    def __init__(self, evening: Evening) -> None:
        self._evening = evening
        self._phase = 0
        """Number of changes of state in the present round."""
        self._spare_used = False
        self._left: list[ScheduledFault] = []
        """Faults of the present round that are not injected yet."""
        self._writes: list[int] = []
        """Journal writes, counted from now, at which the host is killed."""
        self._occurred_before: list[int] = []
        """Number of faults that had occurred at the beginning of each round on this table."""
        self._counted = 0

    def begin_table(self) -> None:
        """Reset the counts of faults that have occurred, for a new table."""
        self._occurred_before.clear()
        self._counted = 0

    def begin_round(self, at: int, *, again: bool = False) -> None:
        """Schedule the faults of a round; none if the round is played `again`."""
        self._phase = 0
        self._occurred_before.append(self._counted)
        self._spare_used = again
        self._left = [] if again else list(self._evening.scheduled_faults[at])

    def at_power_on(self) -> list[InjectedFault]:
        """The faults at power-on: those of the tile set, and one that never occurs.

        Without any fault at power-on the plant accepts none later.
        """
        kinds = sorted(self._evening.kinds & STRANGE)
        return [
            InjectedFault("clock_jump", "host", NEVER),
            *(InjectedFault(k, "drum", NEVER) for k in kinds),
        ]

    def use(self, injected_faults: InjectedFaults) -> None:
        """Inject faults into this table's plant from now on."""
        self._injected_faults = injected_faults

    def inject_due(self) -> None:
        """Inject the faults that are due at a change of state, and count the change."""
        for scheduled in [each for each in self._left if each.phase <= self._phase]:
            self._left.remove(scheduled)
            self._inject(scheduled)
        self._phase += 1

    def inject_left(self) -> None:
        """Inject the faults of the present round that are not injected yet."""
        for scheduled in self._left:
            self._inject(scheduled)

    def inject_spare(self, at: int) -> None:
        """Inject the spare fault of a round, if no fault has occurred in the round so far."""
        if len(self._injected_faults.occurred) == self._counted and not self._spare_used:
            self._spare_used = True
            self._inject(self._evening.spares[at])

    def count_new(self) -> list[str]:
        """The kinds of the faults that have occurred since the last call."""
        occurred = self._injected_faults.occurred
        new = [each.kind for each in occurred[self._counted :]]
        self._counted = len(occurred)
        return new

    def may_refuse(self, channel: str, modules: Modules) -> bool:
        """Whether this channel may refuse a command after a sensor fault left tiles in its way.

        The fault can be from the previous round, because the set built then is dealt in this one. A
        refusal stays acceptable while the fault is active.
        """
        since = self._occurred_before[-2] if len(self._occurred_before) > 1 else 0
        recent = [(each.kind, each.part) for each in self._injected_faults.occurred[since:]]
        return channel in may_refuse(modules, [*recent, *self._injected_faults.active])

    def should_kill(self, *, written: bool) -> bool:
        """Whether the host is killed now; called before and after each write of the journal."""
        if not self._writes or (self._writes[0] > 0) is not written:
            return False
        self._writes[0] -= 1 if written else -1
        if self._writes[0] != 0:
            return False
        self._writes.pop(0)
        return True

    def _inject(self, scheduled: ScheduledFault) -> None:
        """Inject a scheduled fault, or schedule the journal write at which the host is killed."""
        if scheduled.write:
            self._writes.append(scheduled.write)
            return
        injected_faults = self._injected_faults
        with boards_side():
            injected_faults.add(scheduled.injected(injected_faults.now + scheduled.delay))
