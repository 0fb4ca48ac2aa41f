"""The house rules of a game as a form: a JSON schema with the meaning and default of each."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter

from config.schema import GameConfig
from config.validation.game_parameters import game_parameters, parameters_model


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
