"""Filipino mahjong: the parameters of a house, in the file and in the rules."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from config.loader import load_game
from config.validation.game_parameters import game_parameters
from rules.errors import IllegalSetupError
from rules.games.filipino import Parameters


def test_the_file_of_the_game_has_every_parameter_with_the_default_of_the_rules() -> None:
    config = load_game("filipino")
    assert list(config.parameters) == [field.name for field in fields(Parameters)]
    assert game_parameters(config) == Parameters()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"kong_bonus": -5}, "`kong_bonus` must be at least 0, not"),
        ({"chip_target": 0}, "`chip_target` must be at least 1, not"),
        ({"bonus_low": 13}, "must be below `bonus_high`, not 13 and 13"),
        ({"plus_n_range": (0, 6)}, "`plus_n_range` must be a least and a "),
        ({"plus_n_range": (4,)}, "`plus_n_range` must be"),
        ({"plus_n_range": (5, 2)}, "`plus_n_range` must be a least and"),
    ],
)
def test_impossible_amounts_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(IllegalSetupError, match=sentence):
        Parameters(**wrong)
