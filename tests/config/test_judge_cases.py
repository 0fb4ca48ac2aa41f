"""Case files: the examples get the verdict in their comment; no random case causes a traceback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from config.errors import ConfigErrors
from config.judge_cases import example_case, load_case
from controller.cli.commands.replay import verdict_page
from rules.errors import RulesError
from rules.games import PLUGINS, judging_of
from rules.judging import Verdict
from tests.quick import slow_except, tries
from tools.configuration_page import field_meanings

CASES = Path(__file__).parents[2] / "examples" / "cases"
JUDGED = [name for name in PLUGINS if PLUGINS[name].judging is not None]
RANDOM_CASES = tries(60, quick=30, evidence=1000)
"""Changed examples of each game."""
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 3, 4, 99, 10**17, 1.5, "", "x", "self", "discard", "robbing"),
    *("replacement", "5m", "5m*", "1z", "1f", "9x", "6-6", "6-4 on 6", "draw", "go", "call"),
    *("show 6-4", "1-1 in line on 1", "4h", "10s", "Kd", "24/18", "bar/22*", "24(2) | 6", [], {}),
    *([[]], ["5m"], ["5m", "5m", "5m"], [["1z", "1z", "1z"]], ["6-4"], ["4h"], [1, 2], [0, 0]),
    *([{"seat": 3, "hand": ["5m"]}], {"reserve": 0}, {"unit": 0}, {"sniff": True}, "\u2028"),
    *({"hand_win": -1}, {"dealer_scale": []}, {"joker_discard": "dead"}, {"n": 1}, "a" * 300),
)


def judged(game: str, path: Path) -> Verdict | str:
    """The verdict on a case file, or the text of the error that refuses the file."""
    try:
        return judging_of(game).judge(load_case(game, path))
    except (ConfigErrors, RulesError) as error:
        return str(error)


@pytest.mark.parametrize("game", JUDGED)
def test_the_example_of_each_game_gets_the_verdict_in_its_comment(game: str) -> None:
    path = CASES / f"{game}.yaml"
    text = path.read_text("utf-8")
    assert text == example_case(game)
    verdict = judged(game, path)
    assert isinstance(verdict, Verdict)
    expected = re.search(r"^# (The claim is (?:valid|not valid)\..*)$", text, re.MULTILINE)
    assert expected
    heading, *_ = verdict_page(game, verdict).renderable.renderables  # type: ignore[union-attr]
    assert expected[1] == heading.plain
    assert f"\ngame: {game}\n" in text


@pytest.mark.parametrize("game", JUDGED)
def test_every_key_of_a_case_has_an_explanation(game: str) -> None:
    case = judging_of(game).case
    meanings = field_meanings(case)
    assert list(meanings) == [field.name for field in fields(case)]
    assert all(len(meaning) > 10 for meaning in meanings.values())


@pytest.mark.evidence
@pytest.mark.parametrize("game", slow_except(["wenzhou", "pai_gow"], JUDGED))
def test_a_random_case_is_judged_or_refused_in_sentences(game: str, tmp_path: Path) -> None:
    chance, path = Random(game), tmp_path / "case.yaml"
    names = [field.name for field in fields(judging_of(game).case)]
    refused = 0
    for _ in range(RANDOM_CASES):
        values = yaml.safe_load(example_case(game))
        for _ in range(chance.randint(1, 4)):
            _change(values, names, chance)
        path.write_text(json.dumps(values, ensure_ascii=True), encoding="utf-8")
        result = judged(game, path)
        if isinstance(result, str):
            refused += 1
            assert all(8 < len(line) < 900 for line in result.split("\n")), result
    assert refused > RANDOM_CASES // 3


@pytest.mark.evidence
@pytest.mark.parametrize("game", JUDGED)
def test_random_bytes_in_a_case_are_judged_or_refused_in_sentences(
    game: str, tmp_path: Path
) -> None:
    chance, path = Random(game), tmp_path / "case.yaml"
    for _ in range(RANDOM_CASES // 2):
        data = bytearray(example_case(game).encode())
        for _ in range(chance.randint(1, 5)):
            at = chance.randrange(len(data))
            data[at : at + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 2))
        path.write_bytes(data)
        assert judged(game, path) != ""


def _change(values: dict[str, Any], names: list[str], chance: Random) -> None:
    """Replace one value, remove one key, or change one entry of a list."""
    name = chance.choice([*names, *values])
    within = values.get(name)
    match chance.randrange(4):
        case 0 if name in values:
            del values[name]
        case 1 if isinstance(within, list) and within:
            within[chance.randrange(len(within))] = chance.choice(ODD)
        case 2 if isinstance(within, list) and within:
            change: Callable[..., Any] = chance.choice([within.pop, within.append])
            change(0) if change == within.pop else change(within[0])
        case _:
            values[name] = chance.choice(ODD)


def test_a_refusal_names_the_line_of_the_field(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(example_case("wenzhou").replace("discarder: 2", "discarder: 1"), "utf-8")
    line = path.read_text("utf-8").split("\n").index("discarder: 1") + 1
    with pytest.raises(ConfigErrors, match=rf"case.yaml:{line}: discarder: the rules refuse it"):
        load_case("wenzhou", path)


def test_a_case_of_another_game_is_refused(tmp_path: Path) -> None:
    for game, other in (("wenzhou", "filipino"), ("filipino", "pai_gow"), ("block", "draw")):
        error = judged(game, CASES / f"{other}.yaml")
        assert isinstance(error, str)
        assert f"game: is '{other}', but a case of '{game}' is expected." in error
