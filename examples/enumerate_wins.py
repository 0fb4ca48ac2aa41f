"""Which tiles complete a hand, and every way to read one that wins.

python examples/enumerate_wins.py
"""

from __future__ import annotations

from rules import Counts, readings, sets_and_pair, waits
from rules.melds import face_of


def main() -> None:
    """The nine gates wait for nine tiles; two wild tiles make five readings of another hand."""
    gates = Counts.of_faces("1m 1m 1m 2m 3m 4m 5m 6m 7m 8m 9m 9m 9m".split())
    print("the nine gates wait for", *map(face_of, waits(gates)))

    hand = Counts.of_faces("3m 4m 5m 7s 1z 1z".split())
    print("with two wild tiles it wins:", sets_and_pair(hand, wild=2))
    for reading in readings(hand, wild=2):
        print(" ", reading)


if __name__ == "__main__":
    main()
