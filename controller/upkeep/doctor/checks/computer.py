"""Checks of the computer: clock, supply, temperature, memory, load, and the service's unit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from controller.upkeep.doctor.facts import Facts
from controller.upkeep.doctor.finding import DoctorCheck, Observed, note, ok, problem, seen, unknown

CLOCK, POWER, SERVICE = "Clock", "Power and memory", "Service"
BACK_S = 2.0
"""Seconds by which the clock may be behind a record: the audit log calls more a jump."""
WARM, HOT = 70.0, 80.0
"""Degrees Celsius from which a Raspberry Pi is warm, and from which it slows itself down."""
LITTLE, TIGHT = 100_000_000, 300_000_000
"""Bytes of free memory that are too few, and few: a service used 90 MB (measured)."""
SWAPPED = 100_000_000
_NOW = {0: "under-voltage", 1: "a limited frequency", 2: "throttling", 3: "the temperature limit"}


def _rtc(facts: Facts) -> Iterator[Observed]:
    rtc = facts.clock.rtc
    if rtc is None:
        yield unknown("A clock that runs without power")
    elif rtc:
        yield ok(f"The computer has a clock that runs without power: {', '.join(rtc)}.")
    else:
        yield seen("none", "The computer has no clock that runs without power, as most Pis.")


def _synchronised(facts: Facts) -> Iterator[Observed]:
    match facts.clock.synchronised:
        case None:
            yield unknown("Whether the clock is set by a network")
        case True:
            yield ok(f"The clock is set by a network: {_time(facts.clock.now)}.")
        case False:
            yield seen("free", f"Nothing sets the clock; it shows {_time(facts.clock.now)}.")


def _forwards(facts: Facts) -> Iterator[Observed]:
    clock = facts.clock
    if clock.latest_record is None:
        yield unknown("The time of the latest record")
    elif clock.now + BACK_S < clock.latest_record:
        behind = clock.latest_record - clock.now
        yield seen(
            "back",
            f"The clock shows {_time(clock.now)}, {_span(behind)} before the latest record"
            f" ({clock.latest_record_of}).",
        )
    else:
        yield ok(f"The latest record is of {_time(clock.latest_record)}; the clock is later.")


def _supply(facts: Facts) -> Iterator[Observed]:
    bits = facts.power.throttled
    if bits is None and facts.power.voltage_alarm is None:
        yield unknown("The voltage of the supply")
        return
    bits = bits or 0
    now = [name for bit, name in _NOW.items() if bits >> bit & 1]
    since = [name for bit, name in _NOW.items() if bits >> (bit + 16) & 1]
    if facts.power.voltage_alarm and "under-voltage" not in now:
        now.insert(0, "under-voltage")
    if "under-voltage" in now:
        yield seen("now", f"The computer reports now: {', '.join(now)}.")
    elif now:
        yield seen("limited", f"The computer reports now: {', '.join(now)}.")
    elif since:
        yield seen("before", f"The computer has reported since its start: {', '.join(since)}.")
    else:
        yield ok("The computer reports no under-voltage and no throttling.")


def _temperature(facts: Facts) -> Iterator[Observed]:
    hottest = facts.power.hottest
    if hottest is None:
        yield unknown("The temperature")
        return
    what = f"The processor has {hottest:.0f} °C."
    yield (
        seen("hot", what) if hottest >= HOT else seen("warm", what) if hottest >= WARM else ok(what)
    )


def _memory(facts: Facts) -> Iterator[Observed]:
    load = facts.load
    if load.available is None or load.total is None:
        yield unknown("The memory")
    else:
        what = f"{_mb(load.available)} of {_mb(load.total)} of memory are free."
        kind = "low" if load.available < LITTLE else "tight" if load.available < TIGHT else ""
        yield seen(kind, what) if kind else ok(what)
    if load.swap_used is not None and load.swap_used > SWAPPED:
        yield seen("swap", f"{_mb(load.swap_used)} of memory are on the disk (swap).")
    if load.limit is not None and load.limit < TIGHT:
        yield seen("limit", f"The service may use {_mb(load.limit)} of memory.")
    if load.killed:
        yield seen("killed", f"The kernel has ended {load.killed} processes for lack of memory.")


def _load(facts: Facts) -> Iterator[Observed]:
    load, processors = facts.load.load, facts.load.processors
    if load is None or processors is None:
        yield unknown("The load")
        return
    what = f"In the last 15 minutes {load:.1f} processes wanted to run, on {processors} processors."
    yield seen("high", what) if load > processors else ok(what)


def _unit(facts: Facts) -> Iterator[Observed]:
    unit = facts.unit
    if unit.state is None:
        yield unknown(f"The state of {unit.name}")
        return
    if not unit.loaded:
        yield ok(f"There is no unit {unit.name}: no service was installed.")
        return
    if unit.state == "failed":
        yield seen("failed", f"{unit.name} has failed ({unit.result}).", unit=unit.name)
    elif unit.state == "active":
        yield ok(f"{unit.name} runs.")
    else:
        yield seen("stopped", f"{unit.name} does not run ({unit.state}).", unit=unit.name)
    if unit.restarts:
        what = f"{unit.name} was started again {unit.restarts} times."
        yield seen("restarts", what, unit=unit.name)
    if unit.watchdog in ("", "0", "infinity"):
        yield seen("no_watchdog", f"{unit.name} has no watchdog.", unit=unit.name)
    if unit.enabled == "disabled":
        yield seen("disabled", f"{unit.name} does not start with the computer.", unit=unit.name)


def _time(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return f"{seconds:.0f} s since 1970"


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"


def _mb(size: int) -> str:
    return f"{size / 1e6:.0f} MB"


CHECKS = (
    DoctorCheck(
        "clock_battery",
        CLOCK,
        "Without a clock on a battery the time is wrong after a power cut until a network sets it.",
        _rtc,
        {
            "none": note(
                "the computer has no such clock",
                "Connect a network with a time server, or a clock module. The table works without.",
            )
        },
    ),
    DoctorCheck(
        "clock_network",
        CLOCK,
        "A time server sets the clock.",
        _synchronised,
        {
            "free": note(
                "nothing sets the clock",
                "Type: sudo timedatectl set-ntp true, and connect a network. The table works"
                " without.",
            )
        },
    ),
    DoctorCheck(
        "clock_forwards",
        CLOCK,
        "The clock is not before the latest record: then it has jumped back.",
        _forwards,
        {
            "back": problem(
                "the clock is before the latest record",
                "Set it: sudo date -s TIME. Neither motions nor the order of records depend on "
                "this clock; but until it is set, the times of records and receipts are wrong, and"
                " certificates can be refused.",
            )
        },
    ),
    DoctorCheck(
        "supply",
        POWER,
        "The supply keeps its voltage; under-voltage damages what is being written to the card.",
        _supply,
        {
            "now": problem(
                "there is under-voltage now",
                "Use the maker's supply and a short cable; take motors off the computer's supply.",
            ),
            "limited": problem(
                "the processor is slowed down now", "Cool the computer; look at its supply."
            ),
            "before": note(
                "there was under-voltage or throttling since the start",
                "Use the maker's supply and a short cable, cool the computer, then start it again.",
            ),
        },
    ),
    DoctorCheck(
        "temperature",
        POWER,
        "A processor below 70 °C has room; from 80 °C a Raspberry Pi slows itself down.",
        _temperature,
        {
            "hot": problem("80 °C or more", "Add a heat sink or a fan, or open the housing."),
            "warm": note("70 °C or more", "Add a heat sink or a fan before the summer."),
        },
    ),
    DoctorCheck(
        "memory",
        POWER,
        "A service needs about 90 MB of memory; 300 MB are free, and nothing is swapped.",
        _memory,
        {
            "low": problem("less than 100 MB are free", "End other programs on this computer."),
            "tight": note(
                "less than 300 MB are free", "End programs that the table does not need."
            ),
            "swap": note(
                "more than 100 MB are swapped",
                "End other programs; swapping delays the table and wears the card.",
            ),
            "limit": note(
                "the limit of the control group is less than 300 MB",
                "Raise MemoryMax of the unit to 300M.",
            ),
            "killed": problem(
                "the kernel has ended a process of the service",
                "Raise MemoryMax of the unit, or end other programs.",
            ),
        },
    ),
    DoctorCheck(
        "load",
        POWER,
        "Fewer processes want to run than there are processors.",
        _load,
        {
            "high": note(
                "more processes want to run",
                "Look with `top` which programs run, and end those that the table does not need.",
            )
        },
    ),
    DoctorCheck(
        "unit",
        SERVICE,
        "The service of an installed program runs, with a watchdog, and starts with the computer.",
        _unit,
        {
            "failed": problem(
                "the unit has failed",
                "Read why: journalctl -u {unit} -e. Then: systemctl restart {unit}.",
            ),
            "stopped": note("the unit does not run", "Start it: sudo systemctl start {unit}."),
            "restarts": note(
                "the unit was started again by itself", "Read why: journalctl -u {unit} -e."
            ),
            "no_watchdog": note(
                "the unit has no watchdog",
                "Set WatchdogSec=30 in a file of its own: systemctl edit {unit}.",
            ),
            "disabled": note(
                "the unit does not start with the computer", "Type: sudo systemctl enable {unit}."
            ),
        },
    ),
)
