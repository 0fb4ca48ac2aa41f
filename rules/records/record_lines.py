"""Parses and validates the JSON lines of a record: keys, types and sizes.

A record is a file that people keep, copy and edit, so any of its lines can be damaged. A line is
the heading of a hand, an action, the result that people reported, or the throws and choices that
settled seats and dealer before a hand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from rules.errors import RulesError
from rules.steps import Outcome
from rules.tiles import Face
from rules.well_typed import shown

LONGEST_LINE = 100_000
"""Maximum characters of a line; the heading of a hand with every tile known has 2,500."""
LONGEST_TEXT = 200
"""Maximum characters of an action's text; a win that shows seventeen tiles has 55."""
MOST_OUTCOMES = 10_000
MOST_DIGITS = 18

LineKind = Literal["heading", "action", "take_back", "seats", "result"]


class NotARecordError(RulesError):
    """Raised if the first line of a text cannot begin a record."""


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One line of a record: its number in the file, its kind, and its checked values."""

    number: int
    kind: LineKind
    values: Mapping[str, Any]

    def fault(self, cause: object) -> RulesError:
        """The error for this line if it is well formed but the rules refuse it."""
        return RulesError(f"Line {self.number} of the record cannot be played: {cause}")


def read_lines(texts: Iterable[str]) -> Iterator[RecordLine]:
    """Parses and checks the lines of a record one by one.

    Raises NotARecordError if the first line cannot begin a record, RulesError for any other wrong
    line. Both messages name the line and its fault.
    """
    number = 0
    for number, text in enumerate(texts, 1):
        try:
            yield _line(number, text, first=number == 1)
        except RulesError as error:
            if number == 1:
                raise NotARecordError(str(error)) from error
            raise
    if not number:
        raise NotARecordError("Line 1 of the record is not JSON: the record is empty.")


def _line(number: int, text: str, *, first: bool) -> RecordLine:
    values = _object(number, text)
    kind: LineKind = "action"
    if "seats" in values:
        kind = "seats"
    elif "take_back" in values:
        kind = "take_back"
    elif "result" in values:
        kind = "result"
    elif first or "game" in values:
        kind = "heading"
    required, optional = _KEYS[kind]
    named = {"game"} if first else set()
    missing = sorted((required | named) - values.keys())
    if missing:
        raise RulesError(f"Line {number} of the record lacks {' and '.join(missing)}.")
    for key, value in values.items():
        if key not in required | optional:
            raise RulesError(
                f"Line {number} of the record has an unknown key, {shown(key)}; remove it."
            )
        if not _CHECKS[key](value):
            raise RulesError(f"Line {number} of the record has a wrong {key}: {_quoted(value)}.")
    return RecordLine(number, kind, values)


def _object(number: int, text: str) -> dict[str, Any]:
    """The JSON object of a line. Raises RulesError for any other text."""
    if len(text) > LONGEST_LINE:
        raise RulesError(
            f"Line {number} of the record must have at most {LONGEST_LINE} characters; it has"
            f" {len(text)}."
        )
    try:
        values = json.loads(
            text,
            object_pairs_hook=_without_repeated_keys,
            parse_int=_whole_number,
            parse_float=_decimal_number,
            parse_constant=_no_number,
        )
    except json.JSONDecodeError as error:
        raise RulesError(f"Line {number} of the record is not JSON ({error.msg}).") from error
    except RecursionError:
        raise RulesError(
            f"Line {number} of the record is JSON that is nested too deeply."
        ) from None
    except _ValueRefusedError as error:
        raise RulesError(f"Line {number} of the record {error}.") from error
    if not isinstance(values, dict):
        raise RulesError(f"Line {number} of the record is not a JSON object.")
    return values


class _ValueRefusedError(ValueError):
    """Raised for a JSON value that a record cannot have.

    The message continues the words "Line 3 of the record".
    """


def _without_repeated_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs. Refuses a repeated key, of which `json` would keep the last."""
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _ValueRefusedError(f"has the key {shown(twice)} twice")
    return values


def _whole_number(text: str) -> int:
    if len(text.lstrip("-")) > MOST_DIGITS:
        raise _ValueRefusedError(f"has a number of more than {MOST_DIGITS} digits")
    return int(text)


def _decimal_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _ValueRefusedError("has a number that is too large")
    return number


def _no_number(text: str) -> NoReturn:
    raise _ValueRefusedError(f"has {text}, which is not a number")


def _is_number(value: object) -> bool:
    return type(value) is int


def _is_text(value: object) -> bool:
    return type(value) is str and len(value) <= LONGEST_TEXT and value.isprintable()


def _is_outcome(value: object) -> bool:
    """Whether a step can have this outcome: None, a number, a text, or a list of dice faces."""
    if isinstance(value, list):
        return len(value) <= LONGEST_TEXT and all(map(_is_number, value))
    return value is None or _is_number(value) or _is_text(value)


def _are_outcomes(value: object) -> bool:
    return isinstance(value, list) and len(value) <= MOST_OUTCOMES and all(map(_is_outcome, value))


def _are_tiles(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    return all(_is_text(place) and _is_text(face) for place, face in value.items())


_CHECKS: Mapping[str, Callable[[object], bool]] = {
    "game": _is_text,
    "players": _is_number,
    "dealer": _is_number,
    "parameters": lambda value: isinstance(value, dict),
    "outcomes": _are_outcomes,
    "tiles": _are_tiles,
    "seat": _is_number,
    "do": _is_text,
    "take_back": _is_number,
    "seats": _are_outcomes,
    "new_match": lambda value: isinstance(value, bool),
    "standing": lambda value: isinstance(value, dict),
    "result": lambda value: isinstance(value, dict),
    "dealt_as": lambda value: value is None or isinstance(value, dict),
}
"""For each key, the check of its value's type and size."""
_KEYS: Mapping[LineKind, tuple[frozenset[str], frozenset[str]]] = {
    "heading": (
        frozenset({"game", "outcomes"}),
        frozenset({"players", "dealer", "parameters", "tiles", "new_match", "standing"}),
    ),
    "action": (frozenset({"seat", "do"}), frozenset()),
    "take_back": (frozenset({"take_back"}), frozenset()),
    "result": (frozenset({"result"}), frozenset({"dealt_as"})),
    "seats": (
        frozenset({"seats"}),
        frozenset({"game", "players", "dealer", "parameters", "new_match"}),
    ),
}
"""The required and the optional keys of each kind of line."""


def _quoted(value: object) -> str:
    """A wrong value as a message quotes it; for a list or an object, its first wrong part."""
    if isinstance(value, list):
        wrong = next((each for each in value if not _is_outcome(each)), None)
        return "a list" if wrong is None else f"{_quoted(wrong)} in its list"
    if isinstance(value, dict):
        wrong = next((each for each in value.values() if not _is_text(each)), None)
        return "an object" if wrong is None else f"{_quoted(wrong)} in its object"
    return shown(value)


def outcome_of(value: Any) -> Outcome:
    """An outcome from its JSON value: JSON has no tuples, so a throw is a list there."""
    return tuple(value) if isinstance(value, list) else value


def tiles_in(line: RecordLine) -> Mapping[str, Face]:
    """The tiles that a heading names, by the texts of their places."""
    tiles: Mapping[str, Face] = line.values.get("tiles", {})
    return tiles
