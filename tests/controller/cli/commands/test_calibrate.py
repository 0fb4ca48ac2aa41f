"""`wallwright firmware calibrate` with a fake board, whose reference is not 1.1 V."""

from __future__ import annotations

import math

import pytest

from controller.cli.errors import BadInputError
from controller.cli.runs.supply_calibration import calibrated_chip, computed_reference
from firmware_bridge.commissioning.probe import SupplyReport
from tests.controller.cli.commands.conftest import Desk
from tests.controller.cli.conftest import Wallwright

pytestmark = pytest.mark.usefixtures("built")


@pytest.fixture
def provisioned(desk: Desk, wallwright: Wallwright) -> str:
    """A provisioned board, its supply at 4.75 V and its reference 1.19 V; returns the options."""
    (desk.folder / "supply").write_text("4750 1190")
    options = f"{desk.port} --keys {desk.keys}"
    assert wallwright(f"firmware provision {options} --serial WALL0001").code == 0
    return options


def test_a_board_that_reads_its_supply_too_low_is_calibrated_by_a_multimeter(
    desk: Desk, provisioned: str, wallwright: Wallwright
) -> None:
    result = wallwright(f"firmware calibrate {provisioned} --measured 4.75")
    assert (result.code, result.err) == (0, "")
    before, after = result.out.splitlines()
    assert before == (
        "Before: the board measures 4.39 V at 5V, by the nominal reference of 1100 mV, not"
        " calibrated; LOW_SUPPLY comes below 4.01 V, which can be 3.65 to 4.38 V."
    )
    assert after == (
        "After: the board measures 4.75 V at 5V, by its calibrated reference of 1190 mV; LOW_SUPPLY"
        " comes below 4.01 V, within 1 %; the multimeter showed 4.75 V."
    )
    # The calibration is of the chip: with a new key and new limits the board keeps it.
    again = wallwright(f"firmware provision {provisioned} --serial WALL0001 --again")
    assert again.code == 0, again.err
    assert len(desk.calls) == 3
    report = wallwright(f"doctor --port {desk.port} --keys {desk.keys} --all").out
    assert "board WALL0001 measures a supply of 4.75 V (calibrated)" in " ".join(report.split())


@pytest.mark.parametrize(
    ("volts", "refusal"),
    [
        (4.2, "The measured voltage must be 4.4 to 5.5 V, so that the board works while its"),
        (47.5, "The measured voltage must be 4.4 to 5.5 V, so that the board works while its"),
        (math.nan, "The measured voltage must be 4.4 to 5.5 V, so that the board works while its"),
        (
            5.2,
            "5.2 V at 5V would be a reference of 1303 mV, and the chip's data sheet gives 1000",
        ),
    ],
)
def test_a_voltage_that_cannot_be_right_is_refused(volts: float, refusal: str) -> None:
    chip = calibrated_chip("mega2560")
    assert chip is not None
    with pytest.raises(BadInputError) as refused:
        computed_reference(SupplyReport(4.39, 0), volts, chip)
    assert str(refused.value).startswith(refusal)


def test_nothing_is_written_for_a_voltage_that_is_refused(
    desk: Desk, provisioned: str, wallwright: Wallwright
) -> None:
    result = wallwright(f"firmware calibrate {provisioned} --measured 5.2")
    assert result.code == 2
    assert result.err.startswith("5.2 V at 5V would be a reference of 1303 mV, and the chip's data")
    assert len(desk.calls) == 1, "the provisioning"


def test_a_script_that_gives_no_voltage_is_not_asked(
    provisioned: str, wallwright: Wallwright
) -> None:
    result = wallwright(f"firmware calibrate {provisioned}")
    assert result.code == 2
    assert result.err.startswith(
        "`--measured` is missing, and no terminal is attached to enter it; measure"
    )


def test_a_board_with_older_firmware_is_flashed_first(
    desk: Desk, provisioned: str, wallwright: Wallwright
) -> None:
    (desk.folder / "firmware").write_text("2")
    result = wallwright(f"firmware calibrate {provisioned} --measured 4.75")
    assert result.code == 2
    assert result.err == (
        "The firmware of the board WALL0001 does not report its supply; flash the firmware of this"
        f" program: wallwright firmware flash {desk.port}.\n"
    )


def test_a_reference_that_did_not_reach_the_board_is_an_error(
    desk: Desk, provisioned: str, wallwright: Wallwright
) -> None:
    (desk.folder / "unwritten").touch()
    result = wallwright(f"firmware calibrate {provisioned} --measured 4.75")
    assert result.code == 1
    assert result.err.startswith(
        "The board WALL0001 reports the reference 0 mV, and 1190 mV was written; calibrate it again"
    )
