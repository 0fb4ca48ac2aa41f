"""Makes the values of all metrics at one moment, and counts what the events of a table report.

`Observation` counts since the service started. It also measures how long states and phases last,
from the times of the events. The figures of the computer are its time, its temperatures and its
disk.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from controller.events import Event, EventName
from controller.events.counts import EventCounts
from controller.run.journal.storage import LIMITS as WRITE_LIMITS
from controller.run.journal.storage import WriteFigures
from controller.service.status import Status
from controller.service.status.machine_figures import LinkFigures, MachineFigures
from controller.web.metrics.catalogue import (
    ASKED,
    ASSIST_LIMITS,
    CAUSES,
    CODES,
    CYCLE_LIMITS,
    GOING,
    HELD,
    MODES,
    PHASE_LIMITS,
    PHASES,
    PROMPT_KINDS,
    ROLES,
    SERVICE_STATES,
    Distribution,
    Histogram,
    bounded,
)

THERMAL = Path("/sys/class/thermal")
"""The folder in which Linux lists the sensors of temperature."""
MOST_SENSORS = 8
"""Number of sensors that are read, so that the number of label values is bounded."""


@dataclass(frozen=True)
class ComputerFigures:
    """The figures at one moment; temperatures are °C by zone of the kernel, such as `zone0`."""

    time: float
    temperatures: Mapping[str, float] = field(default_factory=dict)
    data_size: int | None = None
    data_free: int | None = None


def computer_figures(data: Path | None, thermal: Path = THERMAL) -> ComputerFigures:
    """Read the figures; what the computer does not have is left out.

    `data` is the folder whose file system is measured. It can block, so a thread calls it.
    """
    size = free = None
    if data is not None:
        with suppress(OSError):
            found = os.statvfs(data)
            size, free = found.f_frsize * found.f_blocks, found.f_frsize * found.f_bavail
    now = datetime.now(UTC).timestamp()
    return ComputerFigures(now, _temperatures(thermal), size, free)


def _temperatures(thermal: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for zone in sorted(thermal.glob("thermal_zone*"))[:MOST_SENSORS]:
        with suppress(OSError, ValueError):
            millidegrees = int((zone / "temp").read_text("ascii"))
            found[zone.name.removeprefix("thermal_")] = millidegrees / 1000
    return found


Sample = tuple[str, tuple[str, ...], float | Distribution]
"""The name of a metric without its prefix, the values of its labels, and its value."""


@dataclass(frozen=True)
class ApiFigures:
    """How many connections watch the table, and how many different clients they belong to."""

    streams: int
    clients: int


def is_playable(status: Status) -> bool:
    """Whether nothing prevents play: no fault, no pause, a log that is written, no service mode."""
    return (
        status.service.state in ("idle", "session")
        and status.fault is None
        and not status.pause
        and not status.audit.failure
        and status.machine.mode in (GOING, "offline")
    )


def readings(
    status: Status,
    at: float,
    seen: Observation,
    figures: MachineFigures,
    lag: Distribution,
    api: ApiFigures,
) -> tuple[Sample, ...]:
    """The values of all metrics but those of the computer; `at` is the table's time."""
    return (
        *_table(status, at, seen),
        *_rounds(status, seen),
        *_faults(status, at, seen),
        *_boards(status, seen, figures),
        *_wear(status, figures),
        *_logs(status, seen, figures),
        ("event_loop_lag_seconds", (), lag),
        ("api_streams", (), api.streams),
        ("api_clients", (), api.clients),
        ("scrapes_total", (), seen.scrapes),
    )


def computer_readings(figures: ComputerFigures) -> Iterator[Sample]:
    """The values of the metrics of the computer."""
    yield "time_seconds", (), figures.time
    for sensor, celsius in figures.temperatures.items():
        yield "temperature_celsius", (sensor,), celsius
    if figures.data_size is not None and figures.data_free is not None:
        yield "data_size_bytes", (), figures.data_size
        yield "data_free_bytes", (), figures.data_free


