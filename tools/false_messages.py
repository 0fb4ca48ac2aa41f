"""Sends false messages to the host and to whole rounds.

Usage: `python -m tools.false_messages --messages 1000000`.

The boards take part in their sessions with right numbers and checksums, and send wrong contents:
falsified, inserted, repeated, reordered and left out messages, in every state. Passes if every call
of the host ended, every round became ready or stopped by a fault, the memory stayed within
`MOST_GROWTH`, and no renewal of a lease was late. Prints how often each kind of message was used
for each mutation, in each state. A failure names its seed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path

from controller.proof.chaos.false_messages import FalsifiedRounds
from firmware_bridge.sim import clock
from firmware_bridge.sim.falsified_sessions import FalsifiedSessions
from firmware_bridge.sim.falsifying_board import KINDS, Falsification

LATEST = 0.050
"""Seconds by which a renewal of a lease may be late."""
MOST_GROWTH = 64 << 20
"""Bytes by which the process may grow after the first tenth of the messages."""
MESSAGES_A_BOARD = 5000
"""False messages of one board of the host's part; then the next board is taken."""


def main(arguments: Sequence[str]) -> int:
    """Run both parts; return 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.false_messages", description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000, help="wrong messages of each part")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--part", choices=("host", "rounds"), action="append")
    parser.add_argument(
        "--real-seconds", type=float, default=0.0, help="also send to a host on the real clock"
    )
    given = parser.parse_args(arguments)
    passed = not given.real_seconds or real_time(given.real_seconds, given.seed)
    for part in given.part or ("host", "rounds"):
        passed &= run(part, given.messages, given.seed)
    return 0 if passed else 1


def run(part: str, messages: int, seed: int) -> bool:
    """Run one part until this number of false messages was sent; print its figures."""
    counts: Counter[Falsification] = Counter()
    host, rounds = FalsifiedSessions(counts), FalsifiedRounds(counts)
    play: Callable[[int], Coroutine[object, object, None]] = (
        (lambda number: host.play(number, MESSAGES_A_BOARD)) if part == "host" else rounds.play
    )
    first_memory = shown = 0
    began = time.perf_counter()
    number = seed
    while counts.total() < messages:
        try:
            clock.run(play(number))
        # Whatever ends a run is printed with its seed.
        except Exception:  # noqa: BLE001
            traceback.print_exc()
            print(f"{part}: FAILED with seed {number}, after {counts.total():,} false messages.")
            return False
        number += 1
        if counts.total() * 10 // messages > shown:
            shown = counts.total() * 10 // messages
            print(f"{part}: {counts.total():,} false messages in {number - seed} runs", flush=True)
        if not first_memory and counts.total() >= messages / 10:
            first_memory = _memory()
    growth = _memory() - first_memory
    late = max(host.late, rounds.late)
    breaches = {rule.name: count for rule, count in host.breaches.items()} | rounds.breaches
    print(
        f"{part}: {counts.total():,} false messages, {number - seed} runs,"
        f" seeds {seed} to {number - 1}"
    )
    print(f"  time {time.perf_counter() - began:.0f} s; latest renewal {late * 1000:.1f} ms")
    print(f"  memory {first_memory >> 20} MiB after a tenth, growth {growth / (1 << 20):.1f} MiB")
    print(f"  ends {dict((host.calls or rounds.ends).most_common())}")
    print(f"  breaches {dict(sorted(breaches.items()))}")
    for line in coverage(counts):
        print(f"  {line}")
    return late <= LATEST and growth <= MOST_GROWTH


def real_time(seconds: float, seed: int) -> bool:
    """Send false messages to a host on the real clock; print the latest renewal of its lease."""
    counts: Counter[Falsification] = Counter()
    host = FalsifiedSessions(counts)

    async def main() -> None:
        number = seed
        async with asyncio.timeout(seconds):
            while True:
                await host.play(number, MESSAGES_A_BOARD)
                number += 1

    with suppress(TimeoutError):
        asyncio.run(main())
    print(
        f"real time: {counts.total():,} false messages in {seconds:.0f} s;"
        f" latest renewal {host.late * 1000:.1f} ms"
    )
    return host.late <= LATEST


def coverage(counts: Counter[Falsification]) -> list[str]:
    """Lines with the number of each message by mutation, and of each mutation by state."""
    mutations = sorted({mutation for _, mutation, _ in counts})
    states = sorted({state for _, _, state in counts})
    lines = [f"{'message':14}" + "".join(f"{mutation:>16}" for mutation in mutations)]
    for kind in (kind.__name__ for kind in KINDS):
        row = (sum(counts[kind, mutation, state] for state in states) for mutation in mutations)
        lines.append(f"{kind:14}" + "".join(f"{count:16,}" for count in row))
    lines.append(f"{'state':14}" + "".join(f"{mutation:>16}" for mutation in mutations))
    for state in states:
        row = (
            sum(count for (_, each, at), count in counts.items() if (each, at) == (mutation, state))
            for mutation in mutations
        )
        lines.append(f"{state:14}" + "".join(f"{count:16,}" for count in row))
    return lines


def _memory() -> int:
    """The resident memory of this process, bytes."""
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
