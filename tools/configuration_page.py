"""Writes docs/build/CONFIGURATION.md from the schema: every key of a table's and of a game's file.

Meanings are the docstrings under the schema's fields; units and limits are their annotations.
`tools.configuration_readers` finds the modules that read a key. A game's parameters are the fields
of its `Parameters`, whose docstring has the meaning of each.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from config.schema import GameConfig, Part, Table, Unit, channel_keys
from config.validation.game_parameters import parameter_meanings
from rules.games import GAMES, PLUGINS
from tools.configuration_readers import readers

READ_WHOLE: Mapping[str, str] = {"Recovery": "config.recovery_limits"}
"""Parts that one module reads as a whole, and that module."""
PLURALS = {"whole number": "whole numbers", "number": "numbers", "text": "texts"}
SIMULATION = "firmware_bridge.sim"

_INTRODUCTION = """\
# Configuration

*Generated from `config/schema/` and from the games' parameters by `make docs`; a test checks that
it is current.*

A **table** is one YAML file: its boards with channels, and the modules that are made of channels.
A **game** is one YAML file: its tile, its pace of play, and its house rules. The files of the
project are in `config/tables/` and `config/games/`. `--table FILE` and `--game FILE` accept any
other file, and `wallwright check FILE` names each defect with its line.

YAML is read strictly: a key that is not listed here, a key that occurs twice, or a value of
another type is an error, and no value is converted silently. Lengths are in metres and times in
seconds, unless the key ends with `_mm` or `_ms`.

The column *read by* lists the Python modules that read a key. A tool finds them by running every
packaged table in the simulation, its self-test and its list of wires. *Simulation* stands for the
modules of `firmware_bridge/sim/`. The checks in `config/validation/` read every key when the file
is loaded, so they are listed only where no other module reads the key.
"""
_GAMES = """\
## Parameters of the games

The keys under `parameters:` in a game's file. A parameter that is left out has its default.
"""


def page() -> str:
    """Return the text of docs/build/CONFIGURATION.md."""
    lines = [_INTRODUCTION, "## A table's file", ""]
    for path, part in _parts(Table, ""):
        lines += _section(path or "the file itself", part)
    lines += ["## A game's file", ""]
    for path, part in _parts(GameConfig, ""):
        lines += _section(path or "the file itself", part)
    lines += [_GAMES]
    for name in sorted(name for name in GAMES if PLUGINS.is_own(name)):
        lines += _game(name)
    return "\n".join(lines).rstrip("\n") + "\n"


# The paths of the parts in a file


def _parts(part: type[BaseModel], path: str) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield a part and the parts inside it, each with its path from the top of the file."""
    yield path, part
    for name, field in part.model_fields.items():
        here = f"{path}.{name}" if path else name
        for shape, inner in _inner(field.annotation, here):
            yield from _parts(inner, shape)


