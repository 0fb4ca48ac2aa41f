"""Tests `SerialBoard` after an expired lease, an unplugged line and a lost event."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

import pytest

from firmware_bridge.board import BoardFault, Elapsed, FaultCode, Reason
from firmware_bridge.sim import clock
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.errors import BoardRefusedError, BoardSilentError
from tests.firmware_bridge.echo import noise
from tests.firmware_bridge.serial_rig import SerialRig, begun, kinds, run_scenario

# The lease


def test_the_lease_nests_is_renewed_while_held_and_is_returned_by_the_last_holder() -> None:
    async def scenario(rig: SerialRig) -> None:
        await rig.board.hold_lease()
        await rig.board.set("lamp", 1)
        await asyncio.sleep(10.0)
        await rig.board.release_lease()
        await asyncio.sleep(1.0)
        assert rig.recorder.outputs["lamp"] == 1
        renewals = kinds(rig).count(wire.TakeLease)
        assert renewals == pytest.approx(11.0 / 0.5 * 3, abs=4)
        await rig.board.release_lease()
        assert rig.recorder.outputs["lamp"] == 0
        assert rig.asked[-1] == wire.TakeLease(0)
        asked = len(rig.asked)
        await asyncio.sleep(10.0)
        assert len(rig.asked) == asked, "a returned lease is not renewed"

    run_scenario(scenario)


def test_two_tasks_that_take_the_lease_together_both_hold_it_afterwards() -> None:
    async def scenario(rig: SerialRig) -> None:
        await rig.board.release_lease()
        await asyncio.gather(rig.board.hold_lease(), rig.board.hold_lease())
        await rig.board.set("lamp", 1)
        await rig.board.release_lease()
        await rig.board.set("lamp", 1)

    run_scenario(scenario)


def test_releasing_a_lease_that_is_not_held_is_refused() -> None:
    async def scenario(rig: SerialRig) -> None:
        await rig.board.release_lease()
        with pytest.raises(BoardRefusedError, match=r"release_lease\(\) without a lease"):
            await rig.board.release_lease()

    run_scenario(scenario)


def test_R13_a_board_makes_its_outputs_safe_when_its_host_is_silent() -> None:
    async def scenario(rig: SerialRig) -> None:
        faults = rig.board.faults
        drive = await begun(rig, rig.board.drive("lid", 500, Elapsed(), 30.0))
        rig.drops_input = True
        await asyncio.sleep(2.0)
        rig.drops_input = False
        ended = await drive
        assert ended.reason is Reason.HELD
        assert rig.recorder.outputs["lid"] == 0
        assert await anext(faults) == BoardFault("base", FaultCode.LEASE_EXPIRED, "")
        await asyncio.sleep(0.5)
        with pytest.raises(BoardRefusedError, match="or the lease expired") as refused:
            await rig.board.drive("lid", 500, Elapsed(), 0.1)
        assert refused.value.why is Refusal.NO_LEASE, "no order begins before the loss is noticed"
        await rig.board.release_lease()
        await rig.board.hold_lease()
        assert (await rig.board.drive("lid", 500, Elapsed(), 0.1)).reason is Reason.TIME

    run_scenario(scenario)


# The line


def test_an_unplugged_board_fails_all_pending_calls_and_starts_again_on_a_new_line() -> None:
    async def scenario(rig: SerialRig) -> None:
        edges, faults = rig.board.watch("s1"), rig.board.faults
        drive = await begun(rig, rig.board.drive("lid", 500, Elapsed(), 30.0))
        rig.host.unplug()
        for waiting in (drive, anext(edges), anext(faults)):
            with pytest.raises(BoardSilentError, match="unplugged"):
                await waiting
        await rig.board.release_lease()
        with pytest.raises(BoardSilentError):
            await rig.board.hold_lease()
        await asyncio.sleep(1.0)
        assert rig.recorder.outputs["lid"] == 0, "the board stops when its lease expires"
        rig.replug()
        rig.asked.clear()
        await rig.board.start()
        assert kinds(rig) == [wire.Identify, wire.Authenticate, wire.TakeLease], (
            "a board that kept its channel table is not configured again"
        )
        await rig.board.hold_lease()
        await rig.board.set("lamp", 1)

    run_scenario(scenario)


def test_the_progress_of_an_earlier_drive_is_not_taken_for_that_of_a_lost_one() -> None:
    """The second drive never reached the board. Otherwise its tiles would count as lifted."""

    async def scenario(rig: SerialRig) -> None:
        first = await rig.board.drive("lid", 500, Elapsed(), 0.5)
        assert first.reason is Reason.TIME
        recalled = await rig.board.recall("lid")
        assert recalled is not None and recalled.reason is Reason.TIME
        rig.drops_input = True
        lost = asyncio.ensure_future(rig.board.drive("lid", 500, Elapsed(), 30.0))
        await asyncio.sleep(0.01)
        rig.host.unplug()
        with pytest.raises(BoardSilentError):
            await lost
        rig.drops_input = False
        rig.replug()
        await rig.board.start()
        assert await rig.board.recall("lid") is None

    run_scenario(scenario)


def test_a_board_that_is_unplugged_during_its_configuration_raises_one_error_only() -> None:
    async def main() -> None:
        rig = SerialRig()
        warnings: list[object] = []
        rig.loop.set_exception_handler(lambda loop, context: warnings.append(context))
        execute, unplug = rig.virtual.execute, rig.host.unplug

        def unplug_at_first_record(message: wire.Message, sequence: int) -> wire.Message:
            if isinstance(message, wire.Configure):
                asyncio.get_running_loop().call_soon(unplug)
            return execute(message, sequence)

        rig.virtual.execute = unplug_at_first_record  # type: ignore[method-assign]
        with pytest.raises(BoardSilentError, match="unplugged"):
            await rig.board.start()
        del rig
        await asyncio.sleep(0)
        gc.collect()
        assert warnings == []

    clock.run(main())


def test_a_subscriber_that_reads_late_receives_the_loss_as_an_error() -> None:
    async def scenario(rig: SerialRig) -> None:
        edges, faults = rig.board.watch("s1"), rig.board.faults
        rig.host.unplug()
        rig.replug()
        await rig.board.start()
        for late in (edges, faults):
            with pytest.raises(BoardSilentError, match="unplugged"):
                await anext(late)

    run_scenario(scenario)


def test_a_motion_whose_end_is_never_reported_is_stopped_after_its_limit() -> None:
    async def scenario(rig: SerialRig) -> None:
        rig.virtual.send = lambda event: None
        with pytest.raises(
            BoardSilentError, match="did not report the end of a drive of lid within 6 s after"
        ):
            await rig.board.drive("lid", 500, Elapsed(), 1.0)
        assert rig.loop.time() == pytest.approx(7.0, abs=0.1)
        await asyncio.sleep(0.01)
        assert wire.Stop(1) in rig.asked

    run_scenario(scenario)


def test_closing_stops_motions_ends_iterators_and_is_idempotent() -> None:
    async def scenario(rig: SerialRig) -> None:
        edges = rig.board.watch("s1")
        drive = await begun(rig, rig.board.drive("lid", 500, Elapsed(), 30.0))
        await rig.board.close()
        await rig.board.close()
        assert rig.recorder.outputs["lid"] == 0
        assert (await drive).reason is Reason.STOPPED
        assert [edge async for edge in edges] == []
        rig.board.stop_all()
        await rig.board.release_lease()

    run_scenario(scenario)


@pytest.mark.slow
def test_on_a_noisy_line_300_pulses_drives_and_throws_end_as_on_a_clean_line() -> None:
    async def scenario(rig: SerialRig) -> None:
        for _ in range(300):
            assert (await rig.board.pulse("lamp", 1, 0.01)).reason is Reason.DONE
            assert (await rig.board.drive("lid", 500, Elapsed(), 0.05)).reason is Reason.TIME
            assert len(await rig.board.throw("dome", 2)) == 2
        assert rig.board.traffic.retries > 20

    run_scenario(scenario, noise(4))


# A lease that the board refuses


def _refuse_leases(rig: SerialRig, when: Callable[[], bool]) -> None:
    """Make the board refuse every lease while `when()` is true."""
    execute = rig.virtual.execute

    def answer(message: wire.Message, sequence: int) -> wire.Message:
        if isinstance(message, wire.TakeLease) and message.duration_ms and when():
            return wire.Refused(Refusal.FAULT_LATCHED, wire.NONE)
        return execute(message, sequence)

    rig.virtual.execute = answer  # type: ignore[method-assign]


def test_a_refused_lease_is_not_held() -> None:
    async def scenario(rig: SerialRig) -> None:
        await rig.board.release_lease()
        _refuse_leases(rig, lambda: True)
        with pytest.raises(BoardRefusedError, match="a lease"):
            await rig.board.hold_lease()
        asked = len(rig.asked)
        await asyncio.sleep(5.0)
        assert rig.asked[asked:] in ([], [wire.TakeLease(0)]), "the lease is not requested again"
        with pytest.raises(BoardRefusedError, match="without a lease"):
            await rig.board.release_lease()

    run_scenario(scenario)


def test_every_task_that_requests_a_refused_lease_receives_the_refusal() -> None:
    async def scenario(rig: SerialRig) -> None:
        await rig.board.release_lease()
        _refuse_leases(rig, lambda: True)
        both = await asyncio.gather(
            rig.board.hold_lease(), rig.board.hold_lease(), return_exceptions=True
        )
        assert [type(each) for each in both] == [BoardRefusedError, BoardRefusedError]

    run_scenario(scenario)


def test_a_lease_whose_renewal_is_refused_is_not_taken_as_held() -> None:
    """A refused renewal means that the board has made its outputs safe, so the lease is lost."""

    async def scenario(rig: SerialRig) -> None:
        _refuse_leases(rig, lambda: rig.loop.time() < refused_until)
        refused_until = rig.loop.time() + 0.3
        await asyncio.sleep(2.0)
        asked = len(rig.asked)
        await asyncio.sleep(5.0)
        assert [each for each in rig.asked[asked:] if isinstance(each, wire.TakeLease)] == []
        with pytest.raises(BoardRefusedError):
            await rig.board.hold_lease()
        with pytest.raises(BoardRefusedError, match="no lease is held"):
            await rig.board.set("lamp", 1)

    run_scenario(scenario)