def _table(status: Status, at: float, seen: Observation) -> Iterator[Sample]:
    facts = status.table
    simulated = "true" if facts.simulated else "false"
    yield "build_info", (facts.software, facts.identity, facts.name, simulated), 1
    yield "playable", (), is_playable(status)
    yield from _one_of("service_state", status.service.state, SERVICE_STATES)
    yield from _each("service_state_seconds_total", seen.service.seconds(at), SERVICE_STATES)
    machine = seen.machine
    yield from _one_of("machine_mode", machine.modes.state, MODES)
    yield from _each("machine_mode_seconds_total", machine.modes.seconds(at), MODES)
    going = machine.modes.state == GOING
    for name, activity in machine.activities.items():
        for phase in PHASES[name]:
            yield "machine_phase", (name, phase), going and activity.phase == phase
    yield "table_clock_seconds", (), at


def _rounds(status: Status, seen: Observation) -> Iterator[Sample]:
    yield "rounds_total", (), status.counts.rounds
    yield "sets_built_total", (), seen.counts.total("sets")
    for name, activity in seen.machine.activities.items():
        for phase, times in activity.phases.items():
            yield "phase_duration_seconds", (name, phase), times.distribution
        yield "cycle_duration_seconds", (name,), activity.cycles.distribution
    yield "tiles_lifted_total", (), seen.counts.total("tiles")
    yield "tiles", ("expected",), status.tiles.expected
    yield "tiles", ("accounted",), status.tiles.accounted


def _faults(status: Status, at: float, seen: Observation) -> Iterator[Sample]:
    counts = status.counts
    yield from _each("faults_total", _bounded(seen.counts.of("faults"), CODES), CODES)
    if status.fault is not None:
        yield "fault_open", (bounded(status.fault.code, CODES),), 1
    yield from _each("recoveries_total", _bounded(counts.recoveries, CODES), ASKED)
    yield "jams_total", (), seen.counts.jams
    yield from _each("assists_total", _bounded(counts.assists, CODES), ASKED)
    yield "assist_duration_seconds", (), seen.assists.distribution
    yield from _each("pauses_total", _bounded(counts.pauses, CAUSES), CAUSES)
    since = min((cause.since for cause in status.pause), default=at)
    yield "paused_seconds_total", (), counts.paused_s + max(0.0, at - since)
    for why in sorted({bounded(cause.why, CAUSES) for cause in status.pause}):
        yield "pause_open", (why,), 1
    ages: dict[tuple[str, str], list[float]] = {}
    for prompt in status.prompts:
        key = (bounded(prompt.kind, PROMPT_KINDS), bounded(prompt.role.value, ROLES))
        ages.setdefault(key, []).append(max(0.0, at - prompt.since))
    for key, found in sorted(ages.items()):
        yield "prompts_open", key, len(found)
        yield "prompt_open_seconds", key, max(found)


def _boards(status: Status, seen: Observation, figures: MachineFigures) -> Iterator[Sample]:
    for board, shown in status.boards.items():
        link = figures.links.get(board, LinkFigures())
        yield "board_connected", (board,), shown.connected
        yield "board_commands_total", (board,), link.commands
        yield "board_retries_total", (board,), link.retries
        yield "board_forged_frames_total", (board,), link.forged
        yield "board_protocol_breaches_total", (board,), link.breaches
        yield "board_resets_total", (board,), seen.counts.of("board_resets").get(board, 0)
        if board in figures.storage_used:
            yield "board_storage_used_ratio", (board,), figures.storage_used[board] / 1000


def _wear(status: Status, figures: MachineFigures) -> Iterator[Sample]:
    for key, share in sorted(figures.drift.items()):
        yield "drift_ratio", key, share
    yield "power_ups_total", (), status.audit.power_ups
    yield "lid_openings_total", (), status.audit.lid_openings
    yield "service_entries_total", (), status.audit.service_entries


def _logs(status: Status, seen: Observation, figures: MachineFigures) -> Iterator[Sample]:
    yield "journal_write_duration_seconds", (), _distribution(figures.journal)
    yield "journal_write_failures_total", (), figures.journal.failures
    yield "journal_copies_repaired_total", (), seen.counts.total("copies_repaired")
    yield "audit_write_duration_seconds", (), _distribution(figures.audit)
    yield "audit_write_failures_total", (), figures.audit.failures
    yield "audit_events_total", (), status.audit.events
    yield "audit_waiting_events", (), figures.audit_waiting
    yield "audit_failing", (), bool(status.audit.failure)


def _distribution(figures: WriteFigures) -> Distribution:
    return Distribution(WRITE_LIMITS, figures.classes, figures.seconds)


