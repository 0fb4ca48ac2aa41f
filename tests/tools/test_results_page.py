"""Tests of the page with the fields of every game's result."""

from __future__ import annotations

from rules.games import GAMES, PLUGINS, find_game
from tools.results_page import page


def rows(title: str) -> dict[str, str]:
    """The rows of a game's table by the names of their fields."""
    table = page().partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    return {line.split("`")[1]: line for line in lines}


def test_the_page_has_a_table_for_every_game() -> None:
    headings = [line for line in page().splitlines() if line.startswith("## ")]
    titles = [title for line in headings for title in line.removeprefix("## ").split(", ")]
    assert sorted(titles) == sorted(find_game(game).title for game in GAMES if PLUGINS.is_own(game))


def test_a_field_says_when_it_is_asked_and_in_which_house() -> None:
    fields = rows("Wenzhou mahjong")
    assert fields["kong"] == (
        "| `kong` | whether any seat had a kong | true or false | who | who | without a `winner` |"
        " W34 |"
    )
    assert (
        "| amount | amount | in a house with `caishen_money` of at least 1 |" in fields["caishen"]
    )
    assert "| without a `winner`, in a house with `after_false_win: ends` |" in fields["false_win"]
    assert "if `by` is `discard` and if `first_turn` is `true`" in fields["undisturbed"]
    assert fields["by"].endswith("| who | tiles | with a `winner` |  |")
    assert list(fields)[:4] == ["winner", "by", "discarder", "false_win"]


def test_choices_and_fields_that_only_other_houses_have_are_listed_with_them() -> None:
    fields = rows("Backgammon")
    cube = "in a house with `doubling_cube: true`"
    assert f"| `single`, `gammon`, `backgammon`; `dropped` {cube} |" in fields["win"]
    assert f"| {cube} and `automatic_doubles` of at least 1 |" in fields["automatic"]
    assert list(fields) == ["winner", "win", "automatic", "cube"]
