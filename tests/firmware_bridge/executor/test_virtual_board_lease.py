"""Tests one virtual board's lease: motors run under a lease only; its end makes outputs safe."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.board import Level, Reason
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.messages import NONE, Held, MotionEnded, Refused, Set
from tests.firmware_bridge.sim.rack import Rack, run_scenario


def test_an_expired_lease_makes_every_output_safe_at_that_instant() -> None:
    async def main(rack: Rack) -> None:
        start = rack.loop.time()
        rack.lease(0.5)
        rack.set("drum", 700)
        rack.set("head0_belt", 600)
        lid = asyncio.create_task(rack.drive("lid", 1000, Level("lid_opened"), 5.0))
        await asyncio.sleep(0.4999)
        assert rack.read("drum") == 700
        assert (await lid).reason is Reason.HELD
        assert rack.loop.time() - start == pytest.approx(0.5, abs=1e-9)
        assert [rack.read(name) for name in ("drum", "head0_belt", "lid")] == [0, 0, 0]
        await asyncio.sleep(0.001)
        assert [at - start for at, _ in rack.received(Held)] == pytest.approx([0.5] * 2)

    run_scenario(main)


def test_a_renewed_lease_ends_only_after_its_last_renewal() -> None:
    async def main(rack: Rack) -> None:
        rack.lease(0.5)
        rack.set("drum", 700)
        for _ in range(20):
            await asyncio.sleep(0.4)
            rack.lease(0.5)
        last = rack.loop.time()
        assert rack.read("drum") == 700
        await asyncio.sleep(10)
        assert rack.received(Held)[0][0] == pytest.approx(last + 0.5, abs=1e-9)

    run_scenario(main)


def test_a_renewal_with_a_shorter_duration_ends_the_lease_sooner() -> None:
    async def main(rack: Rack) -> None:
        rack.lease(0.2)
        await asyncio.sleep(10)
        assert rack.received(Held)[0][0] == pytest.approx(0.2, abs=1e-9)

    run_scenario(main)


def test_a_returned_lease_makes_outputs_safe_without_a_fault() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        rack.lease(0)
        assert rack.read("drum") == 0
        await asyncio.sleep(100)
        assert not rack.received(Held)
        assert rack.send("drum", lambda drum: Set(drum, 1)) == Refused(Refusal.NO_LEASE, NONE)
        rack.lease(1)
        rack.set("drum", 700)

    run_scenario(main)


def test_positions_are_kept_after_an_expired_lease() -> None:
    async def main(rack: Rack) -> None:
        await rack.home("gantry_x")
        rack.lease(0.3)
        assert (await rack.move(gantry_x=0.4)).reason is Reason.HELD
        stopped = rack.read("gantry_x")
        assert -450_000 < stopped < 400_000
        await asyncio.sleep(0.001)
        kinds = [type(event) for _, board, event in rack.events if board == "arm"]
        assert kinds[-2:] == [MotionEnded, Held]
        rack.lease(10)
        assert rack.send("drum", lambda drum: Set(drum, 1)) == Refused(Refusal.NO_LEASE, NONE)
        rack.lease(0)
        rack.lease(10)
        assert (await rack.move(gantry_x=0.4)).reason is Reason.DONE
        assert rack.read("gantry_x") == 400_000

    run_scenario(main)
