"""Filipino mahjong: the house's choices, in the file and in the rules."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from config.loader import load_game
from config.validation.game_parameters import game_parameters
from rules.errors import IllegalSetupError
from rules.games.filipino import Parameters


def test_the_file_of_the_house_names_every_parameter_with_the_default_of_the_rules() -> None:
    config = load_game("filipino")
    assert list(config.parameters) == [field.name for field in fields(Parameters)]
    assert game_parameters(config) == Parameters()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"kong_bonus": -5}, "kong_bonus cannot be -5; give 0 or a larger number"),
        ({"chip_target": 0}, "chip_target cannot be 0; give 1 or a larger number"),
        ({"bonus_low": 13}, "Flores cannot be few up to 13 and many from 13 on"),
        ({"plus_n_range": (0, 6)}, r"A plus_n_range of \(0, 6\) is none: .* as \[1, 6\]"),
        ({"plus_n_range": (4,)}, r"A plus_n_range of \(4,\) is none"),
        ({"plus_n_range": (5, 2)}, r"A plus_n_range of \(5, 2\) is none"),
    ],
)
def test_amounts_that_no_house_can_play_with_are_refused(
    wrong: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(IllegalSetupError, match=sentence):
        Parameters(**wrong)
