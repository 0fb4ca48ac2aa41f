"""All trials of a table, in the order in which they run."""

from __future__ import annotations

from collections.abc import Iterator

from controller.upkeep.selftest.motors import axes, chain, magazine, travellers, turning
from controller.upkeep.selftest.outputs import relays, shown
from controller.upkeep.selftest.sensors import by_hand, measured, stops
from controller.upkeep.selftest.table_under_test import TableUnderTest
from controller.upkeep.selftest.trial import Trial
from controller.upkeep.selftest.units import dice, reader


def trials(subject: TableUnderTest) -> Iterator[Trial]:
    """All trials of a table. The emergency stop comes first, before any part moves."""
    yield from stops(subject)
    yield from by_hand(subject)
    yield from relays(subject)
    yield from shown(subject)
    yield from axes(subject)
    yield from travellers(subject)
    yield from chain(subject)
    yield from magazine(subject)
    yield from turning(subject)
    yield from dice(subject)
    yield from reader(subject)
    yield from measured(subject)
