"""What is lost between host and board, a lease, a line or a word, and how that ends."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

import pytest

from firmware_bridge.board import BoardFault, Elapsed, FaultCode, Reason
from firmware_bridge.sim import clock
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.errors import BoardRefusedError, BoardSilentError
from firmware_bridge.wire.messages import Refusal
from tests.firmware_bridge.desk import Desk, kinds, later, run_scenario
from tests.firmware_bridge.echo import noise

# The lease


def test_the_lease_is_nested_renewed_while_held_and_returned_by_the_last() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.board.hold_lease()
        await desk.board.set("lamp", 1)
        await asyncio.sleep(10.0)
        await desk.board.release_lease()
        await asyncio.sleep(1.0)
        assert desk.recorder.outputs["lamp"] == 1
        renewals = kinds(desk).count(wire.TakeLease)
        assert renewals == pytest.approx(11.0 / 0.5 * 3, abs=4)
        await desk.board.release_lease()
        assert desk.recorder.outputs["lamp"] == 0
        assert desk.asked[-1] == wire.TakeLease(0)
        asked = len(desk.asked)
        await asyncio.sleep(10.0)
        assert len(desk.asked) == asked, "a board at rest holds no lease"

    run_scenario(scenario)


def test_two_who_take_the_lease_together_both_have_it_when_told_so() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.board.release_lease()
        await asyncio.gather(desk.board.hold_lease(), desk.board.hold_lease())
        await desk.board.set("lamp", 1)
        await desk.board.release_lease()
        await desk.board.set("lamp", 1)

    run_scenario(scenario)


def test_giving_back_a_lease_that_nobody_holds_is_refused() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.board.release_lease()
        with pytest.raises(BoardRefusedError, match="the lease is given back, but nobody holds it"):
            await desk.board.release_lease()

    run_scenario(scenario)


def test_a_host_that_stalls_for_two_seconds_loses_the_lease_not_the_board() -> None:
    async def scenario(desk: Desk) -> None:
        faults = desk.board.faults
        drive = await later(desk, desk.board.drive("lid", 500, Elapsed(), 30.0))
        desk.deaf = True
        await asyncio.sleep(2.0)
        desk.deaf = False
        ended = await drive
        assert ended.reason is Reason.HELD
        assert desk.recorder.outputs["lid"] == 0
        assert await anext(faults) == BoardFault("base", FaultCode.LEASE_EXPIRED, "")
        await asyncio.sleep(0.5)
        with pytest.raises(BoardRefusedError, match="no lease is held, or it expired") as refused:
            await desk.board.drive("lid", 500, Elapsed(), 0.1)
        assert refused.value.why is Refusal.NO_LEASE, "nothing begins in ignorance of the loss"
        await desk.board.release_lease()
        await desk.board.hold_lease()
        assert (await desk.board.drive("lid", 500, Elapsed(), 0.1)).reason is Reason.TIME

    run_scenario(scenario)


# The line


def test_an_unplugged_board_fails_everything_that_waits_and_starts_again_on_a_new_line() -> None:
    async def scenario(desk: Desk) -> None:
        edges, faults = desk.board.watch("s1"), desk.board.faults
        drive = await later(desk, desk.board.drive("lid", 500, Elapsed(), 30.0))
        desk.host.unplug()
        for waiting in (drive, anext(edges), anext(faults)):
            with pytest.raises(BoardSilentError, match="unplugged"):
                await waiting
        await desk.board.release_lease()
        with pytest.raises(BoardSilentError):
            await desk.board.hold_lease()
        await asyncio.sleep(1.0)
        assert desk.recorder.outputs["lid"] == 0, "the board lets go when its lease expires"
        desk.replug()
        desk.asked.clear()
        await desk.board.start()
        assert kinds(desk) == [wire.Identify, wire.TakeLease], "it has kept its table"
        await desk.board.hold_lease()
        await desk.board.set("lamp", 1)

    run_scenario(scenario)


def test_a_board_that_is_unplugged_while_it_is_told_its_table_is_complained_of_once() -> None:
    async def main() -> None:
        desk = Desk()
        complaints: list[object] = []
        desk.loop.set_exception_handler(lambda loop, context: complaints.append(context))
        execute, unplug = desk.virtual.execute, desk.host.unplug

        def until_its_table_comes(message: wire.Message, sequence: int) -> wire.Message:
            if isinstance(message, wire.Configure):
                asyncio.get_running_loop().call_soon(unplug)
            return execute(message, sequence)

        desk.virtual.execute = until_its_table_comes  # type: ignore[method-assign]
        with pytest.raises(BoardSilentError, match="unplugged"):
            await desk.board.start()
        del desk
        await asyncio.sleep(0)
        gc.collect()
        assert complaints == []

    clock.run(main())


def test_whoever_hears_late_of_a_loss_does_not_take_it_for_a_goodbye() -> None:
    async def scenario(desk: Desk) -> None:
        edges, faults = desk.board.watch("s1"), desk.board.faults
        desk.host.unplug()
        desk.replug()
        await desk.board.start()
        for late in (edges, faults):
            with pytest.raises(BoardSilentError, match="unplugged"):
                await anext(late)

    run_scenario(scenario)


def test_a_motion_whose_end_is_never_told_is_given_up_after_its_limit_and_stopped() -> None:
    async def scenario(desk: Desk) -> None:
        desk.virtual.send = lambda event: None
        with pytest.raises(
            BoardSilentError, match="did not tell how a drive of lid ended, 6 s after"
        ):
            await desk.board.drive("lid", 500, Elapsed(), 1.0)
        assert desk.loop.time() == pytest.approx(7.0, abs=0.1)
        await asyncio.sleep(0.01)
        assert wire.Stop(1) in desk.asked

    run_scenario(scenario)


def test_closing_stops_everything_ends_the_iterators_and_may_be_done_twice() -> None:
    async def scenario(desk: Desk) -> None:
        edges = desk.board.watch("s1")
        drive = await later(desk, desk.board.drive("lid", 500, Elapsed(), 30.0))
        await desk.board.close()
        await desk.board.close()
        assert desk.recorder.outputs["lid"] == 0
        assert (await drive).reason is Reason.STOPPED
        assert [edge async for edge in edges] == []
        desk.board.stop_all()
        await desk.board.release_lease()

    run_scenario(scenario)


def test_on_a_noisy_line_a_whole_shift_of_motions_ends_as_on_a_clean_one() -> None:
    async def scenario(desk: Desk) -> None:
        for _ in range(300):
            assert (await desk.board.pulse("lamp", 1, 0.01)).reason is Reason.DONE
            assert (await desk.board.drive("lid", 500, Elapsed(), 0.05)).reason is Reason.TIME
            assert len(await desk.board.throw("dome", 2)) == 2
        assert desk.board.traffic.retries > 20

    run_scenario(scenario, noise(4))


# A lease that the board refuses


def _refuses_leases(desk: Desk, when: Callable[[], bool]) -> None:
    """The board says no to every lease while this is so."""
    execute = desk.virtual.execute

    def answer(message: wire.Message, sequence: int) -> wire.Message:
        if isinstance(message, wire.TakeLease) and message.duration_ms and when():
            return wire.Refused(Refusal.FAULT_LATCHED, wire.NONE)
        return execute(message, sequence)

    desk.virtual.execute = answer  # type: ignore[method-assign]


def test_a_refused_lease_is_not_held() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.board.release_lease()
        _refuses_leases(desk, lambda: True)
        with pytest.raises(BoardRefusedError, match="a lease"):
            await desk.board.hold_lease()
        asked = len(desk.asked)
        await asyncio.sleep(5.0)
        assert desk.asked[asked:] in ([], [wire.TakeLease(0)]), "it is not asked for again"
        with pytest.raises(BoardRefusedError, match="nobody holds it"):
            await desk.board.release_lease()

    run_scenario(scenario)


def test_all_who_ask_together_for_a_refused_lease_are_told_so() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.board.release_lease()
        _refuses_leases(desk, lambda: True)
        both = await asyncio.gather(
            desk.board.hold_lease(), desk.board.hold_lease(), return_exceptions=True
        )
        assert [type(each) for each in both] == [BoardRefusedError, BoardRefusedError]

    run_scenario(scenario)


def test_a_lease_that_is_refused_when_it_is_renewed_is_not_taken_as_held() -> None:
    """A board that refuses a renewal has let go: nobody takes its lease again unknowingly."""

    async def scenario(desk: Desk) -> None:
        _refuses_leases(desk, lambda: desk.loop.time() < refused_until)
        refused_until = desk.loop.time() + 0.3
        await asyncio.sleep(2.0)
        asked = len(desk.asked)
        await asyncio.sleep(5.0)
        assert [each for each in desk.asked[asked:] if isinstance(each, wire.TakeLease)] == []
        with pytest.raises(BoardRefusedError):
            await desk.board.hold_lease()
        with pytest.raises(BoardRefusedError, match="no lease is held"):
            await desk.board.set("lamp", 1)

    run_scenario(scenario)
