"""Converts pydantic's errors to findings: the key, the defect and the next step.

Error messages contain none of pydantic's own wording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError

from config.errors import Finding, Path, instead, shown
from config.schema import Unit, notes

_MISSING = {
    "safe": "Add `safe:` with its value while no host holds the lease, such as `safe: 0`.",
    "max_on": "Add `max_on:` with the seconds after which the board itself stops it.",
    "low": "Add `low:` and `high:`, the limits of the axis in metres.",
    "high": "Add `low:` and `high:`, the limits of the axis in metres.",
    "home_switch": "Add `home_switch:` with the sensor at one end of the axis.",
    "kind": "Add `kind:`, such as motor, output, sensor or axis.",
}
"""The next step for a missing key, if it is more than `Add KEY:`."""

_NOUNS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a text",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "dataclass_type": "a mapping of keys to values",
    "tuple_type": "a list",
}
_AS_NUMBER = ", without quotes and leading zeros"
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def findings(error: ValidationError, model: type[BaseModel]) -> list[Finding]:
    """Returns a finding for every error of a validation against `model`."""
    return [
        _finding(found["type"], found["loc"], found["input"], found.get("ctx", {}), model)
        for found in error.errors(include_url=False)
    ]


def _finding(
    kind: str, loc: Path, value: object, context: Mapping[str, Any], model: type[BaseModel]
) -> Finding:
    path, level = _as_written(loc, model)
    known = _keys(level)
    last = path[-1] if path else ""
    if kind in _BOUNDS:
        limit, words = _BOUNDS[kind]
        unit = _unit(level, str(last))
        wrong = f"is out of range ({shown(value)}{f' {unit}' if unit else ''})"
        return Finding(path, wrong, f"Give {words} {context[limit]:g}{f' {unit}' if unit else ''}.")
    match kind:
        case "missing" if isinstance(last, int):
            return Finding(path[:-1], "has too few values", f"Give at least {last + 1}.")
        case "missing":
            return Finding(path, "is missing", _MISSING.get(str(last), f"Add `{last}:`."))
        case "too_long":
            wrong = f"has too many values ({context['actual_length']})"
            return Finding(path, wrong, f"Give at most {context['max_length']}.")
        case "extra_forbidden" | "unexpected_keyword_argument":
            wrong = f"is an unknown key ({shown(last)})"
            return Finding(path, wrong, instead(str(last), known))
        case "literal_error":
            return Finding(
                path, f"is not one of its values ({shown(value)})", _give(context["expected"])
            )
        case "union_tag_invalid":
            wrong = f"is not a kind of channel ({shown(context['tag'])})"
            kinds = context["expected_tags"].replace("'", "").split(", ")
            return Finding((*path, "kind"), wrong, instead(context["tag"], kinds))
        case "union_tag_not_found":
            return Finding((*path, "kind"), "is missing", _MISSING["kind"])
        case "value_error":
            return from_rules(path, context["error"])
    noun = _NOUNS.get(kind, "a value of this key's kind")
    wrong = "has no value" if value is None else f"is not {noun} ({shown(value)})"
    hidden = isinstance(value, str) and value.lstrip("+-")[:1].isdigit()
    if isinstance(value, str) and not hidden and last in ("pin", "reverse_pin", "direction_pin"):
        wrong = f"is not a pin of this board ({shown(value)})"
        return Finding(path, wrong, "Give the pin's number, or the label that is printed at it.")
    return Finding(path, wrong, f"Give {noun}{_AS_NUMBER if hidden else ''}.")


def from_rules(path: Path, error: ValueError) -> Finding:
    """The finding for a refusal by the rules of a game."""
    wrong = str(error).removesuffix(".")
    return Finding(path, f"the rules refuse it: {wrong}", "Correct it, or leave it out.")


def _give(expected: str) -> str:
    return f"Give {expected}.".replace("'", "")


def _as_written(loc: Path, model: type[BaseModel]) -> tuple[Path, Any]:
    """The path of a value in the file, and the annotation of the part that has its key.

    pydantic adds a channel's kind to the path, between the channel and its keys; the file has no
    such level.
    """
    path: Path = ()
    here: Any = model
    level: Any = model
    for step in loc:
        kinds = _kinds(here)
        if kinds:
            here = kinds[str(step)]
            continue
        path = (*path, step)
        level, here = here, _inside(here, step)
    return path, level


def _unit(level: Any, key: str) -> str:
    """The unit of a part's key; empty for a key without one."""
    part = _bare(level)
    if not (isinstance(part, type) and issubclass(part, BaseModel)) or key not in part.model_fields:
        return ""
    field = part.model_fields[key]
    return next((note.symbol for note in notes(field) if isinstance(note, Unit)), "")


def _kinds(annotation: Any) -> dict[str, Any]:
    """The members of a union with the discriminator `kind`, by kind; empty for anything else."""
    bare = _bare(annotation)
    if get_origin(bare) is not UnionType:
        return {}
    return {get_args(_keys(member)["kind"])[0]: member for member in get_args(bare)}


def _inside(annotation: Any, step: str | int) -> Any:
    bare = _bare(annotation)
    if step in (keys := _keys(bare)):
        return keys[str(step)]
    parts = [part for part in get_args(bare) if part is not Ellipsis]
    return parts[-1] if parts else Any


def _keys(annotation: Any) -> dict[str, Any]:
    bare = _bare(annotation)
    if isinstance(bare, type) and issubclass(bare, BaseModel):
        return {name: field.annotation for name, field in bare.model_fields.items()}
    return get_type_hints(bare) if isinstance(bare, type) and is_dataclass(bare) else {}


def _bare(annotation: Any) -> Any:
    """An annotation without its metadata and its `None`."""
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    some = [part for part in get_args(annotation) if part is not type(None)]
    if type(None) in get_args(annotation) and len(some) == 1:
        return _bare(some[0])
    return annotation
