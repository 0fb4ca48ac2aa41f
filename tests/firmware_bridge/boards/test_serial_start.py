"""Tests how a `SerialBoard` starts: identification, configuration, probing, other boards."""

from __future__ import annotations

import asyncio
import os
import pty
import tty
from collections.abc import Callable

import pytest

from config.board_profiles import board_names
from firmware_bridge.board import Board
from firmware_bridge.boards.encoding import records
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.commissioning.probe import probe
from firmware_bridge.executor.virtual_board import VirtualBoard
from firmware_bridge.sim import clock
from firmware_bridge.sim.session import BoardSession
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.challenge import verified
from firmware_bridge.wire.codec import Decoder, Frame, configuration_crc, encode
from firmware_bridge.wire.codes import Chip, Kind, Refusal
from firmware_bridge.wire.errors import BoardError, StrangeBoardError
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.messages import Message
from tests.firmware_bridge.serial_rig import (
    CONFIG,
    KEY,
    OutputRecorder,
    SerialRig,
    kinds,
    run_scenario,
)

RECORDS = len(CONFIG.channels) + 1
"""One for each channel, and the limit of the current of all motors."""


def _is_a_board(board: SerialBoard) -> Board:
    return board


def test_a_new_board_is_identified_configured_and_made_safe() -> None:
    async def main() -> None:
        rig = SerialRig()
        identity = await _is_a_board(rig.board).start()
        assert identity.serial == "DESK0001" and identity.build == "sim"
        assert kinds(rig) == [
            wire.Identify,
            wire.Authenticate,
            *[wire.Configure] * RECORDS,
            wire.Commit,
            wire.TakeLease,
        ]
        assert rig.asked[-1] == wire.TakeLease(0)
        assert await rig.board.start() == identity, (
            "a second start returns the identity of the board"
        )

    clock.run(main())


def test_a_board_that_has_the_same_table_is_not_configured_again() -> None:
    async def scenario(rig: SerialRig) -> None:
        await rig.board.close()
        rig.asked.clear()
        identity = await rig.board.start()
        assert identity.configuration_crc == configuration_crc(records(CONFIG))
        assert kinds(rig) == [wire.Identify, wire.Authenticate, wire.TakeLease]

    run_scenario(scenario)


def test_a_board_with_another_key_is_not_driven() -> None:
    async def main() -> None:
        rig = SerialRig(key=b"a stranger's")
        with pytest.raises(BoardError, match=r"base \(serial DESK0001\) does not have the key"):
            await rig.board.start()
        assert kinds(rig) == [wire.Identify]

    clock.run(main())


def _other_version(message: Message) -> Message:
    return wire.Identity(7, 1, 1, b"sim\0", b"DESK0001", 1, 0, 0, 0, bytes(8), bytes(8))


def _refuses_version(message: Message) -> Message:
    return wire.Refused(Refusal.WRONG_VERSION, wire.NONE)


@pytest.mark.parametrize("answer", [_other_version, _refuses_version])
def test_the_error_for_another_protocol_version_names_the_upgrade_command(
    answer: Callable[[Message], Message],
) -> None:
    async def main() -> None:
        rig = SerialRig()
        rig.virtual.execute = lambda message, sequence: answer(message)  # type: ignore[method-assign]
        with pytest.raises(
            BoardError,
            match=rf"program uses version {wire.PROTOCOL}.*`wallwright firmware flash PORT`",
        ):
            await rig.board.start()

    clock.run(main())


def test_channels_are_numbered_in_the_order_of_the_configuration() -> None:
    table = records(CONFIG)
    assert [record.index for record in table] == list(range(RECORDS))
    lamp, lid, lid_open, _, _, x, dome, reader, _, _ = table
    assert (lamp.kind, lamp.max_on_ms) == (Kind.OUTPUT, 0)
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
        session = BoardSession(2, board.execute, lambda data: os.write(far, data) and None, KEY)
        loop.add_reader(far, lambda: session.receive(os.read(far, 4096)))
        try:
            return await probe(os.ttyname(near))
        finally:
            loop.remove_reader(far)
            os.close(near)
            os.close(far)

    description = asyncio.run(main())
    protocol = f"protocol {wire.PROTOCOL}"
    assert description == f"board PTY00001 at address 2: mega2560, firmware 3 (sim), {protocol}"


def test_probing_a_missing_port_reports_that_it_cannot_be_opened() -> None:
    assert "/dev/no-such-port cannot be opened" in asyncio.run(probe("/dev/no-such-port"))


def test_a_board_that_has_another_configuration_is_configured_at_the_start() -> None:
    async def main() -> None:
        rig = SerialRig()
        rig.virtual.channel_table.crc = 0x1234
        await rig.board.start()
        assert kinds(rig).count(wire.Configure) == RECORDS
        assert rig.virtual.channel_table.crc == configuration_crc(records(CONFIG))

    clock.run(main())


