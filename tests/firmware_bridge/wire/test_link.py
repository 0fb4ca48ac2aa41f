"""Tests the host's side of the link, on a line in memory and in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from firmware_bridge.sim import clock
from firmware_bridge.sim.line import Noise, memory_line
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import encode
from firmware_bridge.wire.errors import BoardError, BoardSilentError
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.messages import WINDOW
from firmware_bridge.wire.sliding_window import REPETITIONS, RoundTrip
from tests.firmware_bridge.echo import EchoBoard, Wired, begin, noise


def run_scenario(
    scenario: Callable[[Wired], Awaitable[None]], line_noise: Noise | None = None
) -> None:
    """Run a scenario on an identified link, in virtual time."""

    async def main() -> None:
        wired = Wired(line_noise)
        await wired.identify()
        await scenario(wired)

    clock.run(main())


def edge(number: int) -> wire.EdgeSeen:
    return wire.EdgeSeen(1, number & 1, number, number)


def test_a_command_is_executed_and_its_reply_received() -> None:
    async def scenario(wired: Wired) -> None:
        began = asyncio.get_running_loop().time()
        assert await wired.link.request(wire.Read(42)) == wire.Value(42)
        assert asyncio.get_running_loop().time() - began < 0.003

    run_scenario(scenario)


def test_a_command_before_identify_is_an_error_that_asks_for_a_start() -> None:
    async def main() -> None:
        with pytest.raises(BoardSilentError, match="has not been identified yet; start it first"):
            await Wired().link.request(wire.Clear())

    clock.run(main())


def test_no_more_than_the_window_is_in_flight_and_all_commands_arrive_in_order() -> None:
    async def scenario(wired: Wired) -> None:
        replies = [wired.link.request(wire.Set(1, value)) for value in range(1000)]
        await asyncio.sleep(0)
        assert wired.host.bytes_sent < (WINDOW + 3) * 20
        await asyncio.gather(*replies)
        assert wired.board.done == list(range(1000))

    run_scenario(scenario)


def test_no_more_bytes_are_in_flight_than_the_board_can_store_while_it_executes() -> None:
    """Eight records of a channel table are longer than the 256 bytes of a receive buffer."""

    async def scenario(wired: Wired) -> None:
        record = wire.Configure(1, *[1] * (len(wire.Configure._fields) - 1))
        before = wired.host.bytes_sent
        wired.board.drops_input = True
        replies = [wired.link.request(record) for _ in range(WINDOW)]
        await asyncio.sleep(0.005)
        in_flight = wired.host.bytes_sent - before
        assert 3 * 40 < in_flight <= wire.RECEIVING
        wired.board.drops_input = False
        assert await asyncio.gather(*replies) == [wire.Ok()] * WINDOW

    run_scenario(scenario)


def test_a_reply_to_a_repeated_command_does_not_change_the_measured_round_trip() -> None:
    """Nobody knows which of the two frames the reply answers (Karn's rule)."""

    async def scenario(wired: Wired) -> None:
        for _ in range(5):
            await wired.link.request(wire.Clear())
        trip = wired.link._exchange.round_trip
        measured = (trip._mean, trip._spread)
        wired.board.drops_input = True
        reply = wired.link.request(wire.Clear())
        await asyncio.sleep(0.005)
        wired.board.drops_input = False
        await reply
        assert wired.link.traffic.retries > 0
        assert (trip._mean, trip._spread) == measured
        await wired.link.request(wire.Clear())
        assert (trip._mean, trip._spread) != measured

    run_scenario(scenario)


def test_an_old_notice_of_a_start_that_the_line_repeats_does_not_end_the_session() -> None:
    async def scenario(wired: Wired) -> None:
        boots = wired.link._boots
        wired.there.write(encode(0, 0, wire.Started(boots, 1)))
        assert await wired.link.request(wire.Read(7)) == wire.Value(7)
        assert wired.lost == []
        wired.there.write(encode(0, 0, wire.Started(boots + 1, 1)))
        await asyncio.sleep(0.005)
        assert ["was reset" in each for each in wired.lost] == [True], "a new start ends it"

    run_scenario(scenario)


def test_a_lost_command_is_sent_again_and_executed_once() -> None:
    async def scenario(wired: Wired) -> None:
        wired.board.drops_input = True
        reply = wired.link.request(wire.Set(1, 5))
        await asyncio.sleep(0.005)
        wired.board.drops_input = False
        assert await reply == wire.Ok()
        assert wired.board.done == [5]
        assert wired.link.traffic.retries == 1

    run_scenario(scenario)


def test_a_lost_reply_is_sent_again_and_the_command_is_executed_once() -> None:
    async def scenario(wired: Wired) -> None:
        wired.host.connect(lambda _: None, lambda _: None)
        reply = wired.link.request(wire.Set(1, 5))
        await asyncio.sleep(0.005)
        wired.host.connect(wired.line._receive, wired.line._lose)
        assert await reply == wire.Ok()
        assert wired.board.done == [5]
        assert wired.board.session.repeated == 1

    run_scenario(scenario)


def test_a_board_that_does_not_answer_is_reported_as_silent_after_every_retry() -> None:
    async def scenario(wired: Wired) -> None:
        wired.board.drops_input = True
        began = asyncio.get_running_loop().time()
        with pytest.raises(
            BoardSilentError, match=r"no answer to Clear, which was sent 9 times\. Check the board"
        ):
            await wired.link.request(wire.Clear())
        assert 1.0 < asyncio.get_running_loop().time() - began < 5.0
        assert wired.link.traffic.retries == REPETITIONS
        assert len(wired.lost) == 1

    run_scenario(scenario)


def test_after_silence_nothing_is_sent_until_the_board_is_identified_again() -> None:
    async def scenario(wired: Wired) -> None:
        wired.board.drops_input = True
        replies = [wired.link.request(wire.Set(1, value)) for value in range(20)]
        results = await asyncio.gather(*replies, return_exceptions=True)
        assert all(isinstance(result, BoardSilentError) for result in results)
        wired.board.drops_input = False
        with pytest.raises(BoardSilentError):
            await wired.link.request(wire.Set(1, 99))
        await begin(wired.link, b"another!")
        await wired.link.request(wire.Set(1, 100))
        assert wired.board.done == [100]

    run_scenario(scenario)


def test_a_board_that_was_reset_does_not_execute_commands_of_the_old_session() -> None:
    async def scenario(wired: Wired) -> None:
        wired.board = EchoBoard(wired.there)
        wired.there.connect(wired.board.receive, lambda _: None)
        with pytest.raises(BoardSilentError):
            await wired.link.request(wire.Set(1, 7))
        assert wired.board.done == []

    run_scenario(scenario)


def test_events_are_delivered_once_in_order_and_acknowledged_without_delay() -> None:
    async def scenario(wired: Wired) -> None:
        for number in range(100):
            wired.board.emit(edge(number))
        await asyncio.sleep(0.2)
        assert wired.events == [edge(number) for number in range(100)]
        assert wired.link.traffic.repeated_events == 0

    run_scenario(scenario)


def test_an_event_whose_acknowledgement_was_lost_is_delivered_once() -> None:
    async def scenario(wired: Wired) -> None:
        wired.board.drops_input = True
        wired.board.emit(edge(1))
        await asyncio.sleep(0.3)
        wired.board.drops_input = False
        await asyncio.sleep(0.5)
        assert wired.events == [edge(1)]
        assert wired.link.traffic.repeated_events >= 1

    run_scenario(scenario)


def test_a_command_cancelled_before_it_was_sent_is_not_executed() -> None:
    async def scenario(wired: Wired) -> None:
        replies = [wired.link.request(wire.Set(1, value)) for value in range(WINDOW + 4)]
        await asyncio.sleep(0)
        replies[-1].cancel()
        await asyncio.gather(*replies[:-1])
        await asyncio.sleep(0.1)
        assert wired.board.done == list(range(WINDOW + 3))

    run_scenario(scenario)


def test_stop_all_is_sent_before_waiting_commands_which_are_never_executed() -> None:
    async def scenario(wired: Wired) -> None:
        replies = [wired.link.request(wire.Set(1, value)) for value in range(WINDOW + 20)]
        await asyncio.sleep(0)
        wired.link.stop_all()
        results = await asyncio.gather(*replies, return_exceptions=True)
        assert all(result == wire.Ok() for result in results[:WINDOW])
        assert all(type(result) is BoardError for result in results[WINDOW:])
        assert wired.board.done == list(range(WINDOW))

    run_scenario(scenario)


def test_an_unplugged_line_fails_pending_commands_and_a_new_line_works() -> None:
    async def scenario(wired: Wired) -> None:
        reply = wired.link.request(wire.Clear())
        await asyncio.sleep(0)
        wired.host.unplug()
        with pytest.raises(BoardSilentError, match="unplugged"):
            await reply
        assert len(wired.lost) == 1
        with pytest.raises(BoardSilentError, match="unplugged"):
            await wired.identify()
        host, there = memory_line()
        board = EchoBoard(there)
        there.connect(board.receive, lambda _: None)
        wired.line.attach(host)
        await begin(wired.link, b"a new 1!")
        assert await wired.link.request(wire.Read(5)) == wire.Value(5)

    run_scenario(scenario)


def test_two_boards_share_a_line_and_execute_only_their_own_commands() -> None:
    async def main() -> None:
        host, there = memory_line()
        line = SerialLine(host)
        boards = [EchoBoard(there, address) for address in (0, 5)]
        there.connect(lambda data: [board.receive(data) for board in boards], lambda _: None)
        links = [line.link(0, "base"), line.link(5, "arm")]
        await asyncio.gather(*(begin(link, b"together") for link in links))
        await asyncio.gather(
            *(
                link.request(wire.Set(1, 10 * n + v))
                for v in range(9)
                for n, link in enumerate(links)
            )
        )
        assert [board.done for board in boards] == [list(range(9)), list(range(10, 19))]
        with pytest.raises(ValueError, match="boards arm and lift both have address 5"):
            line.link(5, "lift")

    clock.run(main())


def test_the_timeout_grows_with_the_round_trip_of_a_slow_line() -> None:
    trip = RoundTrip()
    for _ in range(20):
        trip.measured(0.2)
    assert 0.2 < trip.timeout < 0.3
    trip.missed()
    assert trip.timeout > 0.4


@pytest.mark.slow
def test_on_a_noisy_line_20_000_commands_are_each_executed_once_in_order() -> None:
    async def scenario(wired: Wired) -> None:
        values = iter(range(20_000))

        async def ask() -> None:
            for value in values:
                assert await wired.link.request(wire.Set(1, value)) == wire.Ok()

        await asyncio.gather(*(ask() for _ in range(WINDOW)))
        assert wired.board.done == list(range(20_000))
        assert wired.line.decoder.dropped > 100
        assert wired.board.session.damaged > 100
        assert wired.link.traffic.retries > 100

    run_scenario(scenario, noise(7))


@pytest.mark.slow
def test_on_a_noisy_line_every_event_is_delivered_once_in_order() -> None:
    async def scenario(wired: Wired) -> None:
        for number in range(5_000):
            wired.board.emit(edge(number))
            await asyncio.sleep(0.004)
        await asyncio.sleep(5.0)
        assert wired.events == [edge(number) for number in range(5_000)]
        assert wired.link.traffic.repeated_events > 10

    run_scenario(scenario, noise(8))


def test_the_same_seed_gives_the_same_traffic() -> None:
    def run() -> list[object]:
        result: list[object] = []

        async def scenario(wired: Wired) -> None:
            await asyncio.gather(*(wired.link.request(wire.Set(1, v)) for v in range(500)))
            result.extend([wired.link.traffic, asyncio.get_running_loop().time()])

        run_scenario(scenario, noise(9))
        return result

    assert run() == run()
