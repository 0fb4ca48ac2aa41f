"""Every metric of a table: its name, its type, its labels, their values, and what it measures.

docs/floor/METRICS.md is generated from this table. Label values are bounded: each label takes the
values listed here, or names from the table's configuration (boards, parts). No label contains a
person's name, an evidence or a tile.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import get_args

from controller.run.faults.catalogue import CATALOGUE
from controller.run.journal.storage import LIMITS as WRITE_LIMITS
from controller.service.status import PromptKind, ServiceName
from controller.service.user_roles import UserRole
from firmware_bridge.board import FaultCode

PREFIX = "wallwright_"
"""The beginning of every name."""


class MetricKind(Enum):
    """The type of a metric, as Prometheus names it."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True)
class Metric:
    """One metric. `labels` are the names of its labels; `limits` are those of a histogram.

    The unit is the last word of the name, before `_total`.
    """

    name: str
    kind: MetricKind
    text: str
    labels: tuple[str, ...] = ()
    limits: tuple[float, ...] = ()

    @property
    def full_name(self) -> str:
        """The name with the prefix."""
        return PREFIX + self.name


PHASE_LIMITS = (1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 900.0)
CYCLE_LIMITS = (30.0, 60.0, 90.0, 120.0, 180.0, 300.0, 600.0, 1800.0)
ASSIST_LIMITS = (5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 900.0)
LAG_LIMITS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


def _counter(name: str, text: str, *labels: str) -> Metric:
    return Metric(name, MetricKind.COUNTER, text, labels)


def _gauge(name: str, text: str, *labels: str) -> Metric:
    return Metric(name, MetricKind.GAUGE, text, labels)


def _histogram(name: str, text: str, limits: tuple[float, ...], *labels: str) -> Metric:
    return Metric(name, MetricKind.HISTOGRAM, text, labels, limits)


SECTIONS: Mapping[str, Sequence[Metric]] = {
    "The table": (
        _gauge(
            "build_info",
            "Always 1. Its labels are the version of the program, the identity of the signed"
            " software, the table's configuration, and whether the table is simulated.",
            *("version", "identity", "table", "simulated"),
        ),
        _gauge("playable", "1 if nothing prevents play at the table, 0 otherwise."),
        _gauge("service_state", "1 for the present state of the service.", "state"),
        _counter("service_state_seconds_total", "Time in each state of the service.", "state"),
        _gauge("machine_mode", "1 for the present mode of the machine.", "mode"),
        _counter("machine_mode_seconds_total", "Time in each mode of the machine.", "mode"),
        _gauge(
            "machine_phase",
            "1 for the present phase of each activity; all are 0 while the machine is not going.",
            *("activity", "phase"),
        ),
        _gauge("table_clock_seconds", "Time of the table's clock since the service started."),
    ),
    "Rounds and cycles": (
        _counter("rounds_total", "Rounds that are over."),
        _counter("sets_built_total", "Sets that the machine has built in the trays."),
        _histogram(
            "phase_duration_seconds",
            "Durations of completed phases, without pauses.",
            PHASE_LIMITS,
            *("activity", "phase"),
        ),
        _histogram(
            "cycle_duration_seconds",
            "Durations without pauses: `under` from the mixing of a set until it is in the trays,"
            " `top` from the raising of the walls until play begins.",
            CYCLE_LIMITS,
            "activity",
        ),
        _counter("tiles_lifted_total", "Tiles that the heads have lifted into the trays."),
        _gauge("tiles", "Tiles of all sets: `expected`, and `accounted` for.", "count"),
    ),
    "Faults and people": (
        _counter("faults_total", "Faults that have stopped the table, by fault code.", "code"),
        _gauge("fault_open", "1 for the fault that has stopped the table.", "code"),
        _counter("recoveries_total", "Parts that worked on a later attempt.", "code"),
        _counter("jams_total", "Jams at the heads that were recovered or stopped the table."),
        _counter("assists_total", "Prompts about a fault that a person has answered.", "code"),
        _histogram(
            "assist_duration_seconds",
            "Time from a prompt about a fault to its answer, without forgotten tiles. Sum divided"
            " by count is the mean time to assist (MTTA).",
            ASSIST_LIMITS,
        ),
        _counter("pauses_total", "Pauses to which each cause contributed.", "cause"),
        _counter("paused_seconds_total", "Time in pauses, with the present one."),
        _gauge("pause_open", "1 for each cause of the present pause.", "cause"),
        _gauge("prompts_open", "Open prompts.", "kind", "role"),
        _gauge("prompt_open_seconds", "Age of the oldest open prompt.", "kind", "role"),
    ),
    "Boards": (
        _gauge("board_connected", "1 if the board answers, 0 otherwise or without a run.", "board"),
        _counter("board_commands_total", "Commands that the board has answered.", "board"),
        _counter("board_retries_total", "Frames that were sent to the board again.", "board"),
        _counter("board_forged_frames_total", "Dropped frames with a wrong tag.", "board"),
        _counter(
            "board_protocol_breaches_total",
            "Messages of the board that broke the protocol.",
            "board",
        ),
        _counter("board_resets_total", "Resets of the board during a run.", "board"),
        _gauge(
            "board_storage_used_ratio",
            "Used share of the specified writes of the board's storage, as last reported at the"
            " end of a run.",
            "board",
        ),
    ),
    "Wear": (
        _gauge(
            "drift_ratio",
            "Change since the first sets in the journal: of the time for which a tile darkens the"
            " head's sensor (`tile_time`), or of a motor's current (`current`). 0.1 is 10 % more."
            " Parts with fewer than 6 samples are missing.",
            *("quantity", "part"),
        ),
        _counter("power_ups_total", "Starts of the service since the audit log began."),
        _counter("lid_openings_total", "Openings of the lid for a set, since the log began."),
        _counter("service_entries_total", "Entries into service mode, since the log began."),
    ),
    "Journal and audit log": (
        _histogram(
            "journal_write_duration_seconds",
            "Durations of the journal's file operations, each on all copies.",
            WRITE_LIMITS,
        ),
        _counter("journal_write_failures_total", "File operations of the journal that failed."),
        _counter("journal_copies_repaired_total", "Copies of the journal that were repaired."),
        _histogram(
            "audit_write_duration_seconds", "Durations of writes of the audit log.", WRITE_LIMITS
        ),
        _counter("audit_write_failures_total", "Writes of the audit log that failed."),
        _counter("audit_events_total", "Events in the audit log."),
        _gauge("audit_waiting_events", "Events that are not on disk yet."),
        _gauge("audit_failing", "1 if the audit log cannot be written, 0 otherwise."),
    ),
    "The computer and the API": (
        _gauge("time_seconds", "The computer's time, seconds since 1970."),
        _gauge("temperature_celsius", "Temperature of a sensor of the computer.", "sensor"),
        _gauge("data_size_bytes", "Size of the file system of the data folder."),
        _gauge("data_free_bytes", "Bytes that the service can still write there."),
        _histogram(
            "event_loop_lag_seconds",
            "How late the event loop ran a callback that is due four times a second, real time.",
            LAG_LIMITS,
        ),
        _gauge("api_streams", "Connections that watch the table."),
        _gauge("api_clients", "Different clients among them."),
        _counter("scrapes_total", "Requests for these metrics."),
    ),
}
"""Every metric, by the sections of docs/floor/METRICS.md."""