def _inner(hint: Any, path: str) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield the parts inside a value, each with the form of its path: `ports[]`, `boards.NAME`."""
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        kind = hint.model_fields.get("kind")
        chosen = get_args(kind.annotation) if kind is not None and hint.__name__ != "Table" else ()
        suffix = f", `kind: {chosen[0]}`" if len(chosen) == 1 else ""
        yield f"{path}{suffix}", hint
        return
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _inner(get_args(hint)[0], path)
    elif origin is tuple:
        yield from _inner(get_args(hint)[0], f"{path}[]")
    elif origin is dict:
        yield from _inner(get_args(hint)[1], f"{path}.NAME")
    else:
        for each in get_args(hint):
            yield from _inner(each, path)


# One part


def _section(path: str, part: type[BaseModel]) -> Iterator[str]:
    where, _, kind = path.partition(", ")
    title = f"`{where}`" if where != "the file itself" else where.capitalize()
    yield f"### {title}{f', {kind}' if kind else ''}"
    yield ""
    yield " ".join((inspect.getdoc(part) or "").split())
    yield ""
    yield "| key | meaning | value | unit | default | read by |"
    yield "|---|---|---|---|---|---|"
    meanings = field_meanings(part)
    for name, field in part.model_fields.items():
        cells = (
            meanings.get(name, ""),
            _value(part, name, field),
            _unit(field),
            _default(field),
            _readers(part, name) if not _has_parts(field) else "see below",
        )
        yield f"| `{name}` | {' | '.join(cells)} |"
    yield ""


def field_meanings(part: type[Any]) -> dict[str, str]:
    """Return the docstring under each field, read from the source, because Python drops it."""
    (node,) = ast.parse(inspect.getsource(part)).body
    assert isinstance(node, ast.ClassDef)
    found = {}
    for field, after in zip(node.body, node.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match after:
                case ast.Expr(ast.Constant(str(text))):
                    found[field.target.id] = " ".join(text.split())
    return found


def _value(part: type[BaseModel], name: str, field: FieldInfo) -> str:
    kinds = channel_keys(part).get(name) if issubclass(part, Part) else None
    if kinds is not None:
        listed = get_origin(_bare(field.annotation)) is tuple
        return f"{'list of channels' if listed else 'a channel'}: {' or '.join(kinds)}"
    return type_in_words(field.annotation, field.metadata)


def _bare(hint: Any) -> Any:
    """Return a type without its option `None` and without its annotations."""
    if get_origin(hint) is Annotated:
        return _bare(get_args(hint)[0])
    others = [each for each in get_args(hint) if each is not type(None)]
    optional = type(None) in get_args(hint)
    return _bare(others[0]) if optional and len(others) == 1 else hint


def type_in_words(hint: Any, notes: list[Any]) -> str:
    """Return a field's type in words for the page; `notes` are the limits in its annotation."""
    if get_origin(hint) is Annotated:
        inner, *more = get_args(hint)
        return type_in_words(inner, [*more, *notes])
    optional = [each for each in get_args(hint) if each is not type(None)]
    if type(None) in get_args(hint) and len(optional) == 1:
        return type_in_words(optional[0], notes)
    origin = get_origin(hint)
    if origin is Literal:
        return " or ".join(f"`{choice}`" for choice in get_args(hint))
    if origin is tuple:
        first, *rest = get_args(hint)
        count = f"{len(rest) + 1} values, each " if rest and rest[-1] is not ... else "list of "
        inner = type_in_words(first, [])
        return count + (PLURALS.get(inner, inner) if count == "list of " else inner)
    if origin is dict:
        inner = type_in_words(get_args(hint)[1], [])
        return f"mapping of names to {inner}"
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return "a mapping, below"
    if optional and origin is not None and origin is not tuple:
        return " or ".join(dict.fromkeys(type_in_words(each, []) for each in get_args(hint)))
    named = {int: "whole number", float: "number", str: "text", bool: "`true` or `false`"}
    return named.get(hint, getattr(hint, "__name__", "any value")) + _limits(notes)


def _limits(notes: list[Any]) -> str:
    above: object = None
    lowest: object = None
    highest: object = None
    for note in (each for given in notes for each in getattr(given, "metadata", [given])):
        match note:
            case Gt(gt):
                above = f"above {gt}"
            case Ge(ge):
                lowest = ge
            case Le(le):
                highest = le
    if lowest is not None and highest is not None:
        return f", {lowest} to {highest}" if lowest != highest else f", {lowest}"
    limits = [above, f"from {lowest}" if lowest is not None else None]
    limits.append(f"up to {highest}" if highest is not None else None)
    return "".join(f", {each}" for each in limits if each)


def _unit(field: FieldInfo) -> str:
    units = [note.symbol for note in field.metadata if isinstance(note, Unit)]
    for each in get_args(field.annotation):  # of an optional number
        units += [note.symbol for note in get_args(each)[1:] if isinstance(note, Unit)]
    return units[0] if units else ""


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    return "none" if value in (None, (), {}) else f"`{_yaml(value)}`"


def _has_parts(field: FieldInfo) -> bool:
    return any(True for _ in _inner(field.annotation, ""))


def _readers(part: type[BaseModel], name: str) -> str:
    found = readers().get(f"{part.__name__}.{name}", ())
    used = [each for each in found if not each.startswith(("config.validation", SIMULATION))]
    used += ["simulation"] * any(each.startswith(SIMULATION) for each in found)
    used = used or [READ_WHOLE[part.__name__]] if part.__name__ in READ_WHOLE else used
    return ", ".join(used or found)


# Games


def _game(name: str) -> Iterator[str]:
    parameters = GAMES[name].parameters()
    yield f"### {GAMES[name].title}, `{name}`"
    yield ""
    yield "| parameter | meaning | value | default |"
    yield "|---|---|---|---|"
    hints = get_type_hints(type(parameters), include_extras=True)
    meanings = parameter_meanings(type(parameters))
    for field in fields(parameters):
        value, default = (
            type_in_words(hints[field.name], []),
            _yaml(getattr(parameters, field.name)),
        )
        yield f"| `{field.name}` | {meanings.get(field.name, '')} | {value} | `{default}` |"
    yield ""


def _yaml(value: Any) -> str:
    """Return a value as YAML on one line."""
    plain = json.dumps(value, default=lambda each: getattr(each, "__dict__", str(each)))
    return plain.strip('"')
