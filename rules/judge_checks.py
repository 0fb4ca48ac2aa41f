"""Checks of judge cases that several games share: claimants of a tile, and its owner.

Every check yields sentences of the form `field: what is wrong (rule).`; the first one refuses the
case, and `config.judge_cases` finds the field's line in a file by that name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rules.errors import RulesError
from rules.geometry import Seat

DRAWN = ("self", "replacement")
"""The values of `by` with which the claimant drew the tile itself."""


def refuse(sentences: Iterable[str]) -> None:
    """Raises RulesError with the first of these sentences, if there is one."""
    for sentence in sentences:
        raise RulesError(sentence)


def about_seats(named: Mapping[str, Seat | None], seats: int) -> Iterator[str]:
    """Against seats that do not exist, by the field that names them; None is no seat."""
    for field, seat in named.items():
        if seat is not None and not 0 <= seat < seats:
            yield f"{field}: There is no seat {seat}; seats are 0 to {seats - 1}."


def about_claims(
    seat: Seat, by: str, discarder: Seat | None, rivals: tuple[Seat, ...], *, seats: int, rule: str
) -> Iterator[str]:
    """Against claimants of one tile that cannot be: `rule` says who of several wins it."""
    yield from about_seats({"seat": seat, "discarder": discarder}, seats)
    for rival in rivals:
        yield from about_seats({"claims": rival}, seats)
    if by in DRAWN and discarder is not None:
        yield (
            f"discarder: Seat {seat} drew the tile itself (by: {by}), so it is no tile of seat"
            f" {discarder}; leave the discarder out."
        )
    if by in DRAWN and rivals:
        yield (
            f"claims: Seat {rivals[0]} cannot claim a tile that seat {seat} drew itself (by: {by});"
            f" rivals claim a discard or a kong's tile ({rule})."
        )
    if by not in DRAWN and discarder == seat:
        yield f"discarder: Seat {seat} cannot win on a tile of his own."
    for rival in rivals:
        if rival == seat:
            yield f"claims: Seat {rival} is the claimant itself; a rival sits at another seat."
        if rival == discarder:
            yield f"claims: Seat {rival} is the discarder and cannot win on a tile of his own."
        times = rivals.count(rival)
        if times > 1:
            yield f"claims: Seat {rival} is there {times} times; name each rival once."
    if rivals and discarder is None:
        yield f"claims: Several seats claim: give the discarder, from whom turns count ({rule})."
