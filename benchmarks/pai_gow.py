"""Measures the rules of pai gow: whole hands of a full table, and the exact best splits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from time import perf_counter

from benchmarks import Row
from rules.games.pai_gow import PAI_GOW, PAI_GOW_RULES
from rules.games.pai_gow.cuts import PILE
from rules.games.pai_gow.optimum import HANDS, expectation, optimum
from rules.setup import settle
from rules.tiles import tile_set

ROUNDS = 2_000


def main() -> Iterator[Row]:
    """Yield the hands settled per second, and the seconds for the best split of every hand."""
    seconds = _rounds()
    yield Row(
        "pai gow: hands of eight set by the house way and settled, a second",
        f"{ROUNDS / seconds:,.0f}",
    )
    began = perf_counter()
    expectation(partial(optimum, against="canberra"), against="canberra")
    seconds = perf_counter() - began
    yield Row(
        f"pai gow: the best split of all {HANDS:,} hands, each against 20,475 others, seconds",
        f"{seconds:.1f}",
    )


def _rounds() -> float:
    chance = Random(3)
    pile = list(tile_set("pai_gow_32").faces)
    setup = settle(PAI_GOW.setup(), [(3, 3, 3)])
    began = perf_counter()
    for _ in range(ROUNDS):
        chance.shuffle(pile)
        play = PAI_GOW_RULES.start(setup, dict(zip(PILE.places, pile, strict=True)))
        while play.to_act:
            play = play.apply(PAI_GOW_RULES.sensible(play, play.to_act[0]))
        assert play.settlement is not None
    return perf_counter() - began


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
