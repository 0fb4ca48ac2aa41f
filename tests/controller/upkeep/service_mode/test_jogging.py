"""Jogging: a motor moves only while its button is held, and within its limits."""

from __future__ import annotations

import asyncio

import pytest

from config.loader import load_table, table_names
from controller.upkeep.service_mode.jogging import ANSWER, KEPT, RENEWAL, Press
from controller.upkeep.service_mode.mode_status import ServiceModeRefusalError
from firmware_bridge.sim import clock
from tests.controller.upkeep.service_mode.bench import ANN, BOB, ServiceBench, on_bench, opened
from tests.quick import slow_except

LATENCY = 0.02
"""Seconds that a command needs to the board on the simulated line."""


def refused(error: pytest.ExceptionInfo[ServiceModeRefusalError]) -> tuple[str, str]:
    return error.value.code, str(error.value)


def test_a_jog_stops_300_ms_after_the_last_renewal() -> None:
    async def scenario(bench: ServiceBench) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(4):
            await bench.mode.jog("lid", "forward", 400, ANN)
            last = loop.time()
            await asyncio.sleep(0.2)
        assert bench.last("lid")[1] == 400
        await asyncio.sleep(1.0)
        stopped, value = bench.last("lid")
        assert value == 0
        # The first command waits for a refusal of the board; `last` is the time of its end.
        assert RENEWAL <= stopped - last <= RENEWAL + LATENCY
        assert bench.mode.status.jog is None
        assert "lid was stopped: no renewal arrived for 300 ms." in bench.findings

    on_bench("robotic", scenario)


def test_at_twenty_times_the_speed_a_renewal_still_holds_for_300_real_ms() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.mode.jog("drum", "forward", 300, ANN)
        for _ in range(3):
            await asyncio.sleep(0.2 * 20)
            await bench.mode.jog("drum", "forward", 300, ANN)
        last = asyncio.get_running_loop().time()
        assert bench.last("drum")[1] == 300
        await asyncio.sleep(1.0 * 20)
        stopped, value = bench.last("drum")
        assert value == 0
        assert RENEWAL * 20 <= stopped - last <= RENEWAL * 20 + LATENCY

    on_bench("robotic", scenario, pace=20.0)


def test_renewals_keep_one_motion_without_a_gap() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.hold("drum", "forward", 300, 3.0)
        values = [value for _, channel, value in bench.outputs if channel == "drum"]
        assert values == [300]
        await bench.mode.stop_jog("tablet")
        assert bench.last("drum")[1] == 0
        assert bench.findings == []

    on_bench("robotic", scenario)


def test_a_late_renewal_does_not_start_a_jog_that_has_ended() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.mode.jog("drum", "forward", 300, ANN)
        await asyncio.sleep(1.0)
        for _ in range(3):
            with pytest.raises(ServiceModeRefusalError) as error:
                await bench.mode.jog("drum", "forward", 300, ANN)
            assert refused(error)[0] == "jog_ended"
            await asyncio.sleep(1.0)
        assert [value for _, channel, value in bench.outputs if channel == "drum"] == [300, 0]
        await bench.mode.jog("drum", "forward", 300, Press("tablet", "Ann", "2"))
        assert bench.last("drum")[1] == 300

    on_bench("robotic", scenario)


@pytest.mark.parametrize("end", ["the limit of renewals", "a release"])
def test_renewals_that_arrive_while_the_motor_stops_do_not_start_it_again(end: str) -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.mode.jog("drum", "forward", 300, ANN)
        if end == "a release":
            stopping = asyncio.create_task(bench.mode.stop_jog("tablet"))
            await asyncio.sleep(0)
        else:
            stopping = asyncio.create_task(asyncio.sleep(RENEWAL))
            await asyncio.sleep(RENEWAL - ANSWER + 0.001)
            assert bench.last("drum")[1] == 0
        assert bench.mode.status.jog is not None, "the board has not answered yet"
        for _ in range(8):
            with pytest.raises(ServiceModeRefusalError, match="press it again"):
                await bench.mode.jog("drum", "forward", 300, ANN)
            await asyncio.sleep(0.004)
        await stopping
        await asyncio.sleep(1.0)
        assert [value for _, channel, value in bench.outputs if channel == "drum"] == [300, 0]

    on_bench("robotic", scenario)


def test_a_late_renewal_of_an_earlier_press_has_no_effect_on_a_later_one() -> None:
    async def scenario(bench: ServiceBench) -> None:
        second = Press("tablet", "Ann", "2")
        await bench.mode.jog("drum", "forward", 300, ANN)
        await bench.mode.jog("drum", "forward", 300, second)
        with pytest.raises(ServiceModeRefusalError, match="press it again"):
            await bench.mode.jog("drum", "forward", 300, ANN)
        assert bench.last("drum")[1] == 300, "the second press still holds"
        await bench.mode.stop_jog("tablet", "1")
        assert bench.last("drum")[1] == 300, "the release of the first press comes late"
        await bench.mode.stop_jog("tablet", "2")
        for press in (ANN, second):
            with pytest.raises(ServiceModeRefusalError, match="press it again"):
                await bench.mode.jog("drum", "forward", 300, press)
        assert bench.last("drum")[1] == 0

    on_bench("robotic", scenario)


