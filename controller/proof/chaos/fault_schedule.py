"""Injects the scheduled faults of an evening at their time, and counts the faults that occur."""

from __future__ import annotations

from config.schema import Modules
from controller.proof.chaos.scenarios import STRANGE, Evening, ScheduledFault
from controller.proof.chaos.tolerated_refusals import may_refuse
from firmware_bridge.sim.faults.injected_fault import InjectedFault, Nth
from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.stall import boards_side

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
