"""How a board at the end of a line is met: identified, configured, probed; or not driven at all."""

from __future__ import annotations

import asyncio
import os
import pty
import tty
from collections.abc import Callable

import pytest

from firmware_bridge.board import Board
from firmware_bridge.boards.encoding import records
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.commissioning.probe import probe
from firmware_bridge.executor.virtual_board import VirtualBoard
from firmware_bridge.sim import clock
from firmware_bridge.sim.session import BoardSession
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.errors import BoardError, StrangeBoardError
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.messages import Message
from tests.firmware_bridge.desk import CONFIG, KEY, Desk, OutputRecorder, kinds, run_scenario


def _is_a_board(board: SerialBoard) -> Board:
    return board


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
    async def scenario(desk: Desk) -> None:
        await desk.board.close()
        desk.asked.clear()
        identity = await desk.board.start()
        assert identity.configuration_crc == configuration_crc(records(CONFIG))
        assert kinds(desk) == [wire.Identify, wire.TakeLease]

    run_scenario(scenario)


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


def test_probing_names_the_boards_that_answer_on_a_port() -> None:
    async def main() -> str:
        far, near = pty.openpty()
        tty.setraw(near)
        loop = asyncio.get_running_loop()
        board = VirtualBoard(CONFIG, OutputRecorder(), loop, serial=b"PTY00001")
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


def test_a_board_that_has_another_configuration_is_configured_before_anything_else() -> None:
    async def main() -> None:
        desk = Desk()
        desk.virtual._crc = 0x1234
        await desk.board.start()
        assert kinds(desk).count(wire.Configure) == len(CONFIG.channels)
        assert desk.virtual._crc == configuration_crc(records(CONFIG))

    clock.run(main())


async def _meet_again(desk: Desk, *, reset: bool = False) -> None:
    """The line is lost and opened again; the board may have been reset meanwhile."""
    desk.host.unplug()
    if reset:
        desk.virtual.reset(1)
    desk.replug()
    desk.asked.clear()
    await desk.board.start()


def test_a_board_that_answers_again_with_another_configuration_is_not_configured() -> None:
    async def scenario(desk: Desk) -> None:
        desk.virtual._crc = 0x1234
        with pytest.raises(StrangeBoardError, match="has the configuration of another table"):
            await _meet_again(desk)
        assert kinds(desk) == [wire.Identify]

    run_scenario(scenario)


def test_a_board_that_answers_again_with_another_serial_number_is_a_stranger() -> None:
    async def scenario(desk: Desk) -> None:
        desk.virtual._serial = b"DESK0002"
        with pytest.raises(StrangeBoardError, match="serial DESK0002 answers where DESK0001 did"):
            await _meet_again(desk)
        assert kinds(desk) == [wire.Identify]

    run_scenario(scenario)


def test_a_board_whose_counter_went_back_is_a_stranger() -> None:
    async def scenario(desk: Desk) -> None:
        edges = desk.board.watch("s1")
        await asyncio.sleep(0.1)
        for _ in range(3):
            desk.virtual.sensor("s1", True)
            desk.virtual.sensor("s1", False)
        assert (await anext(edges)).count == 1
        assert await desk.board.count("s1") == 3
        desk.host.unplug()
        desk.virtual.reset(1)
        desk.virtual.memory.counts["s1"] = 2
        with pytest.raises(StrangeBoardError, match="s1 counts 2 and had counted 3"):
            await _meet_again(desk)
        assert wire.Watch not in kinds(desk), "it is not used"

    run_scenario(scenario)


def test_a_board_that_was_reset_in_between_is_the_same_board() -> None:
    async def main() -> None:
        desk = Desk()
        desk.virtual._boots = 0xFFFF
        assert (await desk.board.start()).boots == 0xFFFF
        await _meet_again(desk, reset=True)
        assert (await desk.board.start()).boots == 0, "its 16 bits are full"

    clock.run(main())


def test_the_tables_file_may_name_the_serial_number() -> None:
    async def main() -> None:
        for serial in ("DESK0001", "DESK0009"):
            desk = Desk()
            config = CONFIG.model_copy(update={"serial": serial})
            board = SerialBoard("base", config, SerialLine(desk.host), KEY)
            if serial == "DESK0001":
                await board.start()
                continue
            with pytest.raises(StrangeBoardError, match="the table's file names DESK0009"):
                await board.start()

    clock.run(main())
