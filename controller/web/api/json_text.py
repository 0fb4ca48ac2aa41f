"""JSON as the API writes and reads it: compact, UTF-8, without NaN, infinities and surrogates."""

from __future__ import annotations

import json
from typing import NoReturn

from rules.errors import WallwrightError

LONGEST_BODY = 16 * 1024
"""Largest body of a request, bytes. A judge's case, the largest one, has less than 3,000."""
LONGEST_LOGIN = 4 * 1024
"""Largest body of a request that needs no login, bytes."""

DEEPEST = 32
"""Most levels of lists and objects in a body. A case of the judge, the deepest one, has 4."""


class BadJsonError(WallwrightError):
    """A request's body is not JSON that the API accepts."""


def json_text(value: object) -> str:
    """A value as JSON. Raises ValueError for a number that JSON does not have."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def checked_json(body: bytes) -> object:
    """The value of a body. Raises BadJsonError with a sentence.

    Python's parser accepts NaN, numbers of any length and half surrogate pairs. Each of them could
    enter the status and make its JSON invalid for every client.
    """
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_refuse, parse_float=_finite)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
        too_deep = body.count(b"[") + body.count(b"{") > DEEPEST and _is_deeper(value, DEEPEST)
    except UnicodeError:
        raise BadJsonError("The body is not UTF-8 text.") from None
    except RecursionError:
        too_deep = True
    except ValueError as error:
        raise BadJsonError(f"The body is not JSON ({_short(str(error))}).") from None
    if too_deep:
        raise BadJsonError(f"The body has more than {DEEPEST} levels of lists and objects.")
    return value


def _is_deeper(value: object, most: int) -> bool:
    """Whether a value has more levels of lists and objects than `most`."""
    level = [value]
    for _ in range(most + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, list | dict)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{_short(text)} is too large")
    return value


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:80] + "..."
