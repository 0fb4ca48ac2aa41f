"""Service mode: live channels, homing, test programmes, and the state after it is left."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from config.loader import load_table, table_names
from controller.upkeep.service_mode.channels import POINTS, WINDOW
from controller.upkeep.service_mode.mode_status import ServiceModeRefusalError
from controller.upkeep.service_mode.service_mode import PUBLISHED, Workshop, service_mode
from firmware_bridge.sim import clock
from tests.controller.upkeep.service_mode.bench import ANN, BOB, ServiceBench, on_bench, opened


@pytest.mark.parametrize("name", table_names())
def test_every_channel_of_every_table_has_a_value_a_part_and_a_role(name: str) -> None:
    async def scenario(bench: ServiceBench) -> None:
        channels = bench.mode.status.channels
        wired = {each for board in bench.table.boards.values() for each in board.channels}
        assert set(channels) == wired
        for channel, status in channels.items():
            assert status.part and status.role, channel
            if status.kind not in ("dice", "reader"):
                assert status.value is not None, channel
            assert (status.count is not None) == (status.kind == "sensor")

    on_bench(name, scenario)


def test_a_sensor_shows_its_level_its_count_and_its_last_seconds() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await asyncio.sleep(3.0)
        start = bench.mode.status.channels["lid_key"].count
        for active in (True, False, True):
            bench.plant.sense("lid_key", active)
            await asyncio.sleep(0.5)
        key = bench.mode.status.channels["lid_key"]
        assert (key.value, key.count, key.recent) == (1, (start or 0) + 2, 3)
        assert [value for _, value in key.trace] == [0, 1, 0, 1]
        times = [at for at, _ in key.trace]
        assert [
            later - earlier for earlier, later in itertools.pairwise(times[1:])
        ] == pytest.approx([0.5, 0.5])
        await asyncio.sleep(WINDOW)
        key = bench.mode.status.channels["lid_key"]
        assert (key.value, key.trace, key.recent) == (1, (), 0)

    on_bench("robotic", scenario)


def test_the_trace_of_a_sensor_that_never_rests_stays_bounded() -> None:
    async def scenario(bench: ServiceBench) -> None:
        for number in range(5 * POINTS):
            bench.plant.sense("head0_counter", number % 2 == 0)
            await asyncio.sleep(0.01)
        counter = bench.mode.status.channels["head0_counter"]
        assert (counter.recent, len(counter.trace)) == (POINTS, POINTS + 1)

    on_bench("robotic", scenario)


@pytest.mark.slow
def test_an_edge_is_published_within_a_twentieth_of_a_second() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await asyncio.sleep(0.7)
        bench.published.clear()
        bench.plant.sense("lid_key", True)
        # The key's debounce time of 20 ms, the line, and the shortest time between two statuses.
        await asyncio.sleep(0.02 + 0.01 + PUBLISHED)
        assert any(each.channels["lid_key"].value for each in bench.published)

    on_bench("robotic", scenario)


def test_status_is_not_published_more_often_than_20_times_a_second() -> None:
    async def scenario(bench: ServiceBench) -> None:
        bench.published.clear()
        for number in range(200):
            bench.plant.sense("head0_counter", number % 2 == 0)
            await asyncio.sleep(0.01)
        assert len(bench.published) <= 2.0 / PUBLISHED + 1

    on_bench("robotic", scenario)


# Homing


@pytest.mark.parametrize("name", table_names())
def test_every_part_of_every_table_is_homed(name: str) -> None:
    async def scenario(bench: ServiceBench) -> None:
        bench.mode.home("")
        await bench.finish()
        assert (bench.findings, bench.faults()) == (["Every part is at home."], [])

    on_bench(name, scenario)


def test_an_axis_is_homed_only_after_the_jaws_are_up() -> None:
    async def scenario(bench: ServiceBench) -> None:
        bench.mode.home("gantry_y")
        await bench.finish()
        moved = [name for _, name, _ in bench.outputs]
        assert list(dict.fromkeys(moved)) == ["gantry_z", "gantry_y"]
        assert bench.findings == ["gantry_y is at home."]

    on_bench("robotic", scenario)


def test_a_channel_without_a_home_is_refused() -> None:
    async def scenario(bench: ServiceBench) -> None:
        with pytest.raises(ServiceModeRefusalError, match="drum has no home position"):
            bench.mode.home("drum")
        with pytest.raises(ServiceModeRefusalError, match="'lidd' is not a channel"):
            bench.mode.home("lidd")

    on_bench("robotic", scenario)


def test_while_a_part_is_homed_no_jog_begins_and_the_other_way_round() -> None:
    async def scenario(bench: ServiceBench) -> None:
        bench.mode.home("")
        with pytest.raises(ServiceModeRefusalError, match="A home of every part is in progress"):
            await bench.mode.jog("lid", "forward", 300, BOB)
        await bench.finish()
        await bench.mode.jog("drum", "forward", 300, ANN)
        with pytest.raises(ServiceModeRefusalError, match="Ann is jogging drum"):
            bench.mode.home("lid")

    on_bench("robotic", scenario)


def test_stopping_a_homing_stops_the_motor_at_once() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.hold("lid", "forward", 1000, 1.0)
        await bench.mode.stop_jog()
        bench.mode.home("lid")
        await asyncio.sleep(0.2)
        assert bench.last("lid")[1] == -1000
        await bench.mode.stop_activity()
        await asyncio.sleep(0.02)
        assert bench.last("lid")[1] == 0
        assert bench.mode.status.activity is None

    on_bench("robotic", scenario)


# Test programmes


def test_the_test_programme_of_one_station_runs_only_its_trials() -> None:
    async def scenario(bench: ServiceBench) -> None:
        assert {"lid", "head 0", "emergency stop", "dice"} <= set(bench.mode.status.stations)
        bench.mode.run_test("head 2")
        await bench.finish()
        results = bench.mode.status.results
        assert {result.part for result in results} == {"head 2"}
        assert {result.verdict for result in results} == {"passed"}
        tested = {channel for result in results for channel in result.channels}
        assert tested == {
            f"head2_{role}" for role in ("wheel", "belt", "pusher", "counter", "vane", "full")
        }
        assert bench.mode.status.tiles_may_have_moved

    on_bench("robotic", scenario)


def test_the_technicians_answer_decides_and_a_trial_can_be_skipped() -> None:
    async def scenario(bench: ServiceBench) -> None:
        bench.mode.run_test("lid")
        await bench.finish({"Did": "no"})
        bench.mode.run_test("dice")
        await bench.finish({"Watch": "skip"})
        verdicts = [(result.part, result.verdict) for result in bench.mode.status.results]
        assert ("lid", "failed") in verdicts
        assert ("dice", "skipped") in verdicts

    on_bench("robotic", scenario)


def test_a_wrong_answer_is_refused_and_a_repeated_answer_has_no_effect() -> None:
    async def scenario(bench: ServiceBench) -> None:
        bench.mode.run_test("dice")
        await asyncio.sleep(0.1)
        question = bench.mode.status.question
        assert question is not None
        with pytest.raises(ServiceModeRefusalError, match="'maybe' is not an answer"):
            bench.mode.answer(question.id, "maybe")
        bench.mode.answer(question.id, "begin")
        bench.mode.answer(question.id, "begin")
        with pytest.raises(ServiceModeRefusalError, match="The question 's9' is not open"):
            bench.mode.answer("s9", "yes")
        await bench.finish()

    on_bench("robotic", scenario)


def test_an_unknown_station_is_refused_with_the_list_of_stations() -> None:
    async def scenario(bench: ServiceBench) -> None:
        with pytest.raises(ServiceModeRefusalError, match="Name one of: emergency stop, "):
            bench.mode.run_test("toaster")

    on_bench("robotic", scenario)


# Leaving


def test_leaving_closes_a_lid_that_was_jogged_open_and_stops_a_held_jog() -> None:
    async def scenario() -> None:
        async with opened(load_table("robotic")) as bench:
            await bench.hold("lid", "forward", 1000, 1.0)
            departure = await bench.mode.leave()
            assert departure.defects == ()
            assert (departure.moved, departure.tiles_may_have_moved) == (("lid",), False)
            assert bench.last("lid")[1] == 0
            assert await bench.hardware.boards["base"].read("lid_closed") == 1

    clock.run(scenario())


def test_a_lid_that_cannot_close_is_reported_when_service_mode_is_left() -> None:
    async def scenario() -> None:
        async with opened(load_table("robotic")) as bench:
            await bench.hold("lid", "forward", 1000, 1.0)
            bench.plant.emergency_stop(True)
            departure = await bench.mode.leave()
            assert len(departure.defects) == 1
            assert departure.defects[0].startswith("lid did not return to lid_closed:")

    clock.run(scenario())


def test_a_test_programme_ends_when_service_mode_is_left() -> None:
    async def scenario() -> None:
        async with opened(load_table("robotic")) as bench:
            bench.mode.run_test("lid")
            await asyncio.sleep(0.2)
            assert bench.mode.status.question is not None
            await bench.mode.leave()
            assert (bench.mode.status.question, bench.mode.status.activity) == (None, None)

    clock.run(scenario())


def test_service_mode_is_left_also_after_an_error_in_its_block() -> None:
    async def scenario() -> None:
        async with opened(load_table("robotic")) as bench:
            await bench.mode.leave()
            loop = asyncio.get_running_loop()
            shop = Workshop(bench.table, bench.tile, bench.hardware.boards, loop.time)

            async def failing() -> None:
                async with service_mode(shop, "Ann", lambda _: None) as mode:
                    await mode.jog("drum", "forward", 300, ANN)
                    raise ZeroDivisionError

            with pytest.raises(ZeroDivisionError):
                await failing()
            assert bench.last("drum")[1] == 0

    clock.run(scenario())


def test_a_board_that_is_unplugged_stops_its_channels_and_is_reported() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.mode.jog("drum", "forward", 300, ANN)
        assert bench.hardware.plug is not None
        bench.hardware.plug.pull()
        await asyncio.sleep(3.0)
        assert bench.last("drum")[1] == 0, "the board's lease expired"
        assert bench.mode.status.channels["lid_opened"].value is None
        assert [finding.text.split(":")[0] for finding in bench.faults()][:1] == ["board base"]

    on_bench("robotic", scenario)
