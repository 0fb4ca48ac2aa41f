"""A board at the end of a line, as those who drive it see it."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import tty
from collections.abc import Awaitable, Callable

import pytest

from firmware_bridge import messages as wire
from firmware_bridge.board import (
    Board,
    BoardError,
    BoardFault,
    BoardRefused,
    BoardSilent,
    Edge,
    Edges,
    Elapsed,
    FaultCode,
    Level,
    Reason,
)
from firmware_bridge.codec import configuration_crc
from firmware_bridge.executor.virtual_board import VirtualBoard
from firmware_bridge.messages import Message, Refusal
from firmware_bridge.serial_board import SerialBoard, probe
from firmware_bridge.sim import clock
from firmware_bridge.sim.session import BoardSession
from firmware_bridge.words import records
from tests.firmware_bridge.desk import CONFIG, Copper, Desk, later, story
from tests.firmware_bridge.echo import noise


def _is_a_board(board: SerialBoard) -> Board:
    return board


def kinds(desk: Desk) -> list[type[Message]]:
    return [type(message) for message in desk.asked]


# Start


def test_a_new_board_is_identified_configured_and_made_safe() -> None:
    async def main() -> None:
        desk = Desk()
        identity = await _is_a_board(desk.board).start()
        assert identity.serial == "DESK0001" and identity.build == "sim"
        assert kinds(desk) == [
            wire.Identify,
            *[wire.Configure] * len(CONFIG.channels),
            wire.Commit,
            wire.TakeLease,
        ]
        assert desk.asked[-1] == wire.TakeLease(0)
        assert await desk.board.start() == identity, "starting an open board only says who it is"

    clock.run(main())


def test_a_board_that_has_the_same_table_is_not_configured_again() -> None:
    async def tell(desk: Desk) -> None:
        await desk.board.close()
        desk.asked.clear()
        identity = await desk.board.start()
        assert identity.configuration_crc == configuration_crc(records(CONFIG))
        assert kinds(desk) == [wire.Identify, wire.TakeLease]

    story(tell)


def test_a_board_with_another_key_is_not_driven() -> None:
    async def main() -> None:
        desk = Desk(key=b"a stranger's")
        with pytest.raises(BoardError, match=r"base \(serial DESK0001\) does not know the key"):
            await desk.board.start()
        assert kinds(desk) == [wire.Identify]

    clock.run(main())


def _other_version(message: Message) -> Message:
    return wire.Identity(7, 1, b"sim\0", b"DESK0001", 1, 0, 0, 0, bytes(8))


def _refuses_version(message: Message) -> Message:
    return wire.Refused(wire.Refusal.WRONG_VERSION, wire.NONE)


@pytest.mark.parametrize("answer", [_other_version, _refuses_version])
def test_a_board_of_another_version_says_which_command_upgrades_it(
    answer: Callable[[Message], Message],
) -> None:
    async def main() -> None:
        desk = Desk()
        desk.virtual.execute = lambda message, sequence: answer(message)  # type: ignore[method-assign]
        with pytest.raises(
            BoardError, match=r"this program version 1.*`wallwright firmware flash PORT`"
        ):
            await desk.board.start()

    clock.run(main())


def test_channels_are_numbered_in_the_order_of_the_configuration() -> None:
    table = records(CONFIG)
    assert [record.index for record in table] == list(range(len(CONFIG.channels)))
    lamp, lid, lid_open, _, _, x, dome, reader, _ = table
    assert (lamp.kind, lamp.max_on_ms) == (wire.Kind.OUTPUT, 0)
    assert (lid.second_pin, lid.max_on_ms, lid.forward_stop) == (4, 60_000, lid_open.index)
    assert lid_open.active_high == 0
    assert (x.low_um, x.high_um, x.speed_um_s) == (-500_000, 500_000, 1_000_000)
    assert (x.acceleration_um_s2, x.reverse_stop) == (5_000_000, 4)
    assert (dome.second_pin, dome.max_on_ms, reader.second_pin) == (1, 1500, 2)


# Orders and questions


def test_a_lamp_is_switched() -> None:
    async def tell(desk: Desk) -> None:
        await desk.board.set("lamp", 1)
        assert desk.copper.outputs["lamp"] == 1

    story(tell)


def test_a_drive_ends_at_its_third_edge_with_count_and_time() -> None:
    async def tell(desk: Desk) -> None:
        drive = await later(desk, desk.board.drive("lid", 800, Edges("s1", 3), 5.0))
        assert desk.copper.outputs["lid"] == 800
        for _ in range(3):
            await asyncio.sleep(0.1)
            desk.virtual.sensor("s1", active=True)
            desk.virtual.sensor("s1", active=False)
        ended = await drive
        assert (ended.reason, ended.count) == (Reason.EDGES, 3)
        assert ended.seconds == pytest.approx(0.31, abs=0.02)
        assert desk.copper.outputs["lid"] == 0
        assert await desk.board.count("s1") == 3

    story(tell)


def test_a_drive_until_a_level_that_is_there_already_ends_though_its_end_may_come_first() -> None:
    async def tell(desk: Desk) -> None:
        desk.virtual.sensor("s1", active=True)
        for _ in range(300):
            ended = await desk.board.drive("lid", -500, Level("s1"), 1.0)
            assert ended.reason is Reason.LEVEL

    story(tell, noise(3))


def test_a_drive_runs_out_of_time() -> None:
    async def tell(desk: Desk) -> None:
        assert (await desk.board.drive("lid", 500, Elapsed(), 0.25)).reason is Reason.TIME

    story(tell)


def test_two_motions_at_once_each_get_their_own_end() -> None:
    async def tell(desk: Desk) -> None:
        lid = await later(desk, desk.board.drive("lid", 500, Elapsed(), 2.0))
        for _ in range(200):
            assert (await desk.board.pulse("lamp", 1, 0.001)).reason is Reason.DONE
            await desk.board.read("s1")
        assert not lid.done()
        assert (await lid).reason is Reason.TIME

    story(tell)


def test_an_axis_is_homed_and_moved_and_says_where_it_is() -> None:
    async def tell(desk: Desk) -> None:
        assert (await desk.board.home("x")).reason is Reason.DONE
        desk.virtual.sensor("home", active=False)
        assert (await desk.board.move({"x": 0.123})).reason is Reason.DONE
        assert await desk.board.read("x") == 123_000

    story(tell)


def test_dice_are_thrown_a_tag_is_read_a_voltage_measured() -> None:
    async def tell(desk: Desk) -> None:
        assert await desk.board.throw("dome", 3) == (1, 2, 3)
        assert await desk.board.scan("reader") is None
        desk.copper.tags = 0xE004_0100_0000_0001
        assert await desk.board.scan("reader") == 0xE004_0100_0000_0001
        assert await desk.board.read("current") == 1234

    story(tell)


def test_a_throw_that_is_stopped_says_to_throw_again() -> None:
    async def tell(desk: Desk) -> None:
        throw = asyncio.ensure_future(desk.board.throw("dome", 2))
        await asyncio.sleep(0.1)
        await desk.board.stop("dome")
        with pytest.raises(BoardRefused, match=r"throw of dome ended by STOPPED.*throw again"):
            await throw

    story(tell)


def test_stop_all_stops_without_waiting() -> None:
    async def tell(desk: Desk) -> None:
        drive = await later(desk, desk.board.drive("lid", 500, Elapsed(), 30.0))
        desk.board.stop_all()
        assert (await drive).reason is Reason.STOPPED

    story(tell)


# Refusals


NO_SUCH_CHANNEL = (
    "board base has no channel lampe; it has lamp, lid, lid_open, s1, home, x, dome, reader,"
    " current."
)
WRONG_KIND = (
    "board base refused a pulse of s1: s1 is another kind of channel; see its kind in the table."
)
OUT_OF_RANGE = (
    "board base refused setting lamp to 2: a value, count or time is out of its range; see lamp in"
    " the table."
)
NOT_HOMED = "board base refused a move of x: x does not know where it is; home it first."
NO_AXIS = "board base cannot move lamp as an axis: its kind is output; name an axis."
TOO_MANY = "board base moves one to three axes at once, not 0; order them one after another."


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        (lambda board: board.set("lampe", 1), NO_SUCH_CHANNEL),
        (lambda board: board.pulse("s1", 1, 0.1), WRONG_KIND),
        (lambda board: board.set("lamp", 2), OUT_OF_RANGE),
        (lambda board: board.move({"x": 0.1}), NOT_HOMED),
        (lambda board: board.home("lamp"), NO_AXIS),
        (lambda board: board.move({}), TOO_MANY),
    ],
)
def test_a_refusal_names_the_channel_the_reason_and_what_to_do(
    order: Callable[[SerialBoard], Awaitable[object]], sentence: str
) -> None:
    async def tell(desk: Desk) -> None:
        with pytest.raises(BoardRefused, match=re.escape(sentence)):
            await order(desk.board)

    story(tell)


def test_without_a_lease_nothing_moves_and_the_sentence_says_so() -> None:
    async def tell(desk: Desk) -> None:
        await desk.board.release_lease()
        with pytest.raises(BoardRefused, match=r"no lease is held, or it expired; hold_lease\(\)"):
            await desk.board.set("lamp", 1)

    story(tell)


def test_a_busy_motor_is_named() -> None:
    async def tell(desk: Desk) -> None:
        drive = await later(desk, desk.board.drive("lid", 500, Elapsed(), 3.0))
        with pytest.raises(BoardRefused, match="lid is busy with another order"):
            await desk.board.drive("lid", 500, Elapsed(), 1.0)
        assert (await drive).reason is Reason.TIME

    story(tell)


# The lease


def test_the_lease_is_nested_renewed_while_held_and_returned_by_the_last() -> None:
    async def tell(desk: Desk) -> None:
        await desk.board.hold_lease()
        await desk.board.set("lamp", 1)
        await asyncio.sleep(10.0)
        await desk.board.release_lease()
        await asyncio.sleep(1.0)
        assert desk.copper.outputs["lamp"] == 1
        renewals = kinds(desk).count(wire.TakeLease)
        assert renewals == pytest.approx(11.0 / 0.5 * 3, abs=4)
        await desk.board.release_lease()
        assert desk.copper.outputs["lamp"] == 0
        assert desk.asked[-1] == wire.TakeLease(0)
        asked = len(desk.asked)
        await asyncio.sleep(10.0)
        assert len(desk.asked) == asked, "a board at rest holds no lease"

    story(tell)


def test_two_who_take_the_lease_together_both_have_it_when_told_so() -> None:
    async def tell(desk: Desk) -> None:
        await desk.board.release_lease()
        await asyncio.gather(desk.board.hold_lease(), desk.board.hold_lease())
        await desk.board.set("lamp", 1)
        await desk.board.release_lease()
        await desk.board.set("lamp", 1)

    story(tell)


def test_giving_back_a_lease_that_nobody_holds_is_refused() -> None:
    async def tell(desk: Desk) -> None:
        await desk.board.release_lease()
        with pytest.raises(BoardRefused, match="the lease is given back, but nobody holds it"):
            await desk.board.release_lease()

    story(tell)


def test_a_host_that_stalls_for_two_seconds_loses_the_lease_not_the_board() -> None:
    async def tell(desk: Desk) -> None:
        faults = desk.board.faults
        drive = await later(desk, desk.board.drive("lid", 500, Elapsed(), 30.0))
        desk.deaf = True
        await asyncio.sleep(2.0)
        desk.deaf = False
        ended = await drive
        assert ended.reason is Reason.HELD
        assert desk.copper.outputs["lid"] == 0
        assert await anext(faults) == BoardFault("base", FaultCode.LEASE_EXPIRED, "")
        await asyncio.sleep(0.5)
        with pytest.raises(BoardRefused, match="no lease is held, or it expired") as refused:
            await desk.board.drive("lid", 500, Elapsed(), 0.1)
        assert refused.value.why is Refusal.NO_LEASE, "nothing begins in ignorance of the loss"
        await desk.board.release_lease()
        await desk.board.hold_lease()
        assert (await desk.board.drive("lid", 500, Elapsed(), 0.1)).reason is Reason.TIME

    story(tell)


# Events


def test_every_edge_since_the_call_is_heard_in_order() -> None:
    async def tell(desk: Desk) -> None:
        edges = desk.board.watch("s1", "home")
        await asyncio.sleep(0.01)
        for active in (True, False, True):
            desk.virtual.sensor("s1", active=active)
        desk.virtual.sensor("home", active=True)
        heard = [await anext(edges) for _ in range(4)]
        assert [(e.sensor, e.active, e.count) for e in heard] == [
            ("s1", True, 1),
            ("s1", False, 1),
            ("s1", True, 2),
            ("home", True, 1),
        ]
        assert heard[0].at == pytest.approx(desk.loop.time(), abs=0.05)

    story(tell)


def test_a_sensor_that_nobody_watches_any_more_is_not_reported_any_more() -> None:
    async def tell(desk: Desk) -> None:
        edges = desk.board.watch("s1")
        await asyncio.sleep(0.01)
        del edges
        for active in (True, False, True, False):
            desk.virtual.sensor("s1", active=active)
            await asyncio.sleep(0.1)
        assert desk.asked.count(wire.Watch(3, 0)) == 1
        assert desk.board.traffic.events == 1
        again = desk.board.watch("s1")
        await asyncio.sleep(0.01)
        desk.virtual.sensor("s1", active=True)
        assert isinstance(await anext(again), Edge)

    story(tell)


def test_a_fault_names_its_channel_and_is_heard_by_late_listeners_until_cleared() -> None:
    async def tell(desk: Desk) -> None:
        faults = desk.board.faults
        desk.virtual.latch(FaultCode.OVER_CURRENT, 1)
        fault = BoardFault("base", FaultCode.OVER_CURRENT, "lid")
        assert await anext(faults) == fault
        assert await anext(desk.board.faults) == fault
        with pytest.raises(BoardRefused, match="lid has a latched fault; remove its cause, then"):
            await desk.board.set("lamp", 1)
        await desk.board.clear()
        await desk.board.set("lamp", 1)

    story(tell)


# Losses


def test_an_unplugged_board_fails_everything_that_waits_and_starts_again_on_a_new_line() -> None:
    async def tell(desk: Desk) -> None:
        edges, faults = desk.board.watch("s1"), desk.board.faults
        drive = await later(desk, desk.board.drive("lid", 500, Elapsed(), 30.0))
        desk.host.unplug()
        for waiting in (drive, anext(edges), anext(faults)):
            with pytest.raises(BoardSilent, match="unplugged"):
                await waiting
        await desk.board.release_lease()
        with pytest.raises(BoardSilent):
            await desk.board.hold_lease()
        await asyncio.sleep(1.0)
        assert desk.copper.outputs["lid"] == 0, "the board lets go when its lease expires"
        desk.replug()
        desk.asked.clear()
        await desk.board.start()
        assert kinds(desk) == [wire.Identify, wire.TakeLease], "it has kept its table"
        await desk.board.hold_lease()
        await desk.board.set("lamp", 1)

    story(tell)


def test_whoever_hears_late_of_a_loss_does_not_take_it_for_a_goodbye() -> None:
    async def tell(desk: Desk) -> None:
        edges, faults = desk.board.watch("s1"), desk.board.faults
        desk.host.unplug()
        desk.replug()
        await desk.board.start()
        for late in (edges, faults):
            with pytest.raises(BoardSilent, match="unplugged"):
                await anext(late)

    story(tell)


def test_a_motion_whose_end_is_never_told_is_given_up_after_its_limit_and_stopped() -> None:
    async def tell(desk: Desk) -> None:
        desk.virtual.send = lambda event: None
        with pytest.raises(BoardSilent, match="did not tell how a drive of lid ended, 6 s after"):
            await desk.board.drive("lid", 500, Elapsed(), 1.0)
        assert desk.loop.time() == pytest.approx(7.0, abs=0.1)
        await asyncio.sleep(0.01)
        assert wire.Stop(1) in desk.asked

    story(tell)


def test_closing_stops_everything_ends_the_iterators_and_may_be_done_twice() -> None:
    async def tell(desk: Desk) -> None:
        edges = desk.board.watch("s1")
        drive = await later(desk, desk.board.drive("lid", 500, Elapsed(), 30.0))
        await desk.board.close()
        await desk.board.close()
        assert desk.copper.outputs["lid"] == 0
        assert (await drive).reason is Reason.STOPPED
        assert [edge async for edge in edges] == []
        desk.board.stop_all()
        await desk.board.release_lease()

    story(tell)


def test_on_a_noisy_line_a_whole_shift_of_motions_ends_as_on_a_clean_one() -> None:
    async def tell(desk: Desk) -> None:
        for _ in range(300):
            assert (await desk.board.pulse("lamp", 1, 0.01)).reason is Reason.DONE
            assert (await desk.board.drive("lid", 500, Elapsed(), 0.05)).reason is Reason.TIME
            assert len(await desk.board.throw("dome", 2)) == 2
        assert desk.board.traffic.retries > 20

    story(tell, noise(4))


def test_probing_names_the_boards_that_answer_on_a_port() -> None:
    async def main() -> str:
        far, near = pty.openpty()
        tty.setraw(near)
        loop = asyncio.get_running_loop()
        board = VirtualBoard(CONFIG, Copper(), loop, serial=b"PTY00001")
        session = BoardSession(2, board.execute, lambda data: os.write(far, data) and None)
        loop.add_reader(far, lambda: session.receive(os.read(far, 4096)))
        try:
            return await probe(os.ttyname(near))
        finally:
            loop.remove_reader(far)
            os.close(near)
            os.close(far)

    said = asyncio.run(main())
    assert said == "board PTY00001 at address 2: firmware 1 (sim), protocol 1"


def test_probing_a_port_that_is_not_there_says_so() -> None:
    assert "/dev/no-such-port cannot be opened" in asyncio.run(probe("/dev/no-such-port"))
