"""Lets boards lie to the host and to whole rounds: `python -m tools.lying_boards --lies 1000000`.

The boards take part in their sessions with right numbers and checksums, and send wrong contents:
falsified, inserted, repeated, reordered and left out messages, in every state. Passes if every call
of the host ended, every round became ready or stopped by a fault, the memory stayed within
`MOST_GROWTH`, and no renewal of a lease was late. Prints how often each kind of message was used
for each kind of lie, in each state. A failure names its seed.
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

from controller.soak.lying_boards import LyingRounds
from firmware_bridge.sim import clock
from firmware_bridge.sim.lies.lied_to import LiedTo
from firmware_bridge.sim.lies.lying_board import KINDS, Lie

LATEST = 0.050
"""Seconds by which a renewal of a lease may be late."""
MOST_GROWTH = 64 << 20
"""Bytes by which the process may grow after the first tenth of the lies."""
LIES_A_BOARD = 5000
"""Lies of one board of the host's part; then the next board is taken."""


def main(arguments: Sequence[str]) -> int:
    """Run both parts; return 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.lying_boards", description=__doc__)
    parser.add_argument("--lies", type=int, default=20_000, help="wrong messages of each part")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--part", choices=("host", "rounds"), action="append")
    parser.add_argument(
        "--real-seconds", type=float, default=0.0, help="also lie to a host on the real clock"
    )
    given = parser.parse_args(arguments)
    passed = not given.real_seconds or real_time(given.real_seconds, given.seed)
    for part in given.part or ("host", "rounds"):
        passed &= run(part, given.lies, given.seed)
    return 0 if passed else 1


def run(part: str, lies: int, seed: int) -> bool:
    """Run one part until this number of lies was told; print its figures."""
    told: Counter[Lie] = Counter()
    host, rounds = LiedTo(told), LyingRounds(told)
    play: Callable[[int], Coroutine[object, object, None]] = (
        (lambda number: host.play(number, LIES_A_BOARD)) if part == "host" else rounds.play
    )
    first_memory = shown = 0
    began = time.perf_counter()
    number = seed
    while told.total() < lies:
        try:
            clock.run(play(number))
        # Whatever ends a run is printed with its seed.
        except Exception:  # noqa: BLE001
            traceback.print_exc()
            print(f"{part}: FAILED with seed {number}, after {told.total():,} lies.")
            return False
        number += 1
        if told.total() * 10 // lies > shown:
            shown = told.total() * 10 // lies
            print(f"{part}: {told.total():,} lies in {number - seed} runs", flush=True)
        if not first_memory and told.total() >= lies / 10:
            first_memory = _memory()
    growth = _memory() - first_memory
    late = max(host.late, rounds.late)
    breaches = {rule.name: count for rule, count in host.breaches.items()} | rounds.breaches
    print(f"{part}: {told.total():,} lies, {number - seed} runs, seeds {seed} to {number - 1}")
    print(f"  time {time.perf_counter() - began:.0f} s; latest renewal {late * 1000:.1f} ms")
    print(f"  memory {first_memory >> 20} MiB after a tenth, growth {growth / (1 << 20):.1f} MiB")
    print(f"  ends {dict((host.calls or rounds.ends).most_common())}")
    print(f"  breaches {dict(sorted(breaches.items()))}")
    for line in coverage(told):
        print(f"  {line}")
    return late <= LATEST and growth <= MOST_GROWTH


def real_time(seconds: float, seed: int) -> bool:
    """Lie to a host on the real clock; print the latest renewal of its lease."""
    told: Counter[Lie] = Counter()
    host = LiedTo(told)

    async def main() -> None:
        number = seed
        async with asyncio.timeout(seconds):
            while True:
                await host.play(number, LIES_A_BOARD)
                number += 1

    with suppress(TimeoutError):
        asyncio.run(main())
    print(
        f"real time: {told.total():,} lies in {seconds:.0f} s;"
        f" latest renewal {host.late * 1000:.1f} ms"
    )
    return host.late <= LATEST


def coverage(told: Counter[Lie]) -> list[str]:
    """Lines that say how often each message was used for each lie, and each lie in each state."""
    lies = sorted({lie for _, lie, _ in told})
    states = sorted({state for _, _, state in told})
    lines = [f"{'message':14}" + "".join(f"{lie:>16}" for lie in lies)]
    for kind in (kind.__name__ for kind in KINDS):
        counts = (sum(told[kind, lie, state] for state in states) for lie in lies)
        lines.append(f"{kind:14}" + "".join(f"{count:16,}" for count in counts))
    lines.append(f"{'state':14}" + "".join(f"{lie:>16}" for lie in lies))
    for state in states:
        counts = (
            sum(count for (_, each, at), count in told.items() if (each, at) == (lie, state))
            for lie in lies
        )
        lines.append(f"{state:14}" + "".join(f"{count:16,}" for count in counts))
    return lines


def _memory() -> int:
    """The resident memory of this process, bytes."""
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
