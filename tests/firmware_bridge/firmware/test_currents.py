"""Limits of motor currents on the firmware and the virtual board: filter, inrush time, names."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import load_table
from config.schema import AnalogChannel, MotorChannel
from firmware_bridge.board import FaultCode
from firmware_bridge.boards.encoding import flags_of, records
from firmware_bridge.sim import clock
from firmware_bridge.wire.codes import Flag, Kind
from firmware_bridge.wire.messages import NONE, Clear, Faulted, Set
from tests.firmware_bridge.firmware.twins import Twins

LIMIT_MA, INRUSH_MS = 8000, 200
MA_PER_VOLT = 2500


async def limited(library: Path) -> Twins:
    """Return twins whose motors together may draw 8 A, and more for 0.2 s after a start."""
    twins = Twins(library, "robotic", "base")
    twins.tolerance_us = 1200
    twins.milliamps_per_volt = MA_PER_VOLT
    *channels, total = twins.records
    limit = LIMIT_MA * 1000 // MA_PER_VOLT
    total = total._replace(low_mv=MA_PER_VOLT, high_mv=limit, dead_ms=INRUSH_MS)
    twins.records = (*channels, total)
    await twins.begin()
    return twins


def over_currents(twins: Twins) -> list[str]:
    return [
        twins.names[event.channel]
        for event in twins.events(Faulted)
        if isinstance(event, Faulted) and event.code == FaultCode.OVER_CURRENT
    ]


def test_a_motor_may_draw_more_while_it_starts_and_not_afterwards(library: Path) -> None:
    async def main() -> None:
        twins = await limited(library)
        await twins.send(Set(twins.number("drum"), 1000))
        twins.draw("drum", 10_000)
        await twins.advance(190.5)
        assert not over_currents(twins)
        twins.draw("drum", 7_000)
        await twins.advance(100)
        assert not over_currents(twins)
        twins.draw("drum", 10_000)
        await twins.advance(40)
        assert over_currents(twins) == ["drum"]
        twins.draw("drum", 0)
        await twins.advance(30)
        await twins.send(Clear())
        await twins.send(Set(twins.number("drum"), 1000))
        twins.draw("drum", 10_000)
        await twins.advance(260)
        assert over_currents(twins) == ["drum", "drum"]
        await twins.compare()
        twins.close()

    clock.run(main())


@pytest.mark.parametrize("on_ms", [23, 60])
def test_a_motor_that_is_started_again_and_again_has_its_inrush_time_only_four_times(
    library: Path, on_ms: int
) -> None:
    async def main() -> None:
        twins = await limited(library)
        drum = twins.number("drum")
        elapsed = 0
        while not over_currents(twins) and elapsed < 10 * INRUSH_MS:
            await twins.send(Set(drum, 1000))
            twins.draw("drum", 10_000)
            await twins.advance(on_ms)
            if not over_currents(twins):
                await twins.send(Set(drum, 0))
            twins.draw("drum", 0)
            await twins.advance(1)
            elapsed += on_ms + 1
        assert over_currents(twins) == ["drum"]
        assert 4 * INRUSH_MS <= elapsed < 6 * INRUSH_MS
        await twins.compare()
        twins.close()

    clock.run(main())


def test_an_order_that_changes_nothing_is_no_start_and_begins_no_inrush_time(library: Path) -> None:
    async def main() -> None:
        twins = await limited(library)
        for _ in range(20):
            await twins.send(Set(twins.number("drum"), 1000))
            await twins.advance(20)
        twins.draw("drum", 10_000)
        await twins.advance(40)
        assert over_currents(twins) == ["drum"]
        await twins.compare()
        twins.close()

    clock.run(main())


def test_the_inrush_time_comes_back_while_the_motor_is_at_rest(library: Path) -> None:
    async def main() -> None:
        twins = await limited(library)
        drum = twins.number("drum")
        for _ in range(20):
            await twins.send(Set(drum, 1000))
            twins.draw("drum", 10_000)
            await twins.advance(100)
            await twins.send(Set(drum, 0))
            twins.draw("drum", 0)
            await twins.advance(110)
        assert not over_currents(twins)
        await twins.compare()
        twins.close()

    clock.run(main())


def test_a_peak_shorter_than_the_filter_stops_nothing(library: Path) -> None:
    async def main() -> None:
        twins = await limited(library)
        await twins.send(Set(twins.number("drum"), 1000))
        twins.draw("drum", 4_000)
        await twins.advance(300.5)
        for _ in range(20):
            twins.draw("drum", 12_000)
            await twins.advance(2)
            twins.draw("drum", 4_000)
            await twins.advance(18)
        assert not over_currents(twins)
        await twins.compare()
        twins.close()

    clock.run(main())


@pytest.mark.parametrize("inrush", [0.0, 0.3])
def test_the_limits_of_the_table_are_in_the_records(inrush: float) -> None:
    table = load_table("robotic")
    board = table.boards["base"]
    sensor = "drum_current"
    drum, module = board.channels["drum"], table.modules.drum
    assert isinstance(drum, MotorChannel)
    assert module is not None
    channels = {
        **board.channels,
        sensor: AnalogChannel(kind="analog", pin=68),
        "drum": drum.model_copy(update={"current_limit": 1.5, "inrush": inrush}),
    }
    changed = board.model_copy(
        update={"channels": channels, "current_limit": 9.0, "amperes_per_volt": 2.5}
    )
    measured = module.model_copy(update={"current": sensor})
    modules = table.modules.model_copy(update={"drum": measured})
    boards = {**table.boards, "base": changed}
    every = table.model_copy(update={"boards": boards, "modules": modules})
    sent = records(changed, flags_of(every))
    names = list(channels)
    own, total = sent[names.index(sensor)], sent[-1]
    assert own.flags & Flag.CURRENT
    assert (own.second_pin, own.low_mv, own.high_mv) == (names.index("drum"), 1000, 1500)
    assert own.dead_ms == round(inrush * 1000)
    assert (total.kind, total.pin, total.second_pin) == (Kind.ANALOG, 69, NONE)
    assert (total.low_mv, total.high_mv) == (2500, 3600)
