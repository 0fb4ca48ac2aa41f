"""Validates a game's parameters from a file and returns the dataclass that its rules take."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, create_model

from config.errors import Finding, dotted, located
from config.schema import GameConfig, Part
from config.validation.messages import findings, from_rules
from rules.errors import RulesError
from rules.games import GAMES, find_game

MOST = 1_000_000
"""The largest number of a parameter, also below 0; games have narrower limits of their own."""
_BOUNDED: Mapping[object, Any] = {
    int: Annotated[int, Field(ge=-MOST, le=MOST)],
    float: Annotated[float, Field(ge=-MOST, le=MOST)],
}
_MODELS: dict[type[Any], type[BaseModel]] = {}
"""The models that were built, by the dataclass of the parameters: each takes up to 10 ms."""


def game_parameters(config: GameConfig) -> Any:
    """Returns the parameters for `Game.setup`: the game's defaults with the file's changes.

    Raises ConfigErrors without line numbers; `load_game` raises them with line numbers.
    """
    parameters, defects = accepted(config.game, config.parameters)
    if defects:
        raise located(config.game, {}, defects)
    return parameters


def accepted(game: str, given: Mapping[str, object]) -> tuple[Any, list[Finding]]:
    """Returns a game's parameters and no findings, or its defaults and the findings.

    Parameters are valid if a set-up can begin with them for every number of players.
    """
    rules = GAMES[game]
    defaults = rules.parameters()
    model = parameters_model(type(defaults))
    try:
        values = model.model_validate_json(json.dumps(given))
        changed = {name: getattr(values, name) for name in values.model_fields_set}
        parameters = replace(defaults, **changed)
        for players in rules.players:
            rules.setup(players=players, parameters=parameters)
    except ValidationError as error:
        return defaults, [
            finding._replace(path=("parameters", *finding.path))
            for finding in findings(error, model)
        ]
    except RulesError as error:
        return defaults, [from_rules(("parameters",), error)]
    return parameters, []


def parameters_of(game: str, changed: Mapping[str, Any]) -> Any:
    """The parameters by which a recorded hand was played. Raises RulesError."""
    parameters, defects = accepted(find_game(game).name, changed)
    if defects:
        path, defect, correction = defects[0]
        raise RulesError(f"{dotted(path)} {defect}. {correction}")
    return parameters


def parameters_model(parameters: type[Any]) -> type[BaseModel]:
    """Returns a strict model with a dataclass's fields, all of them optional."""
    if (model := _MODELS.get(parameters)) is None:
        hints = get_type_hints(parameters)
        hints |= {name: _BOUNDED[hint] for name, hint in hints.items() if hint in (int, float)}
        each: dict[str, Any] = {
            field.name: (hints[field.name], None) for field in fields(parameters)
        }
        model = _MODELS[parameters] = create_model("Parameters", __base__=Part, **each)
    return model


def house_rules_form(config: GameConfig) -> dict[str, Any]:
    """A JSON schema of a game's parameters; defaults are those of the configuration.

    Raises ConfigErrors if the configuration's parameters are not the game's.
    """
    parameters = game_parameters(config)
    kind = type(parameters)
    schema = parameters_model(kind).model_json_schema()
    meanings = parameter_meanings(kind)
    defaults = TypeAdapter(kind).dump_python(parameters, mode="json")
    for field in fields(parameters):
        shape = schema["properties"][field.name]
        shape["title"] = field.name.replace("_", " ").capitalize()
        shape["default"] = defaults[field.name]
        shape["description"] = meanings.get(field.name, "")
    schema["title"] = f"House rules of {config.game}"
    return schema


def parameter_meanings(parameters: type[Any]) -> dict[str, str]:
    """Return each parameter's meaning, from docstring entries of the form "`a`, `b`: meaning"."""
    found: dict[str, str] = {}
    for line in re.split(r"\n(?=`)", inspect.getdoc(parameters) or ""):
        named = re.match(
            r"((?:`\w+`(?:, | and )?)+)(?:\([^)]*\))?: (.+?)(?:\n\n|$)", line, re.DOTALL
        )
        if named:
            text = " ".join(named[2].split())
            found |= dict.fromkeys(re.findall(r"`(\w+)`", named[1]), text)
    return found
