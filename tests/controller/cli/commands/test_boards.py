"""`wallwright boards`: the list of the board profiles, and the pins of one."""

from __future__ import annotations

import json

import pytest

from config.board_profiles import board_names, board_profile
from tests.controller.cli.conftest import Wallwright


def test_every_board_profile_is_listed_on_a_line_of_its_own(wallwright: Wallwright) -> None:
    result = wallwright("boards")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == list(board_names())
    assert "pins 13, 20, 21" in lines[0]


@pytest.mark.parametrize("name", board_names())
def test_every_pin_of_a_board_is_listed(name: str, wallwright: Wallwright) -> None:
    result = wallwright(f"boards {name}")
    assert (result.code, result.err) == (0, "")
    first = [line.split()[0] for line in result.out.splitlines()[2:] if line[:4].strip()]
    assert first == [str(pin.pin) for pin in board_profile(name).pins]


def test_the_list_as_json_has_every_fact(wallwright: Wallwright) -> None:
    listed = json.loads(wallwright("boards --json").out)
    assert [each["name"] for each in listed] == list(board_names())
    (mega,) = json.loads(wallwright("boards mega2560 --json").out)
    assert mega["pins"][13]["at_boot"] == "driven"
    assert mega["current"]["total"] == 200


def test_an_unknown_board_profile_is_refused(wallwright: Wallwright) -> None:
    result = wallwright("boards mega")
    assert (result.code, result.out) == (2, "")
    assert result.err == "There is no board profile 'mega'; did you mean 'mega2560'?\n"