async def _reconnect(rig: SerialRig, *, reset: bool = False) -> None:
    """Unplug the line, reset the board if `reset` is set, and start the board on a new line."""
    rig.host.unplug()
    if reset:
        rig.virtual.reset(1)
    rig.replug()
    rig.asked.clear()
    await rig.board.start()


def test_a_board_that_reconnects_with_another_configuration_is_not_configured() -> None:
    async def scenario(rig: SerialRig) -> None:
        rig.virtual.channel_table.crc = 0x1234
        with pytest.raises(StrangeBoardError, match="has the configuration of another table"):
            await _reconnect(rig)
        assert kinds(rig) == [wire.Identify]

    run_scenario(scenario)


def test_a_board_that_reconnects_with_another_serial_number_is_refused() -> None:
    async def scenario(rig: SerialRig) -> None:
        rig.virtual._serial = b"DESK0002"
        with pytest.raises(StrangeBoardError, match="DESK0002 answers instead of DESK0001"):
            await _reconnect(rig)
        assert kinds(rig) == [wire.Identify]

    run_scenario(scenario)


def test_a_board_whose_counter_decreased_is_refused() -> None:
    async def scenario(rig: SerialRig) -> None:
        edges = rig.board.watch("s1")
        await asyncio.sleep(0.1)
        for _ in range(3):
            rig.virtual.sensor("s1", True)
            rig.virtual.sensor("s1", False)
        assert (await anext(edges)).count == 1
        assert await rig.board.count("s1") == 3
        rig.host.unplug()
        rig.virtual.reset(1)
        rig.virtual.memory.counts["s1"] = 2
        with pytest.raises(StrangeBoardError, match="the count of s1 decreased from 3 to 2"):
            await _reconnect(rig)
        assert wire.Watch not in kinds(rig), "the refused board gets no further commands"

    run_scenario(scenario)


def test_a_board_that_was_reset_during_the_disconnect_is_accepted() -> None:
    async def main() -> None:
        rig = SerialRig()
        rig.virtual._boots = 0xFFFF
        assert (await rig.board.start()).boots == 0xFFFF
        await _reconnect(rig, reset=True)
        assert (await rig.board.start()).boots == 0, "the 16-bit counter of starts wraps to 0"

    clock.run(main())


def test_a_board_must_have_the_serial_number_that_the_table_file_names() -> None:
    async def main() -> None:
        for serial in ("DESK0001", "DESK0009"):
            rig = SerialRig()
            config = CONFIG.model_copy(update={"serial": serial})
            board = SerialBoard("base", config, SerialLine(rig.host), KEY)
            if serial == "DESK0001":
                await board.start()
                continue
            with pytest.raises(StrangeBoardError, match="the table's file names DESK0009"):
                await board.start()

    clock.run(main())


def test_a_board_with_another_chip_than_the_table_file_names_is_refused() -> None:
    async def main() -> None:
        for chip, other in (("mega2560", "rp2040"), ("rp2040", "mega2560")):
            rig = SerialRig()
            rig.virtual._chip = Chip[other.upper()]
            config = CONFIG.model_copy(update={"chip": chip})
            board = SerialBoard("base", config, SerialLine(rig.host), KEY)
            sentence = rf"the chip {other} answers, but .* describes the pins of a {chip}; connect"
            with pytest.raises(StrangeBoardError, match=sentence):
                await board.start()
            assert kinds(rig) == [wire.Identify], "the refused board gets no further commands"

    clock.run(main())


def test_a_board_with_an_unknown_chip_is_refused_by_the_number_that_it_reports() -> None:
    async def main() -> None:
        rig = SerialRig()
        rig.virtual._chip = 77  # type: ignore[assignment]
        with pytest.raises(StrangeBoardError, match="the chip 77 answers"):
            await rig.board.start()

    clock.run(main())


def test_a_chip_that_was_changed_on_the_line_breaks_the_proof_of_the_board() -> None:
    async def main() -> None:
        rig = SerialRig()
        frames: list[Frame] = []
        session = BoardSession(
            0, rig.virtual.execute, lambda data: frames.extend(Decoder().feed(data)), KEY
        )
        session.receive(encode(0, 1, wire.Identify(wire.PROTOCOL, b"a nonce!")))
        (identity,) = (frame.message for frame in frames)
        assert isinstance(identity, wire.Identity) and identity.chip == Chip.MEGA2560
        assert verified(KEY, 0, b"a nonce!", identity) is not None
        changed = identity._replace(chip=Chip.RP2040)
        assert verified(KEY, 0, b"a nonce!", changed) is None

    clock.run(main())


def test_every_board_profile_has_a_number_on_the_wire() -> None:
    assert {chip.name.lower() for chip in Chip} == set(board_names())