METRICS: Mapping[str, Metric] = {
    metric.name: metric for section in SECTIONS.values() for metric in section
}
"""Every metric by its name without the prefix."""


OTHER = "other"
"""The value of a label for everything that is not in its list."""
GOING = "going"
HELD = ("paused", "servicing")
"""Modes in which activities wait; their phases continue afterwards."""
MODES = (GOING, *HELD, "offline", "testing", "homing", "stopped", "fault")
"""Modes of the machine. In all but the first, the event `state` has the same value twice."""
PHASES = {
    "under": ("idle", "gathering", "shuffling", "building", "staged"),
    "top": (
        *("clear", "raising", "throwing", "cutting", "dealing", "turning", "replacing"),
        *("playing", "collecting"),
    ),
}
"""States of both regions of the state machine. They are written out here, because the module of the
state machine takes long to import; a test compares both."""
SERVICE_STATES: tuple[str, ...] = get_args(ServiceName)
PROMPT_KINDS: tuple[str, ...] = get_args(PromptKind)
ROLES = tuple(role.value for role in UserRole)
CODES = tuple(fault.name for fault in CATALOGUE)
"""Codes of all faults."""
ASKED = tuple(row.code for row in CATALOGUE.values() if row.limits is not None)
"""Codes of the faults that are retried and asked about, so that a person can assist."""
CAUSES = (
    *(code.name for code in FaultCode),
    *("SILENT", "STRANGER", "FAULT", "PROTOCOL", "COMMAND"),
)
"""Causes of pauses."""


def bounded(value: object, allowed: tuple[str, ...]) -> str:
    """The value if it is allowed, or `OTHER`."""
    return value if isinstance(value, str) and value in allowed else OTHER


@dataclass(frozen=True)
class Distribution:
    """The counts of one moment: one for each limit, and one for the values above the last limit.

    The counts are not cumulative.
    """

    limits: tuple[float, ...]
    classes: tuple[int, ...]
    total: float


class Histogram:
    """Takes values, and counts them in the classes with these upper limits."""

    def __init__(self, limits: tuple[float, ...]) -> None:
        self._limits = limits
        self._classes = [0] * (len(limits) + 1)
        self._total = 0.0

    def add(self, value: float) -> None:
        """Add one value."""
        self._classes[bisect_left(self._limits, value)] += 1
        self._total += value

    @property
    def distribution(self) -> Distribution:
        """The counts so far."""
        return Distribution(self._limits, tuple(self._classes), self._total)
