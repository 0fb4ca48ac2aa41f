"""Calibrations: measured values become a reviewed change of the table's file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from config.loader import load_table, packaged_text, table_names, table_of_text
from config.schema import AxisChannel, SensorChannel
from controller.upkeep.service_mode.mode_status import ProposedChange, ServiceModeRefusalError
from controller.upkeep.service_mode.table_edits import TableEdit, edited
from tests.controller.upkeep.service_mode.bench import ServiceBench, on_bench
from tests.quick import slow_except


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A table's own file: a copy of the packaged table, with its comments."""
    file = tmp_path / "own.yaml"
    file.write_text(packaged_text("robotic"), "utf-8")
    return file


def text_of(file: Path) -> str:
    return file.read_text("utf-8")


def write(file: Path, text: str) -> None:
    file.write_text(text, "utf-8")


async def change_after(
    bench: ServiceBench, kind: str, target: str, answers: dict[str, str] | None = None
) -> ProposedChange | None:
    bench.mode.calibrate(kind, target)
    await bench.finish(answers)
    return bench.mode.status.change


def changed_lines(change: ProposedChange) -> list[str]:
    return [
        line
        for line in change.diff.splitlines()
        if line[0] in "+-" and not line.startswith(("+++", "---"))
    ]


# Measurements in the plant


def test_a_slow_lift_proposes_a_longer_lift_time_and_the_file_stays_until_confirmed(
    own: Path,
) -> None:
    before = own.read_text("utf-8")

    async def scenario(bench: ServiceBench) -> None:
        change = await change_after(bench, "travel_time", "lifts")
        assert change is not None, bench.findings
        assert changed_lines(change) == ["-    lift: 2.5", "+    lift: 3.8"]
        assert text_of(own) == before
        with pytest.raises(ServiceModeRefusalError, match="not confirmed yet"):
            bench.mode.calibrate("travel_time", "lid")
        with pytest.raises(ServiceModeRefusalError, match="The change 'd9' is not open"):
            bench.mode.confirm_change("d9")
        bench.mode.confirm_change(change.id)
        assert bench.mode.status.change is None
        trays = load_table(own).modules.trays
        assert trays is not None and trays.lift == 3.8
        assert text_of(own.parent / "own.yaml.before-1") == before

    on_bench(load_table(own), scenario, "weak_motor:lift1#1~1.5", file=own)


def test_a_discarded_change_leaves_the_file_as_it_was(own: Path) -> None:
    before = own.read_text("utf-8")

    async def scenario(bench: ServiceBench) -> None:
        change = await change_after(bench, "travel_time", "lifts")
        assert change is not None
        bench.mode.discard_change(change.id)
        assert bench.mode.status.change is None

    on_bench(load_table(own), scenario, "weak_motor:lift1#1~1.5", file=own)
    assert own.read_text("utf-8") == before
    assert [path.name for path in own.parent.iterdir()] == ["own.yaml"]


def test_a_file_that_was_changed_meanwhile_is_not_overwritten(own: Path) -> None:
    async def scenario(bench: ServiceBench) -> None:
        change = await change_after(bench, "travel_time", "lifts")
        assert change is not None
        write(own, text_of(own) + "# by hand\n")
        with pytest.raises(ServiceModeRefusalError, match="has been changed since the calibration"):
            bench.mode.confirm_change(change.id)
        assert text_of(own).endswith("# by hand\n")

    on_bench(load_table(own), scenario, "weak_motor:lift1#1~1.5", file=own)


@pytest.mark.slow
@pytest.mark.parametrize("name", table_names())
def test_a_table_as_it_is_configured_needs_no_change(name: str) -> None:
    async def scenario(bench: ServiceBench) -> None:
        for offer in bench.mode.status.calibrations:
            if offer.kind == "travel_time":
                change = await change_after(bench, offer.kind, offer.target)
                assert change is None, bench.findings
        assert bench.faults() == []

    on_bench(name, scenario)


def test_a_bouncing_counter_proposes_a_debounce_time_above_its_bounces(own: Path) -> None:
    async def scenario(bench: ServiceBench) -> None:
        change = await change_after(bench, "debounce", "head1_counter")
        assert change is not None, bench.findings
        # The plant's contact bounces at intervals of three debounce times of 1 ms.
        (_old, new) = changed_lines(change)
        assert "head1_counter" in new and "debounce_ms: 6}" in new and "# S1" in new
        bench.mode.confirm_change(change.id)
        counter = load_table(own).channel("head1_counter")
        assert isinstance(counter, SensorChannel) and counter.debounce_ms == 6

    on_bench(load_table(own), scenario, "bouncing_sensor:head1_counter#1", file=own)


def test_a_clean_counter_needs_no_other_debounce_time() -> None:
    async def scenario(bench: ServiceBench) -> None:
        assert await change_after(bench, "debounce", "head1_counter") is None
        assert bench.findings[-1].startswith("No bounce is longer than the debounce time of 1 ms")

    on_bench("robotic", scenario)


@pytest.mark.slow
def test_a_stuck_sensor_proposes_nothing_and_is_named() -> None:
    async def scenario(bench: ServiceBench) -> None:
        assert await change_after(bench, "debounce", "head1_counter") is None
        assert "head1_counter did not become active in 60 s" in bench.findings[-1]

    on_bench("robotic", scenario, "stuck_sensor:head1_counter")


