"""Tests one virtual board: its channel table, its identity and its refusals.

The boards are connected to the plant of the robotic table. Times are exact, by the virtual clock.
"""

from __future__ import annotations

import pytest

from firmware_bridge.boards.encoding import records
from firmware_bridge.sim import clock
from firmware_bridge.wire.codes import Refusal, UntilKind
from firmware_bridge.wire.messages import (
    NONE,
    PROTOCOL,
    Count,
    Drive,
    Home,
    Identify,
    Identity,
    Move,
    Ok,
    Pulse,
    Read,
    Refused,
    Report,
    Scan,
    SelfTest,
    Set,
    Statistics,
    Stop,
    TakeLease,
    Value,
    Watch,
)
from tests.firmware_bridge.sim.rack import Rack, commit, run_scenario

# The channel table


def test_commands_are_refused_before_the_channel_table_is_committed() -> None:
    async def main() -> None:
        rack = Rack("robotic")
        assert rack.boards["base"].execute(TakeLease(500), 1) == Refused(
            Refusal.NOT_CONFIGURED, NONE
        )
        assert rack.send("lid", lambda lid: Set(lid, 500)) == Refused(Refusal.NOT_CONFIGURED, NONE)
        assert rack.send("lid_opened", Read) == Refused(Refusal.NOT_CONFIGURED, NONE)

    clock.run(main())


def test_a_channel_table_with_a_wrong_crc_is_refused() -> None:
    async def main() -> None:
        rack = Rack("robotic")
        board, rows = rack.boards["base"], records(rack.table.boards["base"])
        for row in rows:
            board.execute(row, 0)
        wrong = commit(rows)._replace(crc=commit(rows).crc ^ 1)
        assert board.execute(wrong, 0) == Refused(Refusal.OUT_OF_RANGE, NONE)
        assert board.execute(TakeLease(500), 0) == Refused(Refusal.NOT_CONFIGURED, NONE)
        assert board.execute(commit(rows), 0) == Ok()
        assert board.execute(TakeLease(500), 0) == Ok()

    clock.run(main())


def test_committing_the_same_table_again_leaves_a_running_motor_running() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        rack.configure()
        assert rack.read("drum") == 700

    run_scenario(main)


def test_committing_another_table_stops_motors_and_ends_the_lease() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        board, rows = rack.boards["base"], records(rack.table.boards["base"])
        rows = (rows[0]._replace(max_on_ms=1234), *rows[1:])
        for row in rows:
            board.execute(row, 0)
        assert board.execute(commit(rows), 0) == Ok()
        assert rack.read("drum") == 0
        assert rack.send("drum", lambda drum: Set(drum, 700)) == Refused(Refusal.NO_LEASE, NONE)

    run_scenario(main)


def test_a_table_whose_stop_is_not_a_sensor_is_refused() -> None:
    async def main() -> None:
        rack = Rack("robotic")
        board, rows = rack.boards["base"], records(rack.table.boards["base"])
        for stop in (rack.number("drum"), 200):
            bad = (rows[0]._replace(forward_stop=stop), *rows[1:])
            for row in bad:
                board.execute(row, 0)
            assert board.execute(commit(bad), 0) == Refused(Refusal.WRONG_KIND, NONE)

    clock.run(main())


def test_a_board_reports_its_identity_and_refuses_another_protocol() -> None:
    async def main(rack: Rack) -> None:
        board, nonce = rack.boards["base"], b"12345678"
        identity = board.execute(Identify(PROTOCOL, nonce), 0)
        assert isinstance(identity, Identity)
        again = board.execute(Identify(PROTOCOL, nonce), 1)
        assert isinstance(again, Identity)
        assert again.nonce != identity.nonce, "each challenge of the host has a new answer"
        assert identity.configuration_crc == commit(records(rack.table.boards["base"])).crc
        assert board.execute(Identify(PROTOCOL + 1, nonce), 0) == Refused(
            Refusal.WRONG_VERSION, NONE
        )
        assert board.execute(SelfTest(), 0) == Value(0)
        assert board.execute(Report(), 0) == Statistics(0, 0, 0, 0, 0)

    run_scenario(main)


# Refusals


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (Set(200, 1), Refusal.UNKNOWN_CHANNEL),
        (Set(1, 1), Refusal.WRONG_KIND),
        (Set(0, 1001), Refusal.OUT_OF_RANGE),
        (Pulse(0, 100, 5001), Refusal.OUT_OF_RANGE),
        (Drive(0, 0, UntilKind.TIME, NONE, 0, 1000, 0), Refusal.OUT_OF_RANGE),
        (Drive(0, 9, UntilKind.TIME, NONE, 0, 0, 0), Refusal.OUT_OF_RANGE),
        (Drive(0, 9, UntilKind.EDGES, 1, 0, 1000, 0), Refusal.OUT_OF_RANGE),
        (Drive(0, 9, UntilKind.EDGES, 0, 1, 1000, 0), Refusal.WRONG_KIND),
        (Drive(0, 9, UntilKind.LEVEL, 255, 1, 1000, 0), Refusal.UNKNOWN_CHANNEL),
        (Drive(0, 9, 7, 1, 1, 1000, 0), Refusal.OUT_OF_RANGE),
        (Move(NONE, 0, NONE, 0, NONE, 0, 1000), Refusal.OUT_OF_RANGE),
        (Move(0, 0, NONE, 0, NONE, 0, 1000), Refusal.WRONG_KIND),
        (Home(0), Refusal.WRONG_KIND),
        (Scan(0), Refusal.WRONG_KIND),
        (Watch(0, 1), Refusal.WRONG_KIND),
        (Count(0), Refusal.WRONG_KIND),
        (Stop(1), Refusal.WRONG_KIND),
        (Ok(), Refusal.OUT_OF_RANGE),
    ],
    ids=repr,
)
def test_a_command_that_a_channel_does_not_support_is_refused(
    message: object, reason: Refusal
) -> None:
    """In these commands channel 0 is the lid's motor, and channel 1 is the lid's switch."""

    async def main(rack: Rack) -> None:
        reply = rack.boards["base"].execute(message, 1)  # type: ignore[arg-type]
        assert isinstance(reply, Refused)
        assert reply.reason == reason

    run_scenario(main)
