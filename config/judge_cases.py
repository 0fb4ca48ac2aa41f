"""Loads a judge case (the tiles and claims on a table) from strict YAML and validates it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from importlib import resources
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import BaseModel, ValidationError, create_model

from config.errors import Finding, Lines, located, shown
from config.loader import read
from config.schema import Part
from config.validation.messages import findings, from_rules
from rules.errors import RulesError
from rules.games import find_plugin, judging_of


def load_case(game: str, path: str | Path) -> Any:
    """Loads a game's `Case` from a file. Raises ConfigErrors; RulesError for an unknown game.

    If the file has the key `game`, it must name the same game.
    """
    judging_of(game)
    document = read(path)
    assert isinstance(document.value, dict)
    return case_of(game, document.value, document.file, document.lines)


def case_of(
    game: str, stated: Mapping[str, object], source: str, lines: Lines | None = None
) -> Any:
    """Returns a game's `Case` from its keys; errors name `source`, and the lines if given.

    Raises ConfigErrors; RulesError for an unknown game.
    """
    case = judging_of(game).case
    lines = lines or {}
    given = {"game": game} | dict(stated)
    if given["game"] != game:
        wrong = f"is {shown(given['game'])}, but a case of '{game}' is expected"
        cure = f"Write `game: {game}`, or judge the case with its own game."
        raise located(source, lines, [Finding(("game",), wrong, cure)])
    if "game" not in {each.name for each in fields(case)}:
        del given["game"]
    model = _model(case)
    try:
        values = model.model_validate_json(json.dumps(given))
        named = {name: getattr(values, name) for name in values.model_fields_set}
        return case(**named)
    except ValidationError as error:
        raise located(source, lines, findings(error, model)) from None
    except RulesError as error:
        raise located(source, lines, [_of_the_rules(error, given)]) from None


def case_schema(game: str) -> dict[str, Any]:
    """Returns the JSON schema of a game's case. Raises RulesError for a game without a judge."""
    return _model(judging_of(game).case).model_json_schema()


def example_case(game: str) -> str:
    """Returns the text of a game's example case. Raises RulesError if the game has none."""
    own = resources.files("config") / "cases" / f"{game}.yaml"
    file = find_plugin(game).case or own
    if not file.is_file():
        raise RulesError(f"The game '{game}' has no example of a case.")
    return file.read_text("utf-8")


def _of_the_rules(error: RulesError, given: Mapping[str, object]) -> Finding:
    """Locates a refusal of the judge at the field with which its sentence begins: `tile: ...`."""
    field, colon, sentence = str(error).partition(": ")
    if colon and field in given:
        return from_rules((field,), RulesError(sentence))
    return from_rules((), error)


def _model(case: type[Any]) -> type[BaseModel]:
    """Returns a strict model with a dataclass's fields; fields without a default are required."""
    hints = get_type_hints(case)
    each: dict[str, Any] = {
        field.name: (hints[field.name], ... if _required(field) else None) for field in fields(case)
    }
    return create_model("Case", __base__=Part, **each)


def _required(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING
