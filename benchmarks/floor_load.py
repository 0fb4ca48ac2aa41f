"""The load of a large floor: 1,000 tables with 2 events a second, and failures meanwhile.

`python -m benchmarks.floor_load --minutes 10` runs mosquitto, PostgreSQL with synced writes, and
`wallwright floor serve`. Each of them is killed (SIGKILL) and started again three times; the
network of the tables is cut for 60 s. At the end the database must have every event once and in
order.

Latency is from the moment at which an event was made until the floor has announced that it is
stored, and until the stream of an open page shows that. A fault's window ends when both show every
event that is older than 3 s.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import psycopg

from benchmarks import Row
from benchmarks.floor_monitors import PageMonitor, PositionMonitor, StoredEvents
from benchmarks.floor_processes import FLOOR, CpuMeter, LoadFloor, load_floor
from benchmarks.floor_tables import JOINING, LoadPlan

OLD = 3.0
"""Seconds after which an event that is not stored shows that a failure goes on."""
DOWN = 3.0
"""Seconds between a kill and the new start."""
DRAIN = 180.0
"""Seconds after the last event in which all must be stored."""
MARGIN = 1.0
"""Seconds before a fault whose events belong to its window."""


@dataclass(frozen=True)
class Load:
    """What is run: see the options of the command."""

    minutes: float = 1.0
    tables: int = 1000
    per_second: float = 2.0
    kills: int = 3
    cut: float = 60.0


@dataclass
class Window:
    """A fault, from its begin until nothing is late, seconds since 1970."""

    name: str
    begin: float
    end: float = 0.0


@dataclass
class LoadResult:
    """What was measured."""

    events: int = 0
    defects: list[str] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    stored: list[float] = field(default_factory=list)
    """Sorted seconds until the events outside the windows were stored and announced."""
    shown: list[float] = field(default_factory=list)
    """Sorted seconds until the page's stream showed them as stored."""
    shares: dict[str, float] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    tables: dict[str, object] = field(default_factory=dict)
    positions: int = 0
    seconds: float = 0.0
    page_bytes: int = 0


def percentile(latencies: list[float], percent: int) -> float:
    """A percentile of latencies; infinite without any."""
    if len(latencies) < 2:
        return float("inf")
    return statistics.quantiles(latencies, n=100, method="inclusive")[percent - 1]


async def run_load(load: Load, folder: Path) -> LoadResult:
    """Run the load and the failures, and compare the database with the tables."""
    result = LoadResult()
    with load_floor(folder) as floor:
        plan = LoadPlan(
            floor=FLOOR,
            port=floor.relay_port,
            tables=load.tables,
            per_second=load.per_second,
            begin=time.time() + JOINING + 8,
            seconds=load.minutes * 60,
            drain=DRAIN,
        )
        tables = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "benchmarks.floor_tables", plan.encoded()),
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 24,
        )
        monitor = PositionMonitor(plan, floor.broker.port)
        page = PageMonitor(plan, lambda: (floor.service.page, floor.service.first_start))
        meter = CpuMeter(floor, {"tables (test)": tables.pid})
        jobs = (monitor.run(), page.run(), _measure(meter, monitor.seen))
        running = [asyncio.create_task(job) for job in jobs]
        try:
            await asyncio.sleep(plan.begin - time.time())
            meter.restart()
            await _fail(load, floor, (monitor.seen, page.seen), result)
            await asyncio.sleep(max(0.0, plan.begin + plan.seconds - time.time()))
            meter.sample()
            result.shares, result.memory = meter.shares(), meter.memory
            async with asyncio.timeout(DRAIN + 60):
                out, _ = await tables.communicate()
        finally:
            with suppress(ProcessLookupError):
                tables.kill()
            for task in running:
                task.cancel()
        result.tables = json.loads(out)
        result.seconds, result.positions = plan.seconds, monitor.positions
        result.page_bytes = page.bytes
        result.stored = sorted(_outside(monitor.seen, result.windows))
        result.shown = sorted(_outside(page.seen, result.windows))
        _compare(floor, result)
    return result


async def _measure(meter: CpuMeter, seen: StoredEvents) -> None:
    """Sample the processor each second, and print how it goes every 10 s."""
    begun, count = time.time(), 0
    while True:
        await asyncio.sleep(1.0)
        meter.sample()
        count += 1
        if count % 10 == 0:
            shares = ", ".join(f"{name} {share:.0%}" for name, share in meter.shares().items())
            print(
                f"{time.time() - begun:5.0f} s: {sum(seen.stored):9,} events stored, oldest"
                f" {seen.oldest():5.1f} s; {shares}",
                file=sys.stderr,
            )


