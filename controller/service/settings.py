"""The settings of a table's service, which its parts share and nothing changes while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controller.records.audit.log.recorder import AuditRecorder
    from controller.run.journal.storage import Storage

RecorderOpener = Callable[[Callable[[], float], Callable[[], None]], "AuditRecorder"]
"""Opens the recorder, from the table's clock and a function to call after a change of its state."""


@dataclass(frozen=True)
class ServiceSettings:
    """The settings of one service."""

    storage: Callable[[], Storage]
    """Creates the storage of a run's journal."""
    journal: Path | None = None
    """The file of the journal; None to keep it in memory."""
    journal_copy: Path | None = None
    """The folder of the journal's third copy."""
    ports: Mapping[str, str] = field(default_factory=dict)
    """The serial ports of a real table's boards; empty for a simulated table."""
    seed: int = 0
    """The seed of a simulated table."""
    automatic: bool = False
    """Whether the simulated people choose, act and answer prompts from the start."""
    table_file: Path | None = None
    """The table's own file; None for a table of the program."""
    pace: float = 1.0
    """The number of seconds of the event loop's clock in a real second."""
    recorder: RecorderOpener | None = None
    """Opens the audit log; without it events are counted and not kept."""
    nameplate: tuple[str, str, str] = ("", "", "")
    """Maker, model and serial number for receipts."""

    @property
    def is_simulated(self) -> bool:
        """Whether the table is simulated, so that its tiles do not outlast the process."""
        return not self.ports
