"""One trick of High Bone for `wallwright judge`: which tile takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from high_bone.play import parse, taker
from high_bone.setup import Parameters
from rules.errors import RulesError
from rules.judging import Verdict


@dataclass(frozen=True, kw_only=True)
class Case:
    """The tiles of a trick, in the order in which they were laid, and the claimed tile."""

    trick: tuple[str, ...]
    """The tiles, the leader's first."""
    claim: int
    """The index in `trick` of the tile that is claimed to take it; the first tile has index 0."""
    equal_pips: Literal["first", "last"] = "first"
    """House rule: which of equal tiles takes the trick."""

    def __post_init__(self) -> None:
        for tile in self.trick:
            parse(0, tile)
            if self.trick.count(tile) > 1:
                raise RulesError(
                    f"The trick has {tile} twice, but a set has one; correct the trick."
                )
        if not 0 <= self.claim < len(self.trick):
            raise RulesError(
                f"The trick has no tile {self.claim}; claim 0 to {len(self.trick) - 1}."
            )


def judge(case: Case) -> Verdict:
    """Return the verdict: whether the claimed tile takes the trick."""
    number = taker(case.trick, Parameters(equal_pips=case.equal_pips))
    reason = f"{case.trick[number]} takes the trick: no tile has more pips."
    return Verdict(legal=number == case.claim, reasons=(reason,))
