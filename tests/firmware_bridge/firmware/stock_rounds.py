"""Plays Wenzhou rounds on stock Megas that are reset at random moments.

    python -m tests.firmware_bridge.firmware.stock_rounds --rounds 20 --seed 1

Each round begins with power-on, through the Mega's own bootloader, and is dealt by the emulated
firmware. The command fails if a round is not dealt, a tile is lost, or an output pin is active
outside a lease.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from dataclasses import dataclass
from random import Random

from controller.run.assembly import Hardware
from firmware_bridge.sim.processors.emulated_bench import EmulatedBench
from firmware_bridge.wire.codes import ResetCause
from tests.firmware_bridge.firmware.emulated_rounds import Round, play
from tests.firmware_bridge.firmware.firmware_build import build
from tests.firmware_bridge.firmware.lease_watch import LeaseWatch

CAUSES = (ResetCause.EXTERNAL, ResetCause.BROWN_OUT, ResetCause.WATCHDOG, ResetCause.POWER)
LAST = 85.0
"""Seconds after power-on up to which resets occur; an undisturbed round is dealt soon after."""
HANDS, TILES = [17, 16, 16, 16], 272
CONTACT = ("base", "arm")
"""The boards, each of which the opening of the port resets."""


@dataclass
class DisturbedRound:
    """A round, its resets, and the watches of its boards."""

    round: Round
    resets: list[tuple[float, str, ResetCause]]
    watches: list[LeaseWatch]

    @property
    def failures(self) -> list[str]:
        """What went wrong, as sentences."""
        failures = [sentence for watch in self.watches for sentence in watch.violations]
        hands = [len(hand) for hand in self.round.hands.values()]
        if hands != HANDS:
            failures.append(f"the hands have {hands} tiles, not {HANDS}")
        if sum(self.round.census.values()) != TILES:
            failures.append(f"{sum(self.round.census.values())} of {TILES} tiles are there")
        resets = sum(watch.resets for watch in self.watches)
        if resets < len(CONTACT):
            failures.append("a board was not reset by the opening of its port")
        return failures


def play_disturbed(seed: int) -> DisturbedRound:
    """Play one round of Wenzhou on the table robotic, with one to three random resets."""
    random = Random(f"{seed}:resets")
    resets = [
        (random.uniform(0.0, LAST), random.choice(CONTACT), random.choice(CAUSES))
        for _ in range(random.randint(1, 3))
    ]
    watches: list[LeaseWatch] = []

    def observe(hardware: Hardware) -> None:
        bench, plant = hardware.bench, hardware.plant
        assert isinstance(bench, EmulatedBench) and plant is not None
        for name, board in bench.boards.items():
            watches.append(LeaseWatch(board, plant.table.boards[name]))
        loop = asyncio.get_running_loop()
        for at, name, cause in resets:
            loop.call_at(at, bench.reset, name, cause)

    played = play(
        "robotic",
        "wenzhou",
        seed=seed,
        emulated=True,
        stock=True,
        until_ready=True,
        observe=observe,
    )
    for watch in watches:
        watch.finish()
    return DisturbedRound(played, sorted(resets), watches)


def main() -> int:
    """Play the rounds; returns 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    build()
    failed = 0
    for seed in range(options.seed, options.seed + options.rounds):
        began = time.perf_counter()
        disturbed = play_disturbed(seed)
        resets = ", ".join(f"{c.name} of {b} at {at:.1f} s" for at, b, c in disturbed.resets)
        changes = sum(watch.changes for watch in disturbed.watches)
        _report(
            f"seed {seed}: dealt in {disturbed.round.seconds:.1f} s; {resets}; {changes:,} changes"
            f" of output pins checked, {len(disturbed.failures)} failures"
            f" ({time.perf_counter() - began:.0f} s)"
        )
        for sentence in disturbed.failures[:10]:
            _report(f"  {sentence}")
        failed += bool(disturbed.failures)
    _report(f"{options.rounds - failed} of {options.rounds} rounds passed")
    return 1 if failed else 0


def _report(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