def test_a_jog_that_arrives_after_its_release_does_not_begin() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.mode.stop_jog("tablet", "1")
        for channel in ("drum", "lid"):
            with pytest.raises(ServiceModeRefusalError, match="press it again"):
                await bench.mode.jog(channel, "forward", 300, ANN)
        assert bench.outputs == []

    on_bench("robotic", scenario)


def test_one_press_can_change_its_speed_and_its_direction() -> None:
    async def scenario(bench: ServiceBench) -> None:
        for direction, speed, value in (
            ("forward", 300, 300),
            ("forward", 500, 500),
            ("reverse", 500, -500),
            ("forward", 500, 500),
        ):
            await bench.mode.jog("lid", direction, speed, ANN)
            await asyncio.sleep(0.2)
            assert bench.last("lid")[1] == value

    on_bench("robotic", scenario)


def test_two_commands_at_the_same_instant_begin_one_motion() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.mode.jog("drum", "forward", 300, ANN)
        second = Press("tablet", "Ann", "2")
        await asyncio.gather(
            *(bench.mode.jog("lid", "forward", 400, second) for _ in range(3)),
        )
        assert [value for _, channel, value in bench.outputs if channel == "lid"] == [400]
        await bench.mode.stop_jog("tablet", "2")
        assert bench.last("lid")[1] == 0

    on_bench("robotic", scenario)


def test_ended_presses_are_remembered_up_to_a_limit() -> None:
    async def scenario(bench: ServiceBench) -> None:
        for number in range(1, KEPT + 2):
            await bench.mode.stop_jog("tablet", str(number))
        with pytest.raises(ServiceModeRefusalError, match="press it again"):
            await bench.mode.jog("drum", "forward", 300, Press("tablet", "Ann", "2"))
        await bench.mode.jog("drum", "forward", 300, ANN)
        assert bench.last("drum")[1] == 300

    on_bench("robotic", scenario)


def test_a_client_without_press_numbers_can_press_again_after_a_release() -> None:
    async def scenario(bench: ServiceBench) -> None:
        press = Press("tablet", "Ann")
        await bench.mode.jog("drum", "forward", 300, press)
        await bench.mode.stop_jog("tablet")
        await bench.mode.jog("drum", "forward", 300, press)
        assert bench.last("drum")[1] == 300
        await asyncio.sleep(0.35)
        with pytest.raises(ServiceModeRefusalError, match="press it again"):
            await bench.mode.jog("drum", "forward", 300, press)
        await asyncio.sleep(RENEWAL)
        await bench.mode.jog("drum", "forward", 300, press)

    on_bench("robotic", scenario)


def test_a_second_technician_cannot_jog_while_one_does() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.mode.jog("drum", "forward", 300, ANN)
        for channel in ("drum", "lid"):
            with pytest.raises(ServiceModeRefusalError) as error:
                await bench.mode.jog(channel, "forward", 300, BOB)
            code, sentence = refused(error)
            assert (code, sentence.split(".")[0]) == ("jog_in_use", "Ann is jogging drum")
        await bench.mode.stop_jog("phone")
        assert bench.last("drum")[1] == 300, "only its own client ends a jog"
        await bench.mode.stop_jog("tablet")
        await bench.mode.jog("lid", "forward", 300, BOB)
        assert bench.last("lid")[1] == 300

    on_bench("robotic", scenario)


def test_the_board_stops_the_lid_at_its_switch_and_a_held_button_does_not_repeat_it() -> None:
    async def scenario(bench: ServiceBench) -> None:
        with pytest.raises(ServiceModeRefusalError, match="press it again"):
            await bench.hold("lid", "forward", 1000, 4.0)
        assert bench.plant.lid is not None and bench.plant.lid.is_open()
        assert bench.findings == ["lid stopped at lid_opened."]

    on_bench("robotic", scenario)


def test_a_motor_stops_at_its_longest_on_time_without_a_latched_fault() -> None:
    async def scenario(bench: ServiceBench) -> None:
        with pytest.raises(ServiceModeRefusalError, match="press it again"):
            await bench.hold("lid", "forward", 1000, 7.0)
        assert bench.findings == ["lid stopped after 5.0 s, its longest on-time."]
        assert bench.mode.status.latched == ()

    on_bench("robotic", scenario, "stuck_sensor:lid_opened")


def test_an_axis_moves_slowly_stops_by_its_ramp_and_ends_at_its_limit() -> None:
    async def scenario(bench: ServiceBench) -> None:
        with pytest.raises(ServiceModeRefusalError) as error:
            await bench.mode.jog("gantry_z", "reverse", 250, ANN)
        assert refused(error) == (
            "not_homed",
            "The position of gantry_z is not known. Home gantry_z first.",
        )
        bench.mode.home("")
        await bench.finish()
        assert bench.faults() == []
        top = bench.mode.status.channels["gantry_z"].value
        assert top == pytest.approx(300)
        await bench.mode.jog("gantry_z", "reverse", 250, Press("tablet", "Ann", "2"))
        await asyncio.sleep(1.0)
        low = bench.mode.status.channels["gantry_z"].value
        assert low is not None
        # 250 permille of 0.36 m/s for 0.3 to 0.32 s, with its ramps.
        assert 20 < 300 - low < 40
        with pytest.raises(ServiceModeRefusalError, match="only be jogged while gantry_z is up"):
            await bench.mode.jog("gantry_x", "forward", 250, ANN)

    on_bench("robotic", scenario)


