"""Proposed changes of a table's file: one at a time, written only after a confirmation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from config.loader import packaged_text
from config.schema import Table
from controller.upkeep.service_mode.calibrations.table_edits import EditedTable, TableEdit, edited
from controller.upkeep.service_mode.mode_status import ProposedChange
from controller.upkeep.service_mode.refusals import ServiceModeRefusalError


class TableChanges:
    """The proposed change of one table. `file` is None for a table of the package."""

    def __init__(self, table: Table, file: Path | None) -> None:
        self._table = table
        self._file = file
        self._number = 0
        self._edited: EditedTable | None = None
        self.proposed: ProposedChange | None = None
        """The change that is neither confirmed nor discarded."""

    def check_none_open(self) -> None:
        """Raise ServiceModeRefusalError if a change waits for its confirmation."""
        if self.proposed is not None:
            raise ServiceModeRefusalError(
                "change_open",
                "A proposed change of the table's file is not confirmed yet.",
                "Confirm it or discard it first.",
            )

    def propose(self, edits: Sequence[TableEdit]) -> None:
        """Propose edits of the table's file. Raises ServiceModeRefusalError."""
        name, text = self._text()
        self._edited = edited(text, name, edits)
        self._number += 1
        self.proposed = ProposedChange(
            id=f"d{self._number}",
            file=name,
            summary=tuple(edit.why for edit in edits),
            diff=self._edited.diff,
            writable=self._file is not None,
        )

    def confirm(self, change: str) -> str:
        """Write the change; returns a sentence. Raises ServiceModeRefusalError."""
        self._check(change)
        assert self._edited is not None
        if self._file is None:
            raise ServiceModeRefusalError(
                "packaged_table",
                f"{self._edited.name} belongs to the program and is not changed.",
                "Save the table as a file of your own and start the service with it.",
            )
        kept = self._edited.write(self._file)
        self.proposed = self._edited = None
        return (
            f"{self._file.name} was changed; the text before is in {kept.name}. The next start of"
            " the service uses the new values."
        )

    def discard(self, change: str) -> None:
        """Discard the change. Raises ServiceModeRefusalError."""
        self._check(change)
        self.proposed = self._edited = None

    # Helpers

    def _check(self, change: str) -> None:
        if self.proposed is None or self.proposed.id != change:
            raise ServiceModeRefusalError(
                "no_change",
                f"The change '{change[:20]}' is not open.",
                "Name the change that is shown now.",
            )

    def _text(self) -> tuple[str, str]:
        """The name and the text of the table's file. Raises ServiceModeRefusalError."""
        if self._file is None:
            return f"{self._table.name}.yaml", packaged_text(self._table.name)
        try:
            return str(self._file), self._file.read_text("utf-8")
        except OSError as error:
            raise ServiceModeRefusalError(
                "not_readable",
                f"{self._file} cannot be read ({error.strerror}).",
                "Check its path and permissions.",
            ) from None
