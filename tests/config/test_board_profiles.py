"""Tests that board profiles are complete, agree with the data sheets, and are frozen values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from config.board_profiles import (
    USUAL,
    BoardProfile,
    board_names,
    board_profile,
    chip_of,
    profile_of,
)
from config.errors import ConfigErrors
from config.loader import check_file, load_table, table_names
from config.schema import (
    AxisChannel,
    BoardConfig,
    DiceChannel,
    MotorChannel,
    OutputChannel,
    Table,
)
from config.validation.board_pins import boot_warnings

EXAMPLE = Path(__file__).parents[2] / "examples" / "table_domino_club" / "domino_club.yaml"


@pytest.fixture(params=board_names())
def profile(request: pytest.FixtureRequest) -> BoardProfile:
    return board_profile(request.param)


def test_every_pin_occurs_once_and_in_order(profile: BoardProfile) -> None:
    numbers = [pin.pin for pin in profile.pins]
    assert numbers == sorted(set(numbers))
    assert len({pin.pad for pin in profile.pins}) == len({pin.label for pin in profile.pins})
    assert len({pin.label for pin in profile.pins}) == len(numbers)


def test_the_file_of_a_profile_has_its_name(profile: BoardProfile) -> None:
    assert board_profile(profile.name) is profile


def test_a_pin_that_is_not_floating_at_boot_says_why_or_the_profile_does(
    profile: BoardProfile,
) -> None:
    assert all(pin.note for pin in profile.pins if pin.at_boot == "driven")


def test_serial_ports_are_on_pins_that_can_send_and_receive(profile: BoardProfile) -> None:
    for port in profile.ports:
        assert "output" in profile.by_number[port.sends].can
        assert "input" in profile.by_number[port.receives].can


def test_analogue_pins_need_a_converter(profile: BoardProfile) -> None:
    has_analog = any("analog" in pin.can for pin in profile.pins)
    assert has_analog == (profile.converter is not None)


def test_steps_need_axes(profile: BoardProfile) -> None:
    assert bool(profile.able("step")) == bool(profile.axes) == bool(profile.steps)


def test_no_tolerance_of_the_measurement_makes_an_ordinary_supply_low(
    profile: BoardProfile,
) -> None:
    """A supply of 0.1 V more can also be cleared for certain: at 92/90 of `low`."""
    if profile.supply is None:
        assert profile.kind == "gpio"
        return
    supply = profile.supply
    assert supply.ordinary * supply.reads_least > supply.low
    assert (supply.ordinary + 0.1) * supply.reads_least > supply.low * 92 / 90
    assert supply.true_low[0] < supply.low < supply.true_low[1] < supply.ordinary


def test_groups_of_current_name_each_pin_at_most_once(profile: BoardProfile) -> None:
    grouped = [pin for group in profile.current.groups for pin in group.pins]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) <= profile.by_number.keys()
    assert profile.current.pin <= profile.current.pin_maximum <= profile.current.total


def test_every_profile_names_its_sources(profile: BoardProfile) -> None:
    assert profile.sources
    assert all(source.strip() for source in profile.sources)


def test_the_usual_profile_of_each_kind_exists() -> None:
    for kind, name in USUAL.items():
        assert board_profile(name).kind == kind


def test_a_profile_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        board_profile("mega2560").axes = 4  # type: ignore[misc]


def test_an_unknown_profile_is_refused_with_the_names_of_the_known_ones() -> None:
    with pytest.raises(ConfigErrors, match=r"\('mega256'\). Did you mean 'mega2560'\?"):
        board_profile("mega256")


def test_a_board_without_chip_has_the_usual_profile_of_its_kind() -> None:
    assert chip_of(BoardConfig(kind="serial", channels={})) == "mega2560"
    assert chip_of(BoardConfig(kind="gpio", channels={})) == "raspberry_pi"
    assert chip_of(BoardConfig(kind="serial", chip="other", channels={})) == "other"
    for table in map(load_table, table_names()):
        for board in table.boards.values():
            assert profile_of(board).kind == board.kind


# Facts of the data sheets


def test_the_bootloader_of_the_mega_drives_pin_13_and_the_line_to_the_host_only() -> None:
    mega = board_profile("mega2560")
    assert [pin.pin for pin in mega.pins if pin.at_boot == "driven"] == [0, 1, 13]
    assert mega.by_number[13].pad == "B7"


def test_the_mega_has_its_safety_inputs_on_pins_with_an_interrupt() -> None:
    mega = board_profile("mega2560")
    for role in ("emergency", "curtain"):
        pin = mega.reserved(role)
        assert pin is not None
        assert "interrupt" in mega.by_number[pin].can
        assert pin not in mega.able("output")


def test_a_table_cannot_use_the_pins_that_a_pico_w_has_for_its_wireless_chip() -> None:
    pico = board_profile("rp2040")
    wireless = {pin: pico.by_number[pin].can for pin in (23, 24, 25, 29)}
    assert wireless == {23: (), 24: (), 25: ("output",), 29: ()}
    assert "Pico W" in pico.by_number[25].note, "a lamp on a Pico, which a Pico W has elsewhere"


def test_a_pi_pulls_gpio_0_to_8_up_and_9_to_27_down_after_a_reset() -> None:
    pins = board_profile("raspberry_pi").pins
    by_state = {
        state: {pin.pin for pin in pins if pin.at_boot == state}
        for state in ("pulled_up", "pulled_down", "driven", "floating")
    }
    assert by_state["pulled_up"] == {*range(2, 9), 15}, "15 is pulled up for the serial console"
    assert by_state["pulled_down"] == set(range(9, 28)) - {14, 15}
    assert by_state["driven"] == {0, 1, 14}
    assert not by_state["floating"]


# Tables


def _shipped() -> list[Table]:
    example = check_file(EXAMPLE)
    assert isinstance(example, Table)
    return [example, *map(load_table, table_names())]


def _moving_pins(board: BoardConfig, table: Table) -> Iterator[int]:
    """The pins at which a high level moves a part of the table, or gives its motors power."""
    coils = {relay.coil for relay in table.modules.relay}
    for name, channel in board.channels.items():
        match channel:
            case MotorChannel(pin=pin, reverse_pin=reverse):
                yield pin
                yield from () if reverse is None else (reverse,)
            case AxisChannel(pin=pin) | DiceChannel(pin=pin):
                yield pin
            case OutputChannel(pin=pin) if name in coils or name.startswith(("lane", "wide")):
                yield pin


@pytest.mark.parametrize("table", _shipped(), ids=lambda table: table.name)
def test_no_motor_of_a_shipped_table_turns_while_its_board_boots(table: Table) -> None:
    for board in table.boards.values():
        pins = list(_moving_pins(board, table))
        assert pins, "the table moves nothing"
        states = {profile_of(board).by_number[pin].at_boot for pin in pins}
        assert states <= {"floating", "pulled_down"}
    assert list(boot_warnings(table)) == [], "its lamps are dark as well"
