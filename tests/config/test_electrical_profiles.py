from __future__ import annotations

from pathlib import Path

import pytest

from config.electrical_profiles import electrical_profiles, profiles_of
from config.loader import check_file
from config.schema import MotorChannel, SensorChannel, Table, Threshold
from config.schema.electrical import MotorProfile, SensorProfile
from firmware_bridge.boards.encoding import records
from firmware_bridge.wire.codes import Flag

CLASSIC = Path("config/tables/classic.yaml").read_text("utf-8")
DRUM = "drum: {kind: motor, pin: 4, reverse_pin: 5, safe: 0, max_on: 180.0}"
COUNTER = "head0_counter: {kind: sensor, pin: 54, active: low, debounce_ms: 1}"


def table(tmp_path: Path, *edits: tuple[str, str]) -> Table:
    """Load the table `classic` with these edits."""
    text = CLASSIC
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = tmp_path / "table.yaml"
    file.write_text(text, "utf-8")
    found = check_file(file)
    assert isinstance(found, Table)
    return found


def test_every_kind_of_motor_and_sensor_of_the_retrofit_page_has_a_profile() -> None:
    assert profiles_of("motor") == ("h_bridge", "mosfet", "ssr", "ssr_pair", "triac_lift")
    assert profiles_of("sensor") == ("hall", "micro_switch", "photo", "photo_threshold")


@pytest.mark.parametrize("name", electrical_profiles())
def test_the_defaults_of_a_profile_are_within_its_own_limits(name: str) -> None:
    profile = electrical_profiles()[name]
    for key, limit in profile.limits.items():
        default = getattr(profile.defaults, key)
        if default is not None:
            assert limit.least is None or default >= limit.least, key
            assert limit.most is None or default <= limit.most, key


@pytest.mark.parametrize("name", profiles_of("motor"))
def test_a_motor_that_cannot_be_modulated_and_reverses_has_a_dead_time(name: str) -> None:
    profile = electrical_profiles()[name]
    assert isinstance(profile, MotorProfile)
    if profile.full_only:
        assert (profile.defaults.least_on or 0) >= 0.01, "a half-wave of 50 Hz"
    if profile.full_only and profile.reverses:
        least = profile.limits["dead_time"].least
        assert least is not None and least > 0.01


@pytest.mark.parametrize("name", profiles_of("sensor"))
def test_a_sensor_with_thresholds_has_a_hysteresis(name: str) -> None:
    profile = electrical_profiles()[name]
    assert isinstance(profile, SensorProfile)
    threshold = profile.defaults.threshold
    assert ("threshold" in profile.needs) == (threshold is not None)
    if threshold is not None:
        assert threshold.high_mv - threshold.low_mv >= profile.hysteresis_mv > 0


def test_a_mains_motor_gets_the_dead_time_of_its_profile_in_the_record_for_the_board(
    tmp_path: Path,
) -> None:
    edited = table(
        tmp_path,
        (DRUM, "drum: {kind: motor, pin: 4, reverse_pin: 5, driver: ssr_pair, max_on: 180.0}"),
    )
    drum = edited.channel("drum")
    assert isinstance(drum, MotorChannel)
    assert (drum.dead_time, drum.least_on, drum.full_only, drum.safe) == (1.0, 0.02, True, 0)
    board = edited.boards["base"]
    record = records(board, {"drum": Flag.GUARDED})[list(board.channels).index("drum")]
    assert (record.dead_ms, record.flags) == (1000, Flag.GUARDED | Flag.FULL_ONLY)


def test_a_value_that_the_table_gives_itself_is_kept(tmp_path: Path) -> None:
    own = "driver: ssr_pair, dead_time: 2.5, max_on: 30.0}"
    edited = table(tmp_path, (DRUM, f"drum: {{kind: motor, pin: 4, reverse_pin: 5, {own}"))
    drum = edited.channel("drum")
    assert isinstance(drum, MotorChannel)
    assert (drum.dead_time, drum.max_on) == (2.5, 30.0)


def test_a_photo_transistor_gets_its_thresholds_in_the_record_for_the_board(
    tmp_path: Path,
) -> None:
    edited = table(
        tmp_path, (COUNTER, "head0_counter: {kind: sensor, pin: 54, element: photo_threshold}")
    )
    counter = edited.channel("head0_counter")
    assert isinstance(counter, SensorChannel)
    assert counter.threshold == Threshold(low_mv=1500, high_mv=3000)
    board = edited.boards["base"]
    record = records(board)[list(board.channels).index("head0_counter")]
    assert (record.low_mv, record.high_mv, record.active_high) == (1500, 3000, 1)


def test_a_channel_without_a_profile_keeps_its_record(tmp_path: Path) -> None:
    board = table(tmp_path).boards["base"]
    *channels, _limit_of_all_motors = records(board)
    assert {(each.dead_ms, each.low_mv, each.high_mv) for each in channels} == {(0, 0, 0)}
