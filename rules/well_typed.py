"""Checks that an action has the class and the field types that its game declares.

`action in play.legal_actions` accepts any value, such as one that a program made or one that was
read from a damaged file. A value whose fields have wrong types, or numbers or texts that are too
long, is refused here with a sentence. The rules of the games need no such checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from rules.values import LazyTable

MOST_DIGITS = 9
"""Maximum digits of a number in an action; seats, points and dice have one or two."""
MOST_LETTERS = 40
"""Maximum characters of a text in an action; `4-4 side` has eight."""

_Check = Callable[[Any], bool]
_LIMIT = 10**MOST_DIGITS


def why_ill_typed(action: object, classes: Iterable[type[Any]], title: str) -> str | None:
    """The objection to a value that is not a well-typed action of a game, else None."""
    kind = type(action)
    if kind not in classes:
        return f"{shown(action)} is not an action of {title}."
    for name, check, wanted in _FIELDS[kind]:
        value = getattr(action, name)
        if not check(value):
            return f"The {name} of a {kind.__name__} must be {wanted}, not {shown(value)}."
    return None


def shown(value: object) -> str:
    """A value as a message quotes it: shortened to less than a line."""
    if isinstance(value, int) and abs(value) >= _LIMIT:
        return f"a number of more than {MOST_DIGITS} digits"
    if isinstance(value, str | bool | int | float | NoneType):
        text = repr(value)
        return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}..."
    return f"a value of the type {type(value).__name__}"


def _fields(kind: type[Any]) -> tuple[tuple[str, _Check, str], ...]:
    """For each field of an action's class: its name, the check of its value, its type in words."""
    hints = get_type_hints(kind)
    return tuple((name, _check(hint), _wanted(hint)) for name, hint in hints.items())


_FIELDS: LazyTable[type[Any], tuple[tuple[str, _Check, str], ...]] = LazyTable(_fields)
"""The fields of each class, computed when the class is first checked."""


def _check(hint: Any) -> _Check:
    """Returns the check for this type. Raises TypeError for a type that no action uses."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is int:
        return lambda value: type(value) is int and -_LIMIT < value < _LIMIT
    if hint is str:
        return lambda value: type(value) is str and len(value) <= MOST_LETTERS
    if hint in (bool, NoneType):
        return lambda value: type(value) is hint
    if origin is Literal:
        return lambda value: type(value) is str and value in parts
    if origin in (UnionType, Union):
        either = tuple(map(_check, parts))
        return lambda value: any(check(value) for check in either)
    if origin is tuple:
        return _row(parts)
    if isinstance(hint, type) and (issubclass(hint, tuple) or is_dataclass(hint)):
        return _record(hint)
    raise TypeError(f"An action's field cannot be checked for the type {hint}.")


def _row(parts: tuple[Any, ...]) -> _Check:
    """Returns the check for a tuple: of one type throughout, or of one type for each part."""
    if parts[-1] is Ellipsis:
        every = _check(parts[0])
        return lambda value: type(value) is tuple and all(map(every, value))
    each = tuple(map(_check, parts))
    return lambda value: (
        type(value) is tuple
        and len(value) == len(each)
        and all(check(part) for check, part in zip(each, value, strict=True))
    )


def _record(kind: type[Any]) -> _Check:
    """Returns the check for a dataclass or a named tuple within an action, field by field."""
    return lambda value: (
        type(value) is kind and all(check(getattr(value, name)) for name, check, _ in _FIELDS[kind])
    )


def _wanted(hint: Any) -> str:
    """A field's type in words."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is int:
        return f"a whole number of at most {MOST_DIGITS} digits"
    if hint is str:
        return f"a text of at most {MOST_LETTERS} letters"
    if hint is NoneType:
        return "nothing"
    if origin is Literal:
        return "one of " + ", ".join(repr(part) for part in parts)
    if origin in (UnionType, Union):
        return " or ".join(_wanted(part) for part in parts)
    if origin is tuple and parts[-1] is Ellipsis:
        return f"a tuple, of which each part is {_wanted(parts[0])}"
    if origin is tuple:
        return f"a tuple of {len(parts)}, of which each part is {_wanted(parts[0])}"
    return f"a {getattr(hint, '__name__', hint)}"
