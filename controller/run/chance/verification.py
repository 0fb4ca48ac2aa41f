"""Verifies the record of a cycle: recomputes the commitment and every choice from the reveal.

It needs nothing but the record. It never raises for a damaged record: any JSON value gives a result
with the first reason for which the record is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from controller.run.chance.records import (
    CHECK,
    MOST_CHOICES,
    MOST_SHARE,
    MOST_SHARES,
    UNBOUND,
    VERSIONS,
    ChanceRefusedError,
    Choice,
    ChoiceRequest,
    CycleDraw,
    PlayerShare,
)

_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
_MOST_CYCLE = 2**63 - 1
_KEYS = ("version", "device", "cycle", "commitment", "player_shares", "reveal", "choices")


@dataclass(frozen=True)
class ChanceVerdict:
    """The result of a verification: the verified choices without the check, or the refusal.

    `reason` is the first reason for which the record is refused, as a sentence; empty if the record
    is right. `is_pending` is set if the machine's share is not revealed yet and nothing else is
    wrong.
    """

    choices: tuple[Choice, ...] = ()
    reason: str = ""
    is_pending: bool = False
    is_bound: bool = True
    """Whether the commitment contains the list of choices; without it the machine could choose the
    list after it knew the players' shares (version 1)."""

    @property
    def is_verified(self) -> bool:
        """Whether the record is right."""
        return not self.reason


class _Refusal(Exception):
    """A reason to refuse a record."""


def verify_chance(record: object) -> ChanceVerdict:
    """Verify a record, as `CycleRecord.facts` returns it; any other value is refused."""
    try:
        return _verified(record)
    except (_Refusal, ChanceRefusedError) as refusal:
        return ChanceVerdict(reason=str(refusal))


def _verified(record: object) -> ChanceVerdict:
    given = _object(record, "The record", _KEYS)
    version = given["version"]
    if type(version) is not int or version not in VERSIONS:
        known = " and ".join(map(str, VERSIONS))
        raise _Refusal(f"This program verifies the versions {known}; got {_short(version)}.")
    device = _text(given["device"], "The device")
    cycle = _integer(given["cycle"], "The cycle", _MOST_CYCLE)
    commitment = _hash(given["commitment"], "The commitment")
    shares = tuple(map(_share, _list(given["player_shares"], "player_shares", MOST_SHARES)))
    choices = tuple(map(_choice, _list(given["choices"], "choices", MOST_CHOICES)))
    if given["reveal"] is None:
        if choices:
            raise _Refusal("The record has choices, but the machine's share is not revealed.")
        sentence = f"The machine's share of cycle {cycle} is not revealed yet."
        return ChanceVerdict(reason=sentence, is_pending=True)
    share = bytes.fromhex(_hash(given["reveal"], "The revealed share"))
    requests = tuple(choice.request for choice in choices)
    if not requests or requests[-1] != CHECK:
        raise _Refusal(
            f"The last choice of a cycle must be '{CHECK.name}'; the record has no "
            "choice of this name."
        )
    draw = CycleDraw(device, cycle, share, shares, requests[:-1], version)
    if draw.commitment != commitment:
        raise _Refusal(
            f"The revealed share of cycle {cycle}, with the list of choices, does not give the"
            f" commitment {commitment}."
        )
    drawn = draw.draw()
    # The check depends on everything: it is compared first, and names no choice by mistake.
    if drawn[-1] != choices[-1]:
        raise _Refusal(
            "The players' shares, or the names and sizes of the choices, differ from those of the "
            "draw."
        )
    for right, claimed in zip(drawn, choices, strict=True):
        if right != claimed:
            raise _Refusal(f"The shares give another value for '{claimed.request.name}'.")
    return ChanceVerdict(choices[:-1], is_bound=version != UNBOUND)


def _share(value: object) -> PlayerShare:
    given = _object(value, "A player's share", ("seat", "share"))
    seat = _integer(given["seat"], "A seat", _MOST_CYCLE)
    return PlayerShare(seat, _text(given["share"], "A player's share"))


def _choice(value: object) -> Choice:
    given = _object(value, "A choice", ("name", "kind", "of", "count", "value"))
    request = ChoiceRequest(
        _text(given["name"], "The name of a choice"),
        _text(given["kind"], "The kind of a choice"),  # type: ignore[arg-type]  # it is checked
        _integer(given["of"], "The range of a choice", _MOST_CYCLE),
        _integer(given["count"], "The number of values of a choice", _MOST_CYCLE),
    )
    what = f"The choice '{request.name}'"
    numbers = _list(given["value"], what, request.count)
    return Choice(request, tuple(_integer(number, what, _MOST_CYCLE) for number in numbers))


def _object(value: object, what: str, keys: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, dict) or value.keys() != set(keys):
        raise _Refusal(
            f"{what} must be an object with the keys {', '.join(keys)}; got {_short(value)}."
        )
    return value


def _list(value: object, what: str, most: int) -> list[object]:
    if not isinstance(value, list) or len(value) > most:
        raise _Refusal(f"{what} must have a list of at most {most} values; got {_short(value)}.")
    return value


def _integer(value: object, what: str, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise _Refusal(f"{what} must be a whole number from 0 to {most}; got {_short(value)}.")
    return value


def _text(value: object, what: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= 4 * MOST_SHARE:
        raise _Refusal(f"{what} must be a text; got {_short(value)}.")
    if not value.isprintable():
        raise _Refusal(f"{what} must have printable characters only; got {_short(value)}.")
    return value


def _hash(value: object, what: str) -> str:
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise _Refusal(f"{what} must have 64 hexadecimal digits, 0-9 and a-f; got {_short(value)}.")
    return value


def _short(value: object) -> str:
    """The value for a message; a long or deep value is named by its type."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return ascii(value[:80])
    if isinstance(value, int) and value.bit_length() <= 64:
        return str(value)
    return f"a value of the type {type(value).__name__}"
