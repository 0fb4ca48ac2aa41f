"""Tests the standstill: parts below the lid stop while a person reaches in, then continue."""

from __future__ import annotations

import asyncio

import pytest

from controller.run.stations.standstill import Standstill
from firmware_bridge.board import Board, Edges, Ended, Reason, Until
from firmware_bridge.boards.devices import Motor, Output
from firmware_bridge.sim import clock
from firmware_bridge.wire.errors import BoardRefusedError


class TileASecond(Board):
    """A fake board that counts a tile each second of a drive; it records commands and times."""

    def __init__(self) -> None:
        self.commands: list[tuple[float, str]] = []
        self._stopped: dict[str, asyncio.Event] = {}
        self.late = 0
        """Tiles whose debounce time runs when a drive is stopped."""
        self._last: dict[str, Ended] = {}

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        assert isinstance(until, Edges)
        self._note(f"{motor} {until.count}")
        begun = asyncio.get_running_loop().time()
        stopped = self._stopped[motor] = asyncio.Event()
        try:
            async with asyncio.timeout(min(limit, float(until.count))):
                await stopped.wait()
        except TimeoutError:
            reason = Reason.EDGES if until.count <= limit else Reason.TIME
        else:
            reason = Reason.STOPPED
        seconds = asyncio.get_running_loop().time() - begun
        ended = Ended(reason, int(seconds + 1e-9), seconds)
        self._last[motor] = Ended(reason, ended.count + self.late, seconds)
        return ended

    async def recall(self, channel: str) -> Ended | None:
        return self._last.get(channel)

    async def set(self, channel: str, value: int) -> None:
        self._note(f"{channel} = {value}")

    async def stop(self, channel: str | None = None) -> None:
        self._note(f"{channel} stop")
        if channel in self._stopped:
            self._stopped[channel].set()

    def _note(self, text: str) -> None:
        self.commands.append((round(asyncio.get_running_loop().time(), 3), text))


def test_a_stopped_wheel_is_driven_again_for_the_remaining_tiles() -> None:
    board = TileASecond()

    async def scenario() -> Ended:
        below, wheel = Standstill(), Motor(board, "wheel")
        lifting = asyncio.create_task(below.run(wheel, 1000, Edges("counter", 4), 60.0))
        await asyncio.sleep(1.5)
        async with below.held():
            await asyncio.sleep(20.0)
        return await lifting

    ended = clock.run(scenario())
    assert (ended.reason, ended.count) == (Reason.EDGES, 4)
    assert ended.seconds == pytest.approx(4.5)
    assert board.commands == [(0.0, "wheel 4"), (1.5, "wheel stop"), (21.5, "wheel 3")]


def test_a_running_motor_stops_and_runs_again_after_the_last_standstill() -> None:
    board = TileASecond()

    async def scenario() -> None:
        below, drum = Standstill(), Motor(board, "drum")
        await below.keep_running(drum, 1000)
        async with below.held():
            async with below.held():
                await asyncio.sleep(5.0)
            await asyncio.sleep(5.0)

    clock.run(scenario())
    assert board.commands == [(0.0, "drum = 1000"), (0.0, "drum stop"), (10.0, "drum = 1000")]


def test_no_motor_starts_during_a_standstill() -> None:
    board = TileASecond()

    async def scenario() -> None:
        below, belt, wheel = Standstill(), Motor(board, "belt"), Motor(board, "wheel")
        async with below.held():
            await below.keep_running(belt, 1000)
            lifting = asyncio.create_task(below.run(wheel, 1000, Edges("counter", 1), 60.0))
            await asyncio.sleep(5.0)
            assert board.commands == []
        await lifting

    clock.run(scenario())
    assert board.commands == [(5.0, "wheel 1"), (5.0, "belt = 1000")]


def test_after_a_standstill_the_counting_wheel_starts_before_the_belt() -> None:
    board = TileASecond()

    async def scenario() -> None:
        below, belt, wheel = Standstill(), Motor(board, "belt"), Motor(board, "wheel")
        await below.keep_running(belt, 1000)
        lifting = asyncio.create_task(below.run(wheel, 1000, Edges("counter", 2), 60.0))
        await asyncio.sleep(1.0)
        async with below.held():
            await asyncio.sleep(5.0)
        await lifting

    clock.run(scenario())
    assert board.commands[-2:] == [(6.0, "wheel 1"), (6.0, "belt = 1000")]


def test_a_tile_in_its_debounce_time_at_the_stop_is_not_waited_for_again() -> None:
    board = TileASecond()

    async def scenario() -> Ended:
        board.late = 1
        below, pusher = Standstill(), Motor(board, "pusher")
        pushing = asyncio.create_task(below.run(pusher, 1000, Edges("vane", 1), 60.0))
        await asyncio.sleep(0.999)
        async with below.held():
            await asyncio.sleep(0.001)
        return await pushing

    ended = clock.run(scenario())
    assert (ended.reason, ended.count) == (Reason.EDGES, 1)
    assert board.commands == [(0.0, "pusher 1"), (0.999, "pusher stop")]


