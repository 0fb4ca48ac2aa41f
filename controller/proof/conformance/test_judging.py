"""The judge of a game: the class of its cases, its YAML files, and its example."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from config.errors import ConfigErrors
from config.judge_cases import example_case, load_case
from rules.plugin import GamePlugin


def test_a_case_is_a_frozen_dataclass_whose_fields_can_be_read_from_yaml(
    judged: GamePlugin, tmp_path: Path
) -> None:
    case = judged.require_judging().case
    assert is_dataclass(case)
    assert fields(case)
    file = tmp_path / "case.yaml"
    file.write_text("no_such_key_of_any_case: 1\n", encoding="utf-8")
    with pytest.raises(ConfigErrors, match="no_such_key_of_any_case"):
        load_case(judged.name, file)


def test_the_example_of_a_case_is_judged(judged: GamePlugin, tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(example_case(judged.name), encoding="utf-8")
    verdict = judged.require_judging().judge(load_case(judged.name, file))
    assert verdict.reasons