def test_the_emergency_stop_ends_a_jog_which_needs_a_new_press_after_the_release() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.mode.jog("lid", "forward", 500, ANN)
        bench.plant.emergency_stop(True)
        await asyncio.sleep(0.1)
        assert bench.last("lid")[1] == 0
        assert any("EMERGENCY_STOP" in fault for fault in bench.mode.status.latched)
        with pytest.raises(
            ServiceModeRefusalError, match="the cause of the fault of emergency persists"
        ):
            await bench.mode.clear_faults()
        bench.plant.emergency_stop(False)
        await asyncio.sleep(0.1)
        await bench.mode.clear_faults()
        assert bench.mode.status.latched == ()
        with pytest.raises(ServiceModeRefusalError, match="press it again"):
            await bench.mode.jog("lid", "forward", 500, ANN)
        assert bench.last("lid")[1] == 0

    on_bench("robotic", scenario)


@pytest.mark.slow
def test_the_light_curtain_ends_the_jog_of_a_guarded_part() -> None:
    async def scenario(bench: ServiceBench) -> None:
        await bench.mode.jog("lid", "forward", 500, ANN)
        bench.plant.reach_in(True)
        await asyncio.sleep(0.1)
        assert bench.last("lid")[1] == 0
        bench.plant.reach_in(False)
        await asyncio.sleep(0.1)
        await bench.mode.clear_faults()

    on_bench("robotic", scenario)


@pytest.mark.parametrize(
    ("channel", "direction", "speed", "sentence"),
    [
        (
            "head0_wheel_",
            "forward",
            300,
            (
                "'head0_wheel_' is not a channel of the table robotic. Name a channel such as"
                " head0_wheel or head3_wheel or head2_wheel."
            ),
        ),
        (
            "lid_opened",
            "forward",
            300,
            "lid_opened cannot be jogged, because its kind is sensor. Name a motor or an axis.",
        ),
        (
            "head0_belt",
            "reverse",
            300,
            "head0_belt runs forward only, because it has no reverse pin. Jog it forward.",
        ),
        (
            "gantry_x",
            "forward",
            1000,
            "The speed of gantry_x is 1 to 250 permille; got 1000. Choose another speed.",
        ),
        ("lid", "forward", 0, "The speed of lid is 1 to 1000 permille; got 0."),
    ],
)
def test_a_bad_jog_is_refused_with_a_sentence(
    channel: str, direction: str, speed: int, sentence: str
) -> None:
    async def scenario(bench: ServiceBench) -> None:
        with pytest.raises(ServiceModeRefusalError) as error:
            await bench.mode.jog(channel, direction, speed, ANN)  # type: ignore[arg-type]
        assert refused(error)[1].startswith(sentence)
        assert bench.outputs == []

    on_bench("robotic", scenario)


@pytest.mark.parametrize("name", slow_except(["pai_gow"], table_names()))
def test_every_motor_of_every_table_can_be_jogged_and_leaving_restores_the_table(name: str) -> None:
    async def scenario() -> None:
        async with opened(load_table(name)) as bench:
            before = bench.mode._monitor.levels()
            bench.mode.home("")
            await bench.finish()
            every = bench.mode.status.channels
            for number, (channel, facts) in enumerate(every.items()):
                # A pusher without tiles is an impossible order in the plant: its board latches it.
                await bench.mode.clear_faults()
                if facts.kind == "motor":
                    for direction in facts.jog:
                        press = Press("tablet", "Ann", f"{number}{direction}")
                        await bench.mode.jog(channel, direction, facts.most_speed, press)
                        await asyncio.sleep(0.6)
                elif facts.kind == "axis":
                    await bench.mode.jog(channel, "reverse", 250, Press("tablet", "Ann", channel))
                    await asyncio.sleep(0.6)
            departure = await bench.mode.leave()
            assert departure.defects == ()
            assert departure.tiles_may_have_moved
            outputs = await bench.mode._monitor.read_outputs()
            assert all(
                value == getattr(bench.table.channel(channel), "safe", None)
                for channel, value in outputs.items()
            )
            await asyncio.sleep(1.0)
            after = {
                sensor: bool(await bench.hardware.boards[every[sensor].board].read(sensor))
                for sensor in before
            }
            # Axes stand at their homes after homing. The chain reaches its zero over a corner, at
            # which it did not stand when the power came on.
            chain = bench.table.modules.chain
            homes = {f"{axis}_home" for axis in ("gantry_x", "gantry_y", "gantry_z")}
            homes |= {chain.corner} if chain else set()
            differing = {sensor for sensor in before if bool(before[sensor]) != after[sensor]}
            assert differing <= homes

    clock.run(scenario())