def test_a_drive_stopped_by_another_caller_ends() -> None:
    board = TileASecond()

    async def scenario() -> Ended:
        below, wheel = Standstill(), Motor(board, "wheel")
        lifting = asyncio.create_task(below.run(wheel, 1000, Edges("counter", 4), 60.0))
        await asyncio.sleep(1.5)
        await wheel.stop()
        return await lifting

    assert clock.run(scenario()).reason is Reason.STOPPED


def test_a_drive_that_reaches_its_time_limit_ends_with_that_reason() -> None:
    async def scenario() -> Ended:
        wheel = Motor(TileASecond(), "wheel")
        return await Standstill().run(wheel, 1000, Edges("counter", 9), 3.0)

    assert clock.run(scenario()) == Ended(Reason.TIME, 3, 3.0)


def test_a_gate_has_no_current_during_a_standstill_and_opens_before_any_motor_runs() -> None:
    board = TileASecond()

    async def scenario() -> None:
        below, belt, gate = Standstill(), Motor(board, "belt"), Output(board, "gate")
        await below.open(gate)
        await below.keep_running(belt, 1000)
        async with below.held():
            await asyncio.sleep(90.0)
        await asyncio.sleep(30.0)
        await below.renew()
        await below.shut(gate)

    clock.run(scenario())
    assert board.commands == [
        (0.0, "gate = 1"),
        (0.0, "belt = 1000"),
        (0.0, "belt stop"),
        (0.0, "gate stop"),
        (90.0, "gate = 1"),
        (90.0, "belt = 1000"),
        (120.0, "gate = 1"),
        (120.0, "belt = 1000"),
        (120.0, "gate stop"),
    ]


def test_standstills_do_not_count_as_moving_time() -> None:
    async def scenario() -> float:
        below = Standstill()
        waiting = asyncio.create_task(below.wait_moving(0.5))
        await asyncio.sleep(0.3)
        async with below.held():
            await asyncio.sleep(20.0)
        await waiting
        return asyncio.get_running_loop().time()

    assert clock.run(scenario()) == pytest.approx(20.8)


def test_no_part_moves_after_a_standstill_that_no_person_has_ended() -> None:
    """The person has answered "stop", or has not answered: hands can still be in the machine."""
    board = TileASecond()

    async def scenario() -> None:
        below, belt, gate = Standstill(), Motor(board, "belt"), Output(board, "gate")
        wheel = Motor(board, "wheel")
        await below.open(gate)
        await below.keep_running(belt, 1000)
        lifting = asyncio.create_task(below.run(wheel, 1000, Edges("counter", 2), 60.0))
        await asyncio.sleep(0.5)
        with pytest.raises(TimeoutError):
            async with below.held(), asyncio.timeout(5.0):
                await asyncio.sleep(9.0)
        await below.renew()
        await asyncio.sleep(5.0)
        assert not lifting.done()
        lifting.cancel()

    clock.run(scenario())
    assert {text for at, text in board.commands if at > 0.4} == {
        *("belt stop", "gate stop", "wheel stop"),
    }


def test_a_drive_that_was_stopped_before_it_was_sent_has_no_edges_of_an_earlier_drive() -> None:
    """A board that is paused sends nothing; the drive ends after a pause, with STOPPED and 0 s."""

    class Paused(TileASecond):
        is_paused = False

        async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
            if not self.is_paused:
                return await super().drive(motor, value, until, limit)
            stopped = self._stopped[motor] = asyncio.Event()
            await stopped.wait()
            return Ended(Reason.STOPPED, 0, 0.0)

    board = Paused()

    async def scenario() -> Ended:
        below, pusher = Standstill(), Motor(board, "pusher")
        await below.run(pusher, 1000, Edges("vane", 3), 60.0)
        board.is_paused = True
        pushing = asyncio.create_task(below.run(pusher, 1000, Edges("vane", 2), 60.0))
        await asyncio.sleep(1.0)
        async with below.held():
            await asyncio.sleep(1.0)
            board.is_paused = False
        return await pushing

    ended = clock.run(scenario())
    assert (ended.reason, ended.count) == (Reason.EDGES, 2)
    assert board.commands == [(0.0, "pusher 3"), (4.0, "pusher stop"), (5.0, "pusher 2")]


def test_a_board_that_refuses_a_stop_does_not_spare_the_parts_after_it() -> None:
    class Refuses(TileASecond):
        async def stop(self, channel: str | None = None) -> None:
            await super().stop(channel)
            if channel == "belt":
                raise BoardRefusedError("board base refused.")

    board = Refuses()

    async def scenario() -> None:
        below, belt, drum = Standstill(), Motor(board, "belt"), Motor(board, "drum")
        gate = Output(board, "gate")
        await below.open(gate)
        await below.keep_running(belt, 1000)
        await below.keep_running(drum, 1000)
        with pytest.raises(BoardRefusedError):
            async with below.held():
                raise AssertionError("nobody is asked while a part may still move")
        await below.renew()

    clock.run(scenario())
    assert [text for _, text in board.commands[3:]] == ["belt stop", "drum stop", "gate stop"]
