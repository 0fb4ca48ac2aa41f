"""Positions as text: `play_text` writes any play on one line, `read_play` reads it back.

    >>> from random import Random
    >>> from rules import new_hand, play_text, read_play
    >>> play = new_hand("backgammon", Random(3))
    >>> read_play("backgammon", play_text(play)) == play
    True

The text is the `repr` of the play without the fields that have their default value, so that a
`repr` reads back as well. Nothing in a text is executed: `read_play` accepts the classes of the
game's values, literals, tuples, dicts and frozensets, and refuses everything else.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from rules.errors import NotationError
from rules.games import rules_of

LONGEST = 200_000
"""Characters; the longest play that was written had about 8,000."""
_BAD_VALUE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    StopIteration,
    TypeError,
    ValueError,
)
"""The errors that the rules raise when they use a value of a wrong type or size."""


@runtime_checkable
class _NamedTuple(Protocol):
    """The attributes that a NamedTuple class has in addition to those of a tuple."""

    _fields: tuple[str, ...]
    _field_defaults: Mapping[str, Any]


def play_text(play: Any) -> str:
    """Returns a play, or any value that is part of a play, as one line of text."""
    if isinstance(play, Enum):
        return f"{type(play).__name__}.{play.name}"
    if is_dataclass(play) and not isinstance(play, type):
        shown = [field for field in fields(play) if field.init]
        return _call(play, {field.name: _default(field) for field in shown})
    if isinstance(play, tuple):
        if isinstance(play, _NamedTuple):
            return _call(
                play, {name: play._field_defaults.get(name, MISSING) for name in play._fields}
            )
        items = ", ".join(map(play_text, play))
        return f"({items},)" if len(play) == 1 else f"({items})"
    if isinstance(play, frozenset):
        return (
            f"frozenset({{{', '.join(sorted(map(play_text, play)))}}})" if play else "frozenset()"
        )
    if isinstance(play, dict):
        return f"{{{', '.join(f'{play_text(k)}: {play_text(v)}' for k, v in play.items())}}}"
    return repr(play)


def read_play(game: str, text: str) -> Any:
    """Returns the play that `play_text` wrote.

    Raises NotationError for a text that is not a play of this game, and IllegalSetupError for a
    game that does not exist.
    """
    rules = rules_of(game)
    if len(text) > LONGEST:
        raise NotationError(f"A play's text has at most {LONGEST} characters; got {len(text)}.")
    try:
        play = _Reader(game, _classes(rules.start)).read(_parsed(text))
        _use(play)
    except (SyntaxError, MemoryError) as error:
        raise NotationError(f"{_start(text)} is not a text of a play: {error}.") from None
    except _BAD_VALUE as error:
        raise NotationError(
            f"{_start(text)} is not a possible play of {game}: {type(error).__name__}: {error}."
        ) from None
    return play


def _parsed(text: str) -> ast.expr:
    with warnings.catch_warnings():
        # Python emits a warning for texts such as `1or 2`, which `_Reader` refuses.
        warnings.simplefilter("ignore", SyntaxWarning)
        return ast.parse(text.strip(), mode="eval").body


def _use(play: Any) -> None:
    """Computes the legal actions and the hash of a play, so that an impossible value is found here.

    Raises TypeError for a value that is not a play. An impossible play raises one of `_BAD_VALUE`.
    """
    if not hasattr(play, "legal_actions"):
        raise TypeError(f"a {type(play).__name__} is part of a play, not a play")
    hash(play)
    _ = play.to_act, play.settlement
    list(play.legal_actions)


def _call(value: Any, defaults: Mapping[str, Any]) -> str:
    given = {name: getattr(value, name) for name in defaults}
    changed = (
        f"{name}={play_text(each)}"
        for name, each in given.items()
        if defaults[name] is MISSING or defaults[name] != each
    )
    return f"{type(value).__name__}({', '.join(changed)})"


def _default(field: Field[Any]) -> Any:
    factory = field.default_factory
    return field.default if factory is MISSING else factory()


def _start(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...")


def _classes(start: Callable[..., Any]) -> dict[str, type[Any]]:
    """The classes that a play can contain; of two with one name, that of the game is taken."""
    package = start.__module__.rpartition(".")[0] or start.__module__
    found: dict[str, type[Any]] = {"Fraction": Fraction}
    for module in ("rules", package):
        found.update((each.__name__, each) for each in _values_of(module))
    return found


def _values_of(package: str) -> Iterator[type[Any]]:
    """The frozen dataclasses, named tuples and enumerations that a package defines."""
    for name, module in tuple(sys.modules.items()):
        own = name == package or name.startswith(f"{package}.")
        if not own or (package == "rules" and name.startswith("rules.games.")):
            continue
        for each in tuple(vars(module).values()):
            if isinstance(each, type) and each.__module__ == name and _is_value(each):
                yield each


def _is_value(each: type[Any]) -> bool:
    if is_dataclass(each):
        return bool(each.__dataclass_params__.frozen)  # type: ignore[attr-defined]
    return issubclass(each, Enum) or (issubclass(each, tuple) and hasattr(each, "_fields"))


class _Reader:
    """Builds values from a parsed text; only the given classes are accepted."""

    def __init__(self, game: str, classes: Mapping[str, type[Any]]) -> None:
        self._game = game
        self._classes = classes

    def read(self, node: ast.expr) -> Any:
        """The value of a node. Raises ValueError for a value that cannot be part of a play."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
                return -number
            case ast.Tuple(elts=items):
                return tuple(map(self.read, items))
            case ast.Dict(keys=keys, values=values):
                return {self._key(k): self.read(v) for k, v in zip(keys, values, strict=True)}
            case ast.Attribute(value=ast.Name(id=kind), attr=member):
                return self._class(kind)[member]
            case ast.Call(func=ast.Name(id="frozenset"), args=items, keywords=[]):
                return self._frozenset(items)
            case ast.Call(func=ast.Name(id=kind), args=items, keywords=named):
                given = {str(each.arg): self.read(each.value) for each in named}
                return self._class(kind)(*map(self.read, items), **given)
        raise ValueError(f"{ast.unparse(node)[:40]!r} cannot be part of a play")

    def _key(self, key: ast.expr | None) -> Any:
        if key is None:
            raise ValueError("'**' cannot be part of a play")
        return self.read(key)

    def _frozenset(self, items: list[ast.expr]) -> frozenset[Any]:
        match items:
            case []:
                return frozenset()
            case [ast.Set(elts=members)]:
                return frozenset(map(self.read, members))
        raise ValueError("a frozenset is written as frozenset({a, b})")

    def _class(self, name: str) -> type[Any]:
        if name not in self._classes:
            raise ValueError(f"{name!r} is not a class of {self._game}")
        return self._classes[name]
