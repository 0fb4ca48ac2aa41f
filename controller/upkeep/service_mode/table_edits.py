"""Edits of a table's file: single values are replaced in the text, so that comments stay.

An edit is a proposal with a unified diff; there is one proposal at a time. The file is written only
when a person confirms it, and only if it was not changed since. The text before is kept beside
it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from config.durable_files import replace_file
from config.errors import ConfigErrors
from config.loader import packaged_text, table_of_text
from config.schema import Table
from controller.upkeep.service_mode.mode_status import ProposedChange, ServiceModeRefusalError

Place = tuple[str | int, ...]
"""The place of a value in the file: keys and positions, such as ("modules", "trays", "lift")."""


@dataclass(frozen=True)
class TableEdit:
    """A new value at a place of the table's file, and the reason in one sentence."""

    place: Place
    value: float
    why: str


@dataclass(frozen=True)
class EditedTable:
    """A table's file with edits that are not written yet."""

    name: str
    before: str
    after: str

    @property
    def diff(self) -> str:
        """The edits as a unified diff."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            self.name,
            f"{self.name} (proposed)",
        )
        return "".join(lines)

    def write(self, file: Path) -> Path:
        """Write the file; returns the copy of the text before. Raises ServiceModeRefusalError."""
        try:
            if file.read_text("utf-8") != self.before:
                raise ServiceModeRefusalError(
                    "file_changed",
                    f"{file} has been changed since the calibration.",
                    "Discard this change, then calibrate again.",
                )
            kept = _free_name(file)
            mode = file.stat().st_mode & 0o777
            replace_file(kept, self.before.encode(), mode)
            replace_file(file, self.after.encode(), mode)
        except OSError as error:
            raise ServiceModeRefusalError(
                "not_written",
                f"{file} could not be written ({error.strerror}).",
                "Check its permissions, then confirm again.",
            ) from None
        return kept


def edited(text: str, name: str, edits: Sequence[TableEdit]) -> EditedTable:
    """The text with these edits. Raises ServiceModeRefusalError if it is not a valid table then."""
    changes = sorted(_change(text, edit, name) for edit in edits)
    after = text
    for start, end, new in reversed(changes):
        after = after[:start] + new + after[end:]
    try:
        differing = _differing(table_of_text(text, name), table_of_text(after, name))
    except ConfigErrors as errors:
        raise ServiceModeRefusalError(
            "not_valid",
            f"The measured value does not fit into the table: {errors.args[0]}",
            "Correct the table by hand, or repair the part.",
        ) from None
    if differing > len(edits):
        raise _shared(name)
    return EditedTable(name, text, after)


def _change(text: str, edit: TableEdit, name: str) -> tuple[int, int, str]:
    """The range of the text to replace, and the new text. Raises ServiceModeRefusalError."""
    node = yaml.compose(text, yaml.SafeLoader)
    new = f"{edit.value:g}"
    *path, last = edit.place
    for key in path:
        node = _child(node, key)
    found = _child(node, last)
    if isinstance(found, yaml.ScalarNode):
        if text[found.start_mark.index] == "&":
            raise _shared(name)
        return found.start_mark.index, found.end_mark.index, new
    if found is not None or not isinstance(node, yaml.MappingNode) or not node.value:
        place = ".".join(map(str, edit.place))
        raise ServiceModeRefusalError(
            "no_place",
            f"{name} has no place for {place}.",
            f"Write {place}: {new} into it by hand.",
        )
    key_node, value_node = node.value[-1]
    end = value_node.end_mark.index
    if node.flow_style:
        return end, end, f", {last}: {new}"
    line_end = text.find("\n", end)
    at = len(text) if line_end < 0 else line_end
    return at, at, f"\n{' ' * key_node.start_mark.column}{last}: {new}"


def _shared(name: str) -> ServiceModeRefusalError:
    return ServiceModeRefusalError(
        "shared_value",
        f"{name} uses one value at several places (an alias), so it cannot be edited alone.",
        "Write the values out, then calibrate again.",
    )


def _differing(before: Table, after: Table) -> int:
    """The number of values in which two tables differ."""
    one, other = (dict(_leaves(table.model_dump(), ())) for table in (before, after))
    return sum(one.get(place) != other.get(place) for place in {*one, *other})


def _leaves(value: object, place: Place) -> Iterator[tuple[Place, object]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves(each, (*place, key))
    elif isinstance(value, list | tuple):
        for at, each in enumerate(value):
            yield from _leaves(each, (*place, at))
    else:
        yield place, value


def _child(node: yaml.Node | None, key: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        for key_node, value in node.value:
            if key_node.value == key:
                found: yaml.Node = value
                return found
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        part: yaml.Node = node.value[key]
        return part
    return None


def _free_name(file: Path) -> Path:
    """The first name beside the file, such as `table.yaml.before-1`, that is not in use."""
    number = 1
    while (kept := file.with_name(f"{file.name}.before-{number}")).exists():
        number += 1
    return kept


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
