"""How fast a simulated table plays through the real link, codec and board."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import Row
from benchmarks.played import played

ROUNDS = 50
LEAST, GOAL = 300, 3000


def main() -> Iterator[Row]:
    """The rate of a long run, and how many commands it carried."""
    told = played("--rounds", str(ROUNDS), "--speed", "virtual", "--seed", "7")
    rate = told["virtual_s"] / told["real_s"]
    yield Row(
        f"virtual seconds a wall second, {ROUNDS} rounds of Wenzhou on robotic",
        f"{rate:,.0f}",
        f"at least {LEAST}; {GOAL:,} wished for",
        rate >= LEAST,
    )
    yield Row(
        "commands a wall second on the way",
        f"{told['commands'] / told['real_s']:,.0f} ({told['commands']:,} in all)",
    )


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
