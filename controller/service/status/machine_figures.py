"""Figures of the machine that are no part of the status, for the metrics of a table.

They change with every message and every write, so the feed of the status does not publish them.
Counts begin with the service. They contain no name and no tile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from controller.run.journal.measured_storage import WriteFigures


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
