"""Tests one virtual board's inputs: debounced keys, dice and tags."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.board import Reason
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.messages import (
    Count,
    DiceRead,
    EdgeSeen,
    MotionEnded,
    Ok,
    Refused,
    Scan,
    Tag,
    ThrowDice,
    Value,
    Watch,
)
from tests.firmware_bridge.sim.rack import Rack, run_scenario


def test_a_bouncing_key_counts_once() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("done_key")
        for _ in range(4):
            rack.boards["base"].sensor("done_key", True)
            await asyncio.sleep(0.003)
            rack.boards["base"].sensor("done_key", False)
            await asyncio.sleep(0.003)
        rack.boards["base"].sensor("done_key", True)
        settled = rack.loop.time() + 0.02
        await asyncio.sleep(1)
        (at, event), *more = rack.received(EdgeSeen)
        assert at == pytest.approx(settled)
        assert event == EdgeSeen(rack.number("done_key"), 1, round(settled * 1e6), 1)
        assert not more
        assert rack.send("done_key", Count) == Value(1)

    run_scenario(main)


def test_a_sensor_without_subscription_is_not_reported() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("done_key")
        assert rack.send("done_key", lambda key: Watch(key, 0)) == Ok()
        rack.boards["base"].sensor("done_key", True)
        await asyncio.sleep(0.5)
        assert not rack.received(EdgeSeen)
        assert rack.read("done_key") == 1

    run_scenario(main)


def test_dice_are_read_after_the_shaking() -> None:
    async def main(rack: Rack) -> None:
        assert rack.plant.dome is not None
        rack.plant.dome.preset.append((3, 5))
        assert await rack.throw("dice", 2) == (3, 5)
        assert rack.loop.time() == 1.5
        fair = await rack.throw("dice", 3)
        assert all(1 <= die <= 6 for die in fair)

    run_scenario(main)


def test_a_stopped_throw_ends_without_dice() -> None:
    async def main(rack: Rack) -> None:
        assert rack.send("dice", lambda dice: ThrowDice(dice, 2)) == Ok()
        await asyncio.sleep(0.5)
        busy = Refused(Refusal.BUSY, rack.number("dice"))
        assert rack.send("dice", lambda dice: ThrowDice(dice, 2)) == busy
        rack.stop("dice")
        await asyncio.sleep(10)
        ((_, ended),) = rack.received(MotionEnded)
        assert ended.reason == Reason.STOPPED  # type: ignore[attr-defined]
        assert not rack.received(DiceRead)

    run_scenario(main)


def test_an_empty_reader_returns_no_tag() -> None:
    async def main(rack: Rack) -> None:
        assert rack.send("reader", Scan) == Tag(0)

    run_scenario(main)
