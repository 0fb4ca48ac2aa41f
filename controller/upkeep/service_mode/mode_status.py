"""The status of service mode: one frozen value, which is a part of the table's status.

Times are seconds of the table's clock. The maintenance counters are wear since the journal began,
and the life of the boards' storage. A refused command gives a sentence, the next step and a code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from controller.run.health.statistics import TableStatistics, facts
from rules.errors import WallwrightError

Trace = tuple[tuple[float, float], ...]
"""Points of time and value, oldest first."""


class ModeValue(BaseModel):
    """Base of these models: frozen, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ChannelStatus(ModeValue):
    """One channel of the table: what it belongs to, its present value, its last changes."""

    board: str
    kind: str = Field(description="Kind of the channel, as in the table's file.")
    part: str = Field(description="The part that the channel belongs to, such as `head 2`.")
    role: str = Field(description="The role of the channel in its part, such as `wheel`.")
    value: float | None = Field(
        default=None,
        description="The value in `unit`; null while the board has not reported it.",
    )
    unit: Literal["level", "mV", "mm", "permille", "bits", ""] = ""
    count: int | None = Field(default=None, description="Activations of a sensor since ever.")
    trace: Trace = Field(
        default=(), description="The value before the last seconds, then each later change."
    )
    recent: int = Field(default=0, description="Changes within the last seconds.")
    jog: tuple[Literal["forward", "reverse"], ...] = Field(
        default=(), description="Directions in which the channel can be jogged."
    )
    least_speed: int = Field(default=0, description="Lowest speed of a jog, permille.")
    most_speed: int = Field(default=0, description="Highest speed of a jog, permille.")
    homes: bool = Field(default=False, description="Whether the channel can be homed.")


class JogStatus(ModeValue):
    """A jog in progress. It ends when its client has not renewed it for `renewal_s`."""

    channel: str
    direction: Literal["forward", "reverse"]
    speed: int
    client: str
    name: str
    since: float


class ModeQuestion(ModeValue):
    """A question to the technician; an answer names its id and one of the choices.

    A `measure` question is answered by a number in `unit`.
    """

    id: str
    kind: Literal["begin", "confirm", "measure"]
    text: str
    choices: tuple[str, ...] = ()
    unit: str = ""
    since: float = 0.0


class TrialStatus(ModeValue):
    """The result of one trial of a station's test programme."""

    part: str
    what: str
    channels: tuple[str, ...]
    seen: str
    answer: str
    verdict: Literal["passed", "failed", "skipped"]


class ActivityStatus(ModeValue):
    """What service mode does now: homing, a test programme or a calibration."""

    kind: Literal["home", "test", "calibration"]
    target: str
    step: str = Field(default="", description="The present step, in words.")
    since: float = 0.0


class CalibrationOffer(ModeValue):
    """A calibration that this table offers, or the reason why it cannot be done."""

    kind: str
    target: str
    title: str
    unavailable: str = Field(default="", description="Why the table cannot do it; empty if it can.")


class ProposedChange(ModeValue):
    """A change of the table's file, which takes effect only after a person has confirmed it."""

    id: str
    file: str
    summary: tuple[str, ...]
    diff: str = Field(description="Unified diff of the file.")
    writable: bool = Field(
        description="Whether it can be confirmed; false for a file of the package."
    )


class ModeFinding(ModeValue):
    """A result or a fault that service mode has observed, in words."""

    at: float
    text: str
    kind: Literal["info", "warning", "fault"] = "info"


class CounterStatus(ModeValue):
    """A maintenance counter."""

    name: str
    value: float
    unit: str = ""


class ServiceModeStatus(ModeValue):
    """The status of service mode. While it is not null, the table is not playable."""

    since: float
    name: str = Field(description="The technician who entered service mode.")
    renewal_s: float = Field(description="A jog stops this long after its last renewal.")
    trace_s: float = Field(description="Length of the traces.")
    channels: dict[str, ChannelStatus] = Field(default_factory=dict)
    stations: tuple[str, ...] = Field(default=(), description="Parts that have a test programme.")
    jog: JogStatus | None = None
    activity: ActivityStatus | None = None
    question: ModeQuestion | None = None
    results: tuple[TrialStatus, ...] = ()
    calibrations: tuple[CalibrationOffer, ...] = ()
    change: ProposedChange | None = None
    counters: tuple[CounterStatus, ...] = ()
    warnings: tuple[str, ...] = Field(default=(), description="Trends that announce a failure.")
    latched: tuple[str, ...] = Field(default=(), description="Faults that boards have latched.")
    moved: tuple[str, ...] = Field(default=(), description="Motors and axes that have moved.")
    tiles_may_have_moved: bool = False
    findings: tuple[ModeFinding, ...] = ()


HOUR = 3600.0


def counters_of(
    statistics: TableStatistics | None, storage_used: Mapping[str, int]
) -> tuple[CounterStatus, ...]:
    """The counters of a table; `storage_used` is the share that each board reports, permille."""
    counters = [] if statistics is None else list(_worn(facts(statistics)))
    counters += [
        CounterStatus(name=f"storage of {board} used", value=used / 10, unit="%")
        for board, used in sorted(storage_used.items())
    ]
    return tuple(counters)


def _worn(figures: Mapping[str, Any]) -> Iterator[CounterStatus]:
    wear = figures["worn"]
    yield CounterStatus(name="running time", value=round(figures["seconds"] / HOUR, 1), unit="h")
    for name, key in (("runs", "runs"), ("rounds", "rounds"), ("sets built", "sets")):
        yield CounterStatus(name=name, value=figures[key])
    yield CounterStatus(name="tiles lifted", value=figures["tiles"])
    yield CounterStatus(name="lid openings", value=wear["lid_openings"])
    yield CounterStatus(name="walls raised", value=wear["walls_raised"])
    yield CounterStatus(name="throws", value=wear["throws"])
    for part, picks in wear["picks"].items():
        yield CounterStatus(name=f"tiles lifted by {part}", value=picks)
    if figures["tiles_per_jam"] is not None:
        yield CounterStatus(name="tiles per jam", value=figures["tiles_per_jam"])
    for board, life in figures["storage"].items():
        if life["rounds_left"] is not None:
            yield CounterStatus(name=f"rounds left for {board}", value=life["rounds_left"])


class ServiceModeRefusalError(WallwrightError):
    """A command of service mode that is not executed.

    `code` is a short name of the refusal for programs; `next_step` says what a person can do.
    """

    def __init__(self, code: str, sentence: str, next_step: str) -> None:
        super().__init__(f"{sentence} {next_step}")
        self.code = code
        self.sentence = sentence
        self.next_step = next_step
