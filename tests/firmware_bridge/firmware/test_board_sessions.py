"""Compares sessions on firmware and virtual board: Identify, repetitions, stored state."""

from __future__ import annotations

from pathlib import Path

from firmware_bridge.board import Reason
from firmware_bridge.wire.codec import configuration_crc, encode
from firmware_bridge.wire.codes import UntilKind
from firmware_bridge.wire.messages import (
    NONE,
    PROTOCOL,
    REMEMBERED,
    Clear,
    Commit,
    Count,
    EdgeSeen,
    Faulted,
    Identify,
    Message,
    Pulse,
    Read,
    Recall,
    Report,
    SelfTest,
    Set,
    Statistics,
    Stop,
    TakeLease,
    ThrowDice,
)
from tests.firmware_bridge.firmware.twin_scenarios import drive, pass_tiles, reasons, run_scenario
from tests.firmware_bridge.firmware.twins import Twins


def test_commands_before_identify_are_not_answered(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await twins.deliver(encode(0, 7, SelfTest()))
        await twins.send(Identify(PROTOCOL + 1, b"nonce000"))
        await twins.open(b"nonce001")
        for message in (SelfTest(), TakeLease(500), Stop(NONE), Clear(), Read(0), Report()):
            await twins.send(message)

    twins = run_scenario(library, scenario, begin=False)
    assert len(twins.received[1]) == 1 + 9, "the notice of the start, and the replies"


def test_a_repeated_command_is_answered_again_and_not_executed_again(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await twins.watch("head0_counter")
        pulse = twins.frame(Pulse(twins.number("head0_pusher"), 1000, 40))
        await twins.deliver(pulse)
        await twins.advance(1)
        for _ in range(3):
            await twins.deliver(b"\0" + pulse)
        await twins.deliver(pulse[:-3] + b"\x91\x91\x80\0")
        await twins.advance(60)
        await twins.send(Report())

    twins = run_scenario(library, scenario)
    assert reasons(twins) == [Reason.DONE]


def test_the_replies_to_all_of_the_last_16_commands_are_repeated(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        frames: list[bytes] = []
        for _ in range(40):
            frames.append(twins.frame(Report()))
            await twins.deliver(frames[-1])
        for frame in frames[-REMEMBERED - 1 :]:
            await twins.deliver(frame)

    twins = run_scenario(library, scenario)
    repeated = [frame for frame in twins.received[1] if isinstance(frame.message, Statistics)]
    assert len(repeated) == 40 + REMEMBERED


def test_unacknowledged_events_are_repeated_at_growing_intervals(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await twins.watch("head0_counter")
        for _ in range(10):
            await twins.sense("head0_counter", True)
            await twins.advance(2.3, acknowledge=False)
            await twins.sense("head0_counter", False)
            await twins.advance(2.9, acknowledge=False)
        await twins.advance(1300, acknowledge=False)
        await twins.advance(20)

    twins = run_scenario(library, scenario)
    assert len(twins.events(EdgeSeen)) > 50


def test_a_new_session_ends_motions_without_events_and_reports_faults(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await twins.watch("head0_counter")
        await twins.send(drive(twins, "head0_wheel", 500, UntilKind.EDGES, "head0_counter", 3))
        await twins.sense("emergency", True)
        await twins.advance(5, acknowledge=False)
        await twins.open(b"nonce002")
        await twins.send(Recall(twins.number("head0_wheel")))
        await twins.advance(5)
        await twins.begin(b"nonce003")

    twins = run_scenario(library, scenario)
    assert len(twins.events(Faulted)) == 3


def test_the_same_table_again_does_not_stop_a_running_motor(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await twins.send(Set(twins.number("drum"), 1000))
        for record in twins.records:
            await twins.send(record)
        crc = configuration_crc(twins.records)
        await twins.send(Commit(len(twins.records), crc ^ 1))
        await twins.send(Commit(len(twins.records), crc))
        await twins.send(Read(twins.number("drum")))
        assert twins.chip.output(4) == 1

    run_scenario(library, scenario)


def test_counts_orders_and_dice_are_kept_when_the_supply_is_lost(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        wheel, counter, dice = (
            twins.number(name) for name in ("head0_wheel", "head0_counter", "dice")
        )
        await twins.send(ThrowDice(dice, 2))
        await twins.advance(1600)
        await twins.send(drive(twins, "head0_wheel", 500, UntilKind.EDGES, "head0_counter", 5))
        await pass_tiles(twins, "head0_counter", 2)
        await twins.send(Stop(wheel))
        await twins.sense("head0_vane", False)
        await twins.lose_supply()
        await twins.sense("head0_vane", True)
        await twins.begin(b"nonce009")
        await pass_tiles(twins, "head0_counter", 1)
        commands: list[Message] = [
            Recall(wheel),
            Count(counter),
            Count(twins.number("head0_vane")),
            Count(dice),
            Read(dice),
            Recall(twins.number("head1_wheel")),
        ]
        for command in commands:
            await twins.send(command)

    run_scenario(library, scenario)
