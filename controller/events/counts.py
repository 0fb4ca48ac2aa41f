"""The counts of an event stream, its open prompts and its present pause.

The summary of a run, the live view, the status of a service, its metrics and the statistics of a
journal take their counts from here. The floor adds up the same counts in its database, by the
same rows of the table of events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType

from controller.events.log import Event
from controller.events.lookups import ROWS
from controller.events.table import EventName

JAM = "JAM"
"""The code of the fault that counts as a jam at a head."""
FORGOTTEN = "FORGOTTEN"
"""The code of the fault whose assists do not count for the mean time to assist: the person has
opened the lid for a forgotten tile."""
_NONE: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class OpenFaultPrompt:
    """A prompt about a fault that is still open; `since` is seconds of the table's clock."""

    code: str
    part: str
    evidence: str
    request: str
    role: str
    """The first of player, dealer, attendant and technician who may clear it."""
    since: float


@dataclass(frozen=True)
class OpenPauseCause:
    """One cause of the present pause: its code (a `PauseCause.why`), its board and its channel."""

    why: str
    board: str
    channel: str
    since: float


@dataclass(frozen=True)
class EventCounts:
    """The counts of an event stream up to its last event; `after` gives those after the next."""

    counted: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Each count of the table of events: its number by the value of the key that separates it,
    such as a fault's code; by an empty text if no key does."""
    assists: int = 0
    """Prompts about a fault that a person has answered, without forgotten tiles."""
    assisting_s: float = 0.0
    """Seconds from these prompts to their answers; a repeated prompt counts from the last."""
    last_assist_s: float = 0.0
    """Seconds of the last of these assists."""
    prompts: tuple[OpenFaultPrompt, ...] = ()
    """Prompts that are open, oldest first."""
    pause: tuple[OpenPauseCause, ...] = ()
    """The causes of the present pause, oldest first; empty while the table runs."""

    def of(self, count: str) -> Mapping[str, float]:
        """The numbers of one count, such as `recoveries`, by the key that separates it."""
        return self.counted.get(count, _NONE)

    def total(self, count: str) -> float:
        """The sum of one count over all values of its key."""
        return sum(self.of(count).values())

    @property
    def jams(self) -> int:
        """Jams at the heads that were recovered or stopped the table."""
        return jams(self.of("faults"), self.of("recoveries"))

    def after(self, event: Event) -> EventCounts:
        """The counts after the next event of the stream."""
        counts = self if _repeats_a_cause(self, event) else _added(self, event)
        match event:
            case {"event": EventName.OPERATOR_PROMPTED}:
                return replace(counts, prompts=(*_other_prompts(self, event), _prompt(event)))
            case {"event": EventName.PROMPT_ANSWERED}:
                return _answered(counts, event)
            case {"event": EventName.PROMPT_WITHDRAWN}:
                return replace(counts, prompts=_other_prompts(self, event))
            case {"event": EventName.PAUSED}:
                return replace(counts, pause=(*self.pause, _cause(event)))
            case {"event": EventName.RESUMED}:
                return replace(counts, pause=())
        return counts

    def figures(self) -> dict[str, object]:
        """The counts of recoveries, assists and pauses, as the run's summary has them."""
        names = ("recoveries", "assists", "pauses")
        figures = {name: dict(sorted(self.of(name).items())) for name in names}
        return {**figures, "paused_s": round(float(self.total("paused_s")), 3)}


class CountingListener:
    """A listener of events that keeps their counts; `counts` are those up to the last event."""

    def __init__(self) -> None:
        self.counts = EventCounts()

    def __call__(self, event: Event) -> None:
        """Take the next event."""
        self.counts = self.counts.after(event)


def counts_of(events: Iterable[Event]) -> EventCounts:
    """The counts of a whole stream of events."""
    return reduce(EventCounts.after, events, EventCounts())


def jams(faults: Mapping[str, float], recoveries: Mapping[str, float]) -> int:
    """Jams at the heads that were recovered or stopped the table, from both counts by code."""
    return int(faults.get(JAM, 0) + recoveries.get(JAM, 0))


def _added(counts: EventCounts, event: Event) -> EventCounts:
    """Add an event to the counts that its row names."""
    row = ROWS.get(str(event["event"]))
    if row is None or not row.counts:
        return counts
    counted = dict(counts.counted)
    for count in row.counts:
        key = str(event.get(count.by, "")) if count.by else ""
        amount = event.get(count.amount, 0) if count.amount else 1
        before = counted.get(count.name, _NONE)
        number = amount if isinstance(amount, int | float) else 0
        counted[count.name] = {**before, key: before.get(key, 0) + number}
    return replace(counts, counted=counted)


def _repeats_a_cause(counts: EventCounts, event: Event) -> bool:
    """Whether the pause has this cause already: two boards report one emergency stop."""
    if event["event"] != EventName.PAUSED:
        return False
    return event["why"] in {cause.why for cause in counts.pause}


def _cause(event: Event) -> OpenPauseCause:
    why, board, channel = (str(event[key]) for key in ("why", "board", "channel"))
    return OpenPauseCause(why, board, channel, _time(event))


def _prompt(event: Event) -> OpenFaultPrompt:
    keys = ("code", "part", "evidence", "request", "role")
    code, part, evidence, request, role = (str(event.get(key, "")) for key in keys)
    return OpenFaultPrompt(code, part, evidence, request, role, _time(event))


def _answered(counts: EventCounts, event: Event) -> EventCounts:
    """End the prompts that the event answers, and add the time of the assist."""
    others = _other_prompts(counts, event)
    ended = [prompt for prompt in counts.prompts if prompt not in others]
    if not ended or ended[-1].code == FORGOTTEN:
        return replace(counts, prompts=others)
    seconds = max(0.0, _time(event) - ended[-1].since)
    return replace(
        counts,
        prompts=others,
        assists=counts.assists + 1,
        assisting_s=counts.assisting_s + seconds,
        last_assist_s=seconds,
    )


def _other_prompts(counts: EventCounts, event: Event) -> tuple[OpenFaultPrompt, ...]:
    """The open prompts about another fault or another part than the event's."""
    about = str(event["code"]), str(event["part"])
    return tuple(each for each in counts.prompts if (each.code, each.part) != about)


def _time(event: Event) -> float:
    return float(str(event["t"]))
