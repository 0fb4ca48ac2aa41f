"""Every parameter of a game is used by the rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

import rules
from rules.games import GAMES

FILES = sorted(Path(rules.__file__).parent.rglob("*.py"))


@cache
def names_read() -> frozenset[str]:
    """Every attribute that the rules read, except in the checks of parameters (`__post_init__`)."""
    return frozenset(
        name
        for file in FILES
        for node in ast.parse(file.read_text()).body
        for name in _read_in(node)
    )


def _read_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef) and node.name == "__post_init__":
        return
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield node.attr
    for child in ast.iter_child_nodes(node):
        yield from _read_in(child)


@pytest.mark.parametrize("game", GAMES)
def test_every_parameter_of_a_game_is_read_by_its_rules(game: str) -> None:
    parameters = GAMES[game].parameters()
    unread = [field.name for field in fields(parameters) if field.name not in names_read()]
    assert not unread, f"the rules do not read {', '.join(unread)}; use or remove them"
