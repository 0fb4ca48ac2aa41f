"""Every rule number that the code or a verdict cites has an entry on the page of the game."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from rules.games import GAMES as EVERY

TOP = Path(__file__).parents[2]
PAGES = TOP / "docs" / "rules"
GAMES = ("wenzhou", "filipino", "pai_gow", "dominoes", "backgammon", "da_san")
_NUMBER = re.compile(r"\b(?:(?:WZ|FM|PG|DM|BG|DS)-\d+|[WFDCBSEA]\d{1,2})\b")
_SECTION = re.compile(r"(?<![\d.p])[24]\.[1-9](?![\d.])|\bsections? [1-9]\b")
_PARENTHESES = re.compile(r"\(([^()]*)\)")
_ENTRY = re.compile(r"^\| ([^|]+) \|", re.MULTILINE)
_EXAMPLES = {"wenzhou": "WZ", "filipino": "FM", "da_san": "DS"}
"""The letters of the examples that are tests; the pages of these games name only the letters."""


def entries(game: str) -> list[str]:
    """The rule numbers that a page explains."""
    return [entry for entry in _ENTRY.findall(page(game)) if entry not in ("number", "---")]


def page(game: str) -> str:
    return (PAGES / f"{game}.md").read_text("utf-8")


def cited(text: str) -> set[str]:
    """The rule numbers in a text: letters with a number, and sections within parentheses."""
    found = set(_NUMBER.findall(text))
    for inside in _PARENTHESES.findall(text):
        found |= {each.replace("sections", "section") for each in _SECTION.findall(inside)}
    return found


@pytest.mark.parametrize("game", GAMES)
def test_every_number_that_a_game_cites_is_explained_on_its_page(game: str) -> None:
    there = set(entries(game))
    for file in sorted((TOP / "rules" / "games" / game).glob("*.py")):
        for number in sorted(cited(file.read_text("utf-8"))):
            letters = number.partition("-")[0]
            if letters == _EXAMPLES.get(game):
                assert f"`{letters}-`" in page(game)
            else:
                assert number in there, f"{file.name} cites {number}"


def test_every_number_that_the_shared_rules_cite_is_explained_on_a_page() -> None:
    there = {entry for game in GAMES for entry in entries(game)}
    shared = [*(TOP / "rules").glob("*.py"), *(TOP / "rules" / "melds").glob("*.py")]
    for file in sorted([*shared, *(TOP / "rules" / "games").glob("*.py")]):
        missing = cited(file.read_text("utf-8")) - there
        assert not missing, f"{file.name} cites {missing}"


@pytest.mark.parametrize("game", GAMES)
def test_every_number_has_one_entry_and_its_rule_is_a_sentence(game: str) -> None:
    there = entries(game)
    assert len(there) == len(set(there))
    rules = re.findall(r"^\| (?!number|---)[^|]+ \| (.+) \|$", page(game), re.MULTILINE)
    assert len(rules) == len(there)
    assert all(len(rule) > 20 and rule.endswith((".", ").")) for rule in rules)


def test_the_parameters_that_the_pages_name_exist() -> None:
    names = {field.name for game in EVERY.values() for field in fields(game.parameters())}
    for game in GAMES:
        for name in re.findall(r"`([a-z]+(?:_[a-z0-9]+)+)`", page(game)):
            assert name in names, f"{game}.md names {name}"


def test_citations_are_found_in_text() -> None:
    assert cited("All pay (W30), heaven (E11, W24 a).") == {"W30", "E11", "W24"}
    assert cited("the set (2.4); tiles 2.1 2.2; (section 5), (DM-07)") == {
        "2.4",
        "section 5",
        "DM-07",
    }
