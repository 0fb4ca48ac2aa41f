"""How near a table's cycles come to the least time that its own speeds allow."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import Row
from benchmarks.played import played

ROUNDS = 50
MOST = {"under": 1.25, "top": 1.15}
MADE_OF = {"under": "lid closed to walls staged", "top": "raise ordered to ready"}


def main() -> Iterator[Row]:
    """Both cycles, against what the bound allows."""
    told = played("--rounds", str(ROUNDS), "--seed", "7")
    for activity, most in MOST.items():
        cycle, bound = told["cycle_s"][activity], told["bound_s"][activity]
        yield Row(
            f"cycle {activity} ({MADE_OF[activity]}), {ROUNDS} rounds of Wenzhou on robotic",
            f"{cycle:.2f} s, {cycle / bound:.3f} x the bound of {bound:.2f} s",
            f"at most {most} x",
            cycle <= most * bound,
        )


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
