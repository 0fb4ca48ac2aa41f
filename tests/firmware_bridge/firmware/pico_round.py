"""Deals a Wenzhou round on four emulated Picos, and the same on two emulated Megas.

`python -m tests.firmware_bridge.firmware.pico_round [--seed N] [--game GAME]` prints the times and
ends with 1 if hands, dice or walls differ. It takes many minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.firmware_bridge.firmware.emulated_rounds import Round, play
from tests.firmware_bridge.firmware.firmware_build import build

PICOS = str(Path(__file__).parents[3] / "examples" / "pico" / "robotic_pico.yaml")
MEGAS = "robotic"
COMPARED = ("walls_raised", "dice_thrown", "choice_made", "delivered", "tile_turned_up")


def deal(table: str, game: str, seed: int) -> Round:
    """Deal on the emulated boards of a table; print how long it took."""
    began = time.perf_counter()
    dealt = play(table, game, seed=seed, emulated=True, until_ready=True)
    taken = time.perf_counter() - began
    sys.stdout.write(f"{table}: {dealt.seconds:.0f} s of the table in {taken:.0f} s\n")
    sys.stdout.flush()
    return dealt


def differences(one: Round, other: Round) -> list[str]:
    """The parts of the result in which two rounds differ."""
    events = [name for name in COMPARED if one.events_named(name) != other.events_named(name)]
    parts = [name for name in ("hands", "dice") if getattr(one, name) != getattr(other, name)]
    return events + parts


def main(arguments: Sequence[str]) -> int:
    """Deal on both tables and compare; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--game", default="wenzhou")
    given = parser.parse_args(arguments)
    build()
    build("rp2040", "rp2040js")
    picos, megas = (deal(table, given.game, given.seed) for table in (PICOS, MEGAS))
    different = differences(picos, megas)
    result = f"different: {different}" if different else f"the same hands: {picos.hands}"
    sys.stdout.write(f"{result}\n")
    return 1 if different or not picos.hands else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