@pytest.mark.slow
def test_a_measured_way_of_an_axis_proposes_its_step(own: Path) -> None:
    async def scenario(bench: ServiceBench) -> None:
        change = await change_after(bench, "axis_steps", "gantry_x", {"Measure": "303"})
        assert change is not None, bench.findings
        (_, new) = changed_lines(change)
        assert new.endswith("acceleration: 6.0, step_mm: 0.1515}")
        assert change.summary == ("gantry_x: step of 0.15 mm to 0.1515 mm (+1.00%).",)
        table = load_table(own).model_dump()
        bench.mode.confirm_change(change.id)
        axis = load_table(own).channel("gantry_x")
        assert isinstance(axis, AxisChannel) and axis.step_mm == 0.1515
        table["boards"]["arm"]["channels"]["gantry_x"]["step_mm"] = 0.1515
        assert load_table(own).model_dump() == table, "nothing else has changed"

    on_bench(load_table(own), scenario, file=own)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measured", "sentence"),
    [
        ("300.3", "The difference is at most 0.2%, which a ruler cannot show; no change."),
        ("29,7", "gantry_x was ordered to move 300 mm and 29.7 mm were measured, which differs by"),
    ],
)
def test_an_exact_way_and_a_wrong_unit_propose_nothing(measured: str, sentence: str) -> None:
    async def scenario(bench: ServiceBench) -> None:
        change = await change_after(bench, "axis_steps", "gantry_x", {"Measure": measured})
        assert change is None
        assert bench.findings[-1].startswith(sentence)

    on_bench("robotic", scenario)


@pytest.mark.slow
def test_the_arm_has_no_lease_while_a_person_measures() -> None:
    async def scenario(bench: ServiceBench) -> None:
        bench.mode.calibrate("axis_steps", "gantry_x")
        while (question := bench.mode.status.question) is None or question.kind != "measure":
            if question is not None:
                bench.mode.answer(question.id, question.choices[0])
            await asyncio.sleep(0.1)
        ready = await bench.hardware.boards["arm"].read("ready")
        assert ready == 1, "the lamp shows that hands can reach in"

    on_bench("robotic", scenario)


# What cannot be calibrated


@pytest.mark.parametrize("kind", ["threshold", "tray_height", "gripper_width"])
def test_a_calibration_that_no_sensor_supports_is_refused_with_its_reason(kind: str) -> None:
    async def scenario(bench: ServiceBench) -> None:
        (offer,) = [each for each in bench.mode.status.calibrations if each.kind == kind]
        with pytest.raises(ServiceModeRefusalError) as error:
            bench.mode.calibrate(kind, "")
        assert error.value.next_step == offer.unavailable != ""

    on_bench("robotic", scenario)


def test_an_unknown_calibration_is_refused_with_the_known_ones() -> None:
    async def scenario(bench: ServiceBench) -> None:
        with pytest.raises(ServiceModeRefusalError, match="Name one of: travel_time, debounce"):
            bench.mode.calibrate("colour", "lid")
        with pytest.raises(ServiceModeRefusalError, match="'lidd' cannot be calibrated by travel"):
            bench.mode.calibrate("travel_time", "lidd")

    on_bench("robotic", scenario)


def test_a_table_of_the_package_is_not_changed() -> None:
    async def scenario(bench: ServiceBench) -> None:
        change = await change_after(bench, "travel_time", "lifts")
        assert change is not None and not change.writable
        with pytest.raises(ServiceModeRefusalError, match="belongs to the program"):
            bench.mode.confirm_change(change.id)

    on_bench("robotic", scenario, "weak_motor:lift1#1~1.5")


# Edits of the text


@pytest.mark.parametrize("name", slow_except(["robotic"], table_names()))
def test_an_edit_changes_one_value_and_no_comment(name: str) -> None:
    text = packaged_text(name)
    table = table_of_text(text, name)
    for board, config in table.boards.items():
        for channel, each in config.channels.items():
            if isinstance(each, SensorChannel):
                place = ("boards", board, "channels", channel, "debounce_ms")
                after = edited(text, name, [TableEdit(place, 7, "")]).after
                assert len(after.splitlines()) == len(text.splitlines())
                found = table_of_text(after, name).channel(channel)
                assert isinstance(found, SensorChannel) and found.debounce_ms == 7
                break


def test_a_value_that_the_table_does_not_permit_is_refused() -> None:
    text = packaged_text("robotic")
    with pytest.raises(ServiceModeRefusalError, match="does not fit into the table"):
        edited(text, "own.yaml", [TableEdit(("modules", "trays", "lift"), -1, "")])
    with pytest.raises(ServiceModeRefusalError, match=r"has no place for modules\.oven\.heat"):
        edited(text, "own.yaml", [TableEdit(("modules", "oven", "heat"), 1, "")])


def test_a_value_that_an_alias_shares_is_not_edited() -> None:
    text = packaged_text("robotic").replace(
        "lid_opened: {kind: sensor, pin: 22, active: low, debounce_ms: 5}",
        "lid_opened: {kind: sensor, pin: 22, active: low, debounce_ms: &time 5}",
    )
    place = ("boards", "base", "channels", "lid_opened", "debounce_ms")
    shared = text.replace(
        "pin: 23, active: low, debounce_ms: 5", "pin: 23, active: low, debounce_ms: *time"
    )
    assert shared != text
    with pytest.raises(ServiceModeRefusalError, match="uses one value at several places"):
        edited(shared, "own.yaml", [TableEdit(place, 8, "")])
