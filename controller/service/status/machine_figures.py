"""Figures of the machine that are no part of the status, for the metrics of a table.

They change with every message and every write, so the feed of the status does not publish them.
Counts begin with the service, and go on over its runs. They contain no name and no tile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from controller.events import Event, EventName
from controller.run.journal.storage import WriteFigures, WriteTimes

if TYPE_CHECKING:
    from controller.run.assembly import Hardware
    from controller.run.health.statistics import Drift
    from controller.run.journal import Journal


@dataclass(frozen=True)
class LinkFigures:
    """Counts of the link to one board.

    `retries` are frames that were sent again, `forged` frames with a wrong tag, which were dropped,
    `breaches` messages of the board that broke the protocol.
    """

    commands: int = 0
    retries: int = 0
    forged: int = 0
    breaches: int = 0


@dataclass(frozen=True)
class MachineFigures:
    """The figures at one moment.

    `links` and `storage_used` are by board; a board that does not report its storage is missing,
    and the shares are permille. `drift` is the change of a part since its first sets, by quantity
    (`tile_time`, `current`) and part; it contains parts with enough samples. `drift_warnings` has
    the parts whose change is too large, each with a sentence for people.
    """

    links: Mapping[str, LinkFigures] = field(default_factory=dict)
    journal: WriteFigures = WriteFigures()
    audit: WriteFigures = WriteFigures()
    audit_waiting: int = 0
    """Events of the audit log that are not on disk yet."""
    storage_used: Mapping[str, int] = field(default_factory=dict)
    drift: Mapping[tuple[str, str], float] = field(default_factory=dict)
    drift_warnings: tuple[tuple[str, str], ...] = ()


_SAMPLES = ("tile_ms", "heads", "drawn_mv")


class FiguresBook:
    """The figures of one service: those of the runs that are over, and of the present one."""

    def __init__(self) -> None:
        self.journal_times = WriteTimes()
        """Durations of the journal's writes."""
        self._ended: dict[str, LinkFigures] = {}
        self._hardware: Hardware | None = None
        self._journal: Journal | None = None
        self._storage_used: Mapping[str, int] = {}
        self._drift: Drift | None = None

    def begin_run(self, hardware: Hardware, journal: Journal) -> None:
        """Take the boards and the journal of a run that begins."""
        self._hardware, self._journal = hardware, journal
        if self._drift is None:
            from controller.run.health.statistics import Drift  # noqa: PLC0415 - only with a run

            self._drift = Drift()
            for built in journal.built_sets:
                self._drift.add(built)

    def end_run(self) -> None:
        """Keep the counts of the run that ends."""
        self._ended = self._links()
        self._storage_used = self._used()
        self._hardware = self._journal = None

    def on_event(self, event: Event) -> None:
        """Take an event of the table."""
        if event["event"] == EventName.SET_BUILT and self._drift is not None:
            samples: dict[str, Any] = {key: event[key] for key in _SAMPLES if key in event}
            self._drift.add(samples)

    def figures(self, audit: WriteFigures, audit_waiting: int) -> MachineFigures:
        """The present figures; `audit` are those of the audit log."""
        shares = () if self._drift is None else self._drift.shares
        return MachineFigures(
            links=self._links(),
            journal=self.journal_times.figures,
            audit=audit,
            audit_waiting=audit_waiting,
            storage_used=self._used(),
            drift={(quantity, part): share for quantity, part, share in shares},
            drift_warnings=() if self._drift is None else tuple(self._drift.warnings_by_part),
        )

    def _used(self) -> Mapping[str, int]:
        return dict(self._storage_used if self._journal is None else self._journal.storage_used)

    def _links(self) -> dict[str, LinkFigures]:
        links = dict(self._ended)
        for board in () if self._hardware is None else self._hardware.serial:
            before, traffic = links.get(board.name, LinkFigures()), board.traffic
            links[board.name] = LinkFigures(
                before.commands + traffic.commands,
                before.retries + traffic.retries,
                before.forged + traffic.forged,
                before.breaches + sum(board.breaches.values()),
            )
        return links
