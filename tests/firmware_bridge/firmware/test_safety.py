"""Compares lease, emergency stop and light curtain on the firmware and the virtual board."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.codes import Kind, Refusal, UntilKind
from firmware_bridge.wire.messages import (
    NONE,
    Clear,
    Commit,
    Held,
    Pulse,
    Read,
    Recall,
    Refused,
    Set,
    TakeLease,
)
from tests.firmware_bridge.firmware.twin_scenarios import (
    codes,
    drive,
    pass_tiles,
    reasons,
    run_scenario,
)
from tests.firmware_bridge.firmware.twins import Twins


def test_a_lost_lease_makes_everything_safe_until_it_is_given_back(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        drum = twins.number("drum")
        await twins.send(TakeLease(500))
        await twins.send(Set(drum, 800))
        await twins.send(Pulse(twins.number("head0_pusher"), 1000, 1900))
        await twins.send(drive(twins, "head0_wheel", 500, UntilKind.EDGES, "head0_counter", 3))
        await twins.advance(400)
        await twins.send(TakeLease(500))
        await twins.advance(510)
        await twins.send(Read(drum))
        await twins.send(TakeLease(500))
        await twins.send(Set(drum, 800))
        await pass_tiles(twins, "head0_counter", 1)
        await twins.send(Recall(twins.number("head0_wheel")))
        await twins.send(TakeLease(0))
        await twins.send(TakeLease(500))
        await twins.send(Set(drum, 800))
        await twins.send(Read(drum))

    twins = run_scenario(library, scenario)
    assert reasons(twins) == [Reason.HELD, Reason.HELD]
    assert len(twins.events(Held)) == 1


def test_every_motor_with_both_switches_active_is_reported_however_many_they_are(
    library: Path,
) -> None:
    async def scenario(twins: Twins) -> None:
        up, down = twins.number("lift0_up"), twins.number("lift0_down")
        twins.records = [
            record._replace(forward_stop=up, reverse_stop=down)
            if record.kind == Kind.MOTOR
            else record
            for record in twins.records
        ]
        await twins.begin(b"nonce002")
        for switch in ("lift0_up", "lift0_down"):
            await twins.sense(switch, True)
            await twins.advance(10)
        await twins.send(Clear())
        await twins.sense("lift0_up", False)
        await twins.advance(10)
        await twins.send(Clear())

    twins = run_scenario(library, scenario)
    assert codes(twins) == [FaultCode.BOTH_SWITCHES] * 18


def test_the_emergency_stop_stops_everything_until_it_is_released(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        drum = twins.number("drum")
        await twins.send(Set(drum, 1000))
        await twins.send(drive(twins, "head0_wheel", 500, UntilKind.TIME))
        await twins.advance(10.5)
        await twins.sense("emergency", True)
        assert [twins.chip.output(pin) for pin in (4, 5, 6, 7)] == [0, 0, 0, 0]
        await twins.advance(10)
        await twins.send(Set(drum, 1000))
        await twins.send(Clear())
        await twins.sense("emergency", False)
        await twins.advance(10)
        await twins.send(Clear())
        await twins.send(Set(drum, 1000))

    twins = run_scenario(library, scenario)
    assert reasons(twins) == [Reason.FAULT]
    assert codes(twins) == [FaultCode.EMERGENCY_STOP]


def test_a_broken_light_curtain_stops_guarded_parts_only(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        lid, drum = twins.number("lid"), twins.number("drum")
        await twins.send(Set(drum, 1000))
        await twins.sense("curtain", True)
        await twins.advance(10)
        await twins.send(Read(drum))
        await twins.send(Set(lid, 500))
        await twins.advance(10)
        await twins.send(Clear())
        await twins.sense("curtain", False)
        await twins.send(Clear())
        await twins.send(Set(lid, 500))
        await twins.advance(10)
        await twins.sense("curtain", True)
        await twins.advance(10)
        await twins.send(Read(lid))

    twins = run_scenario(library, scenario)
    assert codes(twins) == [FaultCode.LIGHT_CURTAIN] * 2


@pytest.mark.parametrize("waits_for", ["dead time", "back-pressure"])
def test_a_guarded_motor_that_waits_to_start_does_not_start_after_the_curtain_was_broken(
    library: Path, waits_for: str
) -> None:
    async def scenario(twins: Twins) -> None:
        lid, hold = twins.number("lid"), "lift0_up"
        waiting = (
            twins.records[lid]._replace(dead_ms=100)
            if waits_for == "dead time"
            else twins.records[lid]._replace(hold=twins.number(hold))
        )
        twins.records = [waiting if record.index == lid else record for record in twins.records]
        await twins.sense(hold, waits_for == "back-pressure")
        await twins.begin(b"nonce002")
        await twins.advance(10)
        await twins.send(Set(lid, 500))
        await twins.advance(10)
        await twins.sense("curtain", True)
        await twins.advance(10)
        await twins.sense(hold, False)
        await twins.advance(200)
        await twins.send(Read(lid))
        await twins.sense("curtain", False)
        await twins.advance(10)
        await twins.send(Clear())
        await twins.send(Read(lid))
        assert not twins.recorder.outputs.get("lid")

    twins = run_scenario(library, scenario)
    assert codes(twins) == [FaultCode.LIGHT_CURTAIN]


def test_a_table_with_another_channel_on_the_pin_of_the_curtain_is_refused(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        pin = twins.records[twins.number("curtain")].pin
        other = twins.number("lift0_up")
        records = [
            record._replace(pin=pin) if record.index == other else record
            for record in twins.records
        ]
        for record in records:
            await twins.send(record)
        commit = Commit(len(records), configuration_crc(records))
        assert await twins.send(commit) == Refused(Refusal.OUT_OF_RANGE, NONE)

    run_scenario(library, scenario)
