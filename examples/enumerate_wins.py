"""Prints the tiles that complete a hand, and every reading of a winning hand.

python examples/enumerate_wins.py
"""

from __future__ import annotations

from rules import Counts, readings, sets_and_pair, waits
from rules.melds import face_of


def main() -> None:
    """Print the nine waits of the nine gates, and the readings of a hand with two wild tiles."""
    gates = Counts.of_faces("1m 1m 1m 2m 3m 4m 5m 6m 7m 8m 9m 9m 9m".split())
    print("the nine gates wait for", *map(face_of, waits(gates)))

    hand = Counts.of_faces("3m 4m 5m 7s 1z 1z".split())
    print("with two wild tiles it wins:", sets_and_pair(hand, wild=2))
    for reading in readings(hand, wild=2):
        print(" ", reading)


if __name__ == "__main__":
    main()
