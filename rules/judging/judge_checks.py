"""Checks of judge cases that several games share: claimants of a tile, and its owner.

Every check yields sentences of the form `field: error (rule).` The first sentence refuses the case.
`config.judge_cases` uses the field's name to find its line in a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rules.errors import RulesError
from rules.geometry import Seat

DRAWN = ("self", "replacement")
"""The values of `by` with which the claimant drew the tile itself."""


def refuse(sentences: Iterable[str]) -> None:
    """Raises RulesError with the first of these sentences; returns if there is none."""
    for sentence in sentences:
        raise RulesError(sentence)


def check_seats(named: Mapping[str, Seat | None], seats: int) -> Iterator[str]:
    """Yields a sentence for each field that names a seat that does not exist; None is allowed."""
    for field, seat in named.items():
        if seat is not None and not 0 <= seat < seats:
            yield f"{field}: There is no seat {seat}; seats are 0 to {seats - 1}."


def check_claims(
    seat: Seat, by: str, discarder: Seat | None, rivals: tuple[Seat, ...], *, seats: int, rule: str
) -> Iterator[str]:
    """Yields a sentence for each impossible claimant of a tile.

    `rule` is the number of the rule that decides between several claimants.
    """
    yield from check_seats({"seat": seat, "discarder": discarder}, seats)
    for rival in rivals:
        yield from check_seats({"claims": rival}, seats)
    if by in DRAWN and discarder is not None:
        yield (
            f"discarder: Seat {seat} drew the tile itself (by: {by}), so seat {discarder} did not"
            " discard it; leave the discarder out."
        )
    if by in DRAWN and rivals:
        yield (
            f"claims: Seat {rivals[0]} cannot claim a tile that seat {seat} drew itself (by: {by});"
            f" rivals claim a discard or a kong's tile ({rule})."
        )
    if by not in DRAWN and discarder == seat:
        yield (
            f"discarder: Seat {seat} cannot win on its own discard; name the seat that discarded"
            " the tile."
        )
    for rival in rivals:
        if rival == seat:
            yield (
                f"claims: Seat {rival} is the claimant itself; list only the other seats that"
                " claim."
            )
        if rival == discarder:
            yield (
                f"claims: Seat {rival} is the discarder and cannot win on its own discard; leave it"
                " out."
            )
        times = rivals.count(rival)
        if times > 1:
            yield f"claims: Seat {rival} is named {times} times; name each rival once."
    if rivals and discarder is None:
        yield (
            "claims: Several seats claim the tile; give the discarder, from whom the turns are"
            f" counted ({rule})."
        )


def check_range(field: str, number: int, least: int, most: int, rule: str) -> Iterator[str]:
    """Yields a sentence if a number of a case is below the least or above the greatest one."""
    if not least <= number <= most:
        yield f"{field}: The number must be {least} to {most}, not {number} ({rule})."


def check_takers(
    discarder: Seat, claims: Sequence[tuple[Seat, str]], seats: int, rule: str
) -> Iterator[str]:
    """Yields a sentence for each impossible claim on a discard, given as seat and `chow`, `pong`.

    `rule` is the number of the rule by which a chow comes from the left neighbour.
    """
    if not claims:
        yield "claims: No seat claims the tile; name at least one claim."
    named = [seat for seat, _ in claims]
    for seat, what in claims:
        yield from check_seats({"claims": seat}, seats)
        if seat == discarder:
            yield f"claims: Seat {seat} is the discarder and cannot claim its own discard."
        if named.count(seat) > 1:
            yield f"claims: Seat {seat} is named {named.count(seat)} times; name it once."
        if what == "chow" and seat != (discarder + 1) % seats:
            yield (
                f"claims: Seat {seat} cannot chow: a chow comes from the left neighbour, and seat"
                f" {discarder} discarded ({rule})."
            )
