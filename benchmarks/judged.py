"""Measures Wenzhou judgements per second: shape, best reading and class of claimed hands.

5,000 hands of seventeen tiles with one to three caishen. Half of them have one tile changed, so
that most of these do not win. Figures are per second of processor time.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rules.games.wenzhou.setup import Parameters

try:
    from rules.games.wenzhou.tiles import Caishen
    from rules.games.wenzhou.wins import Claim, judged
except ModuleNotFoundError:  # the commit before the optimisation had them one folder higher
    from rules.games.wenzhou.caishen import Caishen
    from rules.games.wenzhou.hand import Claim, judged

if TYPE_CHECKING:
    from benchmarks import Row

HANDS = 5_000
REPEATS = 3
GOAL = 20_000
FACES = tuple(f"{number}{suit}" for suit in "mps" for number in range(1, 10)) + tuple(
    f"{number}z" for number in range(1, 8)
)
KINDS = len(FACES)
INDICATOR, WHITE = 1, 31


def main() -> Iterator[Row]:
    """Measure this tree and the commit before the rules were optimised; yield both rates."""
    from benchmarks import Row, beside  # noqa: PLC0415 - absent when an old commit is measured

    here, there = beside.rates("judged")
    yield Row(
        "Wenzhou judgements a second, one to three caishen",
        beside.compared(here, there),
        f"at least {GOAL:,}",
        here >= GOAL,
    )


def measure() -> float:
    """Return the judgements per second: the best of several passes, after a warm-up pass."""
    claims, house = _claims(), Parameters()
    best = float("inf")
    for turn in range(REPEATS + 1):
        begun = time.process_time()
        for claim in claims:
            judged(claim, house)
        if turn:
            best = min(best, time.process_time() - begun)
    return HANDS / best


def _claims() -> list[Claim]:
    chance = random.Random(1)
    claims = []
    for at in range(HANDS):
        wild = 1 + at % 3
        kinds = _winning(chance)
        chance.shuffle(kinds)
        if at % 2:
            kinds[-1] = chance.randrange(KINDS)
        faces = [FACES[0 if kind in (INDICATOR, WHITE) else kind] for kind in kinds[wild:]]
        hand = (*faces[1:], *[FACES[INDICATOR]] * wild)
        claims.append(Claim(Caishen(FACES[INDICATOR]), hand, faces[0], "discard"))
    return claims


def _winning(chance: random.Random) -> list[int]:
    """Return a random winning hand: five sets and a pair, with at most four tiles of a kind."""
    while True:
        kinds: list[int] = []
        for _ in range(5):
            low = chance.randrange(KINDS)
            is_run = low < 27 and low % 9 < 7
            kinds += [low, low + 1, low + 2] if is_run else [low] * 3
        kinds += [chance.randrange(KINDS)] * 2
        if max(map(kinds.count, kinds)) <= 4:
            return kinds


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(measure())
    else:
        for row in main():
            print(row.claim, row.goal, row.measured, sep=" | ")