async def _fail(
    load: Load, floor: LoadFloor, watched: tuple[StoredEvents, ...], result: LoadResult
) -> None:
    """Cause the faults one after another; each begins after the one before is over."""
    plan = watched[0].plan

    async def killed(part: Callable[[], None], start: Callable[[], None]) -> None:
        part()
        await asyncio.sleep(DOWN)
        await asyncio.to_thread(start)

    async def cut() -> None:
        assert floor.relay is not None
        floor.relay.send_signal(signal.SIGUSR1)
        await asyncio.sleep(load.cut)
        floor.relay.send_signal(signal.SIGUSR2)

    parts = {
        "broker killed": (floor.broker.kill, floor.broker.start),
        "floor service killed": (floor.service.kill, floor.service.start),
        "database killed": (floor.database.kill, floor.database.start),
    }
    faults: list[tuple[str, Callable[[], Awaitable[None]]]] = [
        (name, lambda pair=pair: killed(*pair))  # type: ignore[misc] # bound now
        for _ in range(load.kills)
        for name, pair in parts.items()
    ]
    if load.cut:
        faults.append((f"network cut for {load.cut:g} s", cut))
    last = plan.seconds * 0.9 - load.cut
    for number, (name, cause) in enumerate(faults):
        due = plan.begin + last * (number + 1) / (len(faults) + 1)
        await asyncio.sleep(max(0.0, due - time.time()))
        window = Window(name, time.time() - MARGIN)
        result.windows.append(window)
        print(f"{name} ...", file=sys.stderr)
        await cause()
        end = plan.begin + plan.seconds
        while max(each.oldest() for each in watched) > OLD and time.time() < end:  # noqa: ASYNC110 - computed
            await asyncio.sleep(0.2)
        window.end = time.time()
        print(f"... over after {window.end - window.begin - MARGIN:.1f} s", file=sys.stderr)


def _outside(seen: StoredEvents, windows: list[Window]) -> Iterator[float]:
    for made, latency in zip(seen.made, seen.latencies, strict=True):
        if not any(window.begin <= made <= window.end for window in windows):
            yield latency


def _compare(floor: LoadFloor, result: LoadResult) -> None:
    """Compare the stored events of each table with its own count and hash."""
    expected = result.tables["tables"]
    assert isinstance(expected, dict)
    found: dict[str, tuple[int, str]] = {}
    with psycopg.connect(floor.url.replace("+psycopg", "")) as connection:
        for name in expected:
            rows = connection.execute(
                "SELECT number, line FROM events JOIN logs ON logs.id = log_id"
                " JOIN tables ON tables.id = table_id WHERE name = %s"
                " ORDER BY received, number",
                (name,),
            ).fetchall()
            if [number for number, _ in rows] != list(range(len(rows))):
                result.defects.append(f"{name}: the events are not in order, each once.")
            digest = sha256("".join(f"{line}\n" for _, line in rows).encode()).hexdigest()
            found[name] = (len(rows), digest)
    for name, (count, digest) in expected.items():
        if found[name] != (count, digest):
            result.defects.append(f"{name}: {count} events made, {found[name][0]} stored.")
    result.events = sum(count for count, _ in found.values())


def report(load: Load, result: LoadResult) -> Iterator[Row]:
    """The rows of the report."""
    kept = "each once and in order"
    yield Row(
        f"{load.tables:,} tables, {load.per_second:g} events/s each, {load.minutes:g} min",
        f"{result.events:,} events, {len(result.defects)} tables differ",
        kept,
        met=not result.defects,
    )
    for place, latencies in (("database", result.stored), ("floor page", result.shown)):
        for percent in (50, 99):
            yield Row(
                f"p{percent} from the event to the {place}, outside failures",
                f"{percentile(latencies, percent):.2f} s of {len(latencies):,}",
                "",
                met=None,
            )
    yield Row(
        "one open page receives",
        f"{result.page_bytes / result.seconds / 1e3:,.0f} kB/s",
        "",
        met=None,
    )
    rate = result.positions / result.seconds
    yield Row("answered messages a second", f"{rate:,.0f}", "", met=None)
    for name, share in sorted(result.shares.items()):
        memory = result.memory.get(name, 0) / 1e6
        yield Row(f"{name}: share of one core", f"{share:.0%}, {memory:.0f} MB", "", met=None)
    for window in result.windows:
        passed = window.end - window.begin - MARGIN
        yield Row(window.name, f"nothing late after {passed:.1f} s", "", met=None)
    yield Row(
        "connections that tables lost or could not make", f"{result.tables['losses']}", "", met=None
    )


def main() -> Iterator[Row]:
    """Run a short load with one failure of each part."""
    load = Load(minutes=1.0, tables=200, kills=1, cut=5.0)
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(run_load(load, Path(folder)))
    yield from report(load, result)


def _command() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floor_load")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--per-second", type=float, default=2.0)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--cut", type=float, default=60.0)
    given = parser.parse_args()
    load = Load(given.minutes, given.tables, given.per_second, given.kills, given.cut)
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(run_load(load, Path(folder)))
    for row in report(load, result):
        print(f"{row.claim:64} {row.measured}")
    for defect in result.defects[:20]:
        print(defect)
    return 1 if result.defects else 0


if __name__ == "__main__":
    sys.exit(_command())
