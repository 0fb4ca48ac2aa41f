"""Measures the speed of a simulated table that plays through the real link, codec and board."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import Row
from benchmarks.played import played

ROUNDS = 50
LEAST, GOAL = 300, 3000


def main() -> Iterator[Row]:
    """Yield the virtual seconds and the board commands per real second of a long run."""
    summary = played("--rounds", str(ROUNDS), "--speed", "virtual", "--seed", "7")
    rate = summary["virtual_s"] / summary["real_s"]
    yield Row(
        f"virtual seconds a real second, {ROUNDS} rounds of Wenzhou on robotic",
        f"{rate:,.0f}",
        f"at least {LEAST}; target {GOAL:,}",
        rate >= LEAST,
    )
    yield Row(
        "commands a real second in the same run",
        f"{summary['commands'] / summary['real_s']:,.0f} ({summary['commands']:,} in all)",
    )


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