def _one_of(name: str, present: str, states: tuple[str, ...]) -> Iterator[Sample]:
    for state in states:
        yield name, (state,), state == present


def _each(name: str, values: Mapping[str, float], always: tuple[str, ...]) -> Iterator[Sample]:
    """A sample for each label value that is always shown, and for each other one that occurred."""
    for key in (*always, *sorted(values.keys() - set(always))):
        yield name, (key,), values.get(key, 0)


def _bounded(counts: Mapping[str, float], allowed: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for key, number in counts.items():
        name = bounded(key, allowed)
        found[name] = found.get(name, 0) + number
    return found


class StateTimes:
    """Seconds in each state. Times are seconds of the table's clock."""

    def __init__(self, state: str, at: float) -> None:
        self.state = state
        self._since = at
        self._seconds: Counter[str] = Counter()

    def enter(self, state: str, at: float) -> None:
        """Note that this state has begun."""
        self._seconds[self.state] += max(0.0, at - self._since)  # type: ignore[assignment]
        self.state, self._since = state, at

    def seconds(self, now: float) -> Mapping[str, float]:
        """The seconds in each state so far, with the present one."""
        return {**self._seconds, self.state: self._seconds[self.state] + now - self._since}


class _Activity:
    """The phases of one activity; a cycle is from the phase `first` to the phase `last`."""

    def __init__(self, name: str, first: str, last: str) -> None:
        self.phase = ""
        """The present phase; empty if there is none."""
        self.phases = {phase: Histogram(PHASE_LIMITS) for phase in PHASES[name]}
        self.cycles = Histogram(CYCLE_LIMITS)
        self._first, self._last = first, last
        self._seconds = 0.0
        self._cycle: float | None = None

    def pass_time(self, seconds: float) -> None:
        """Add time without a pause."""
        self._seconds += seconds
        if self._cycle is not None:
            self._cycle += seconds

    def enter(self, phase: str) -> None:
        """Note the phase that the event reports; the same phase continues."""
        if phase == self.phase:
            return
        if self.phase:
            self.phases[self.phase].add(self._seconds)
        if phase == self._last and self._cycle is not None:
            self.cycles.add(self._cycle)
            self._cycle = None
        if phase == self._first:
            self._cycle = 0.0
        self.phase, self._seconds = phase, 0.0

    def drop(self) -> None:
        """Forget the phase and the cycle: a run that ended did not complete them."""
        self.phase, self._cycle = "", None


class PhaseTimes:
    """The modes and the phases of the machine, from its events `state`."""

    def __init__(self, at: float) -> None:
        self.modes = StateTimes("offline", at)
        self.activities = {
            "under": _Activity("under", "shuffling", "staged"),
            "top": _Activity("top", "raising", "playing"),
        }
        self._last = at

    def update(self, at: float, under: str, top: str) -> None:
        """Take an event `state`."""
        if self.modes.state == GOING:
            for activity in self.activities.values():
                activity.pass_time(max(0.0, at - self._last))
        self._last = at
        mode = under if under == top and under in MODES else GOING
        self.modes.enter(mode, at)
        if mode == GOING:
            for name, phase in (("under", under), ("top", top)):
                if phase in PHASES[name]:
                    self.activities[name].enter(phase)
        elif mode not in HELD:
            self._drop()

    def end_run(self, at: float) -> None:
        """Take the end of a run, which no event reports."""
        self._last = at
        self.modes.enter("offline", at)
        self._drop()

    def _drop(self) -> None:
        for activity in self.activities.values():
            activity.drop()


class Observation:
    """The counts of one table. `at` is the time of its clock when the observation begins."""

    def __init__(self, service_state: str, at: float) -> None:
        self.service = StateTimes(service_state, at)
        """Times in the states of the service."""
        self.machine = PhaseTimes(at)
        self.counts = EventCounts()
        """What the events have reported since then."""
        self.assists = Histogram(ASSIST_LIMITS)
        """Times from a prompt about a fault to its answer."""
        self.scrapes = 0

    def on_event(self, event: Event) -> None:
        """Take an event of the table."""
        before, self.counts = self.counts, self.counts.after(event)
        if self.counts.assists > before.assists:
            self.assists.add(self.counts.last_assist_s)
        match event:
            case {"event": EventName.STATE, "under": str(under), "top": str(top)}:
                self.machine.update(float(str(event["t"])), under, top)
