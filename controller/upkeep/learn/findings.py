"""What was learned so far, and the file that keeps it between two sessions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from controller.durable_files import replace_file
from rules.errors import WallwrightError

VERSION = 1


class UnreadableStateError(WallwrightError):
    """The file with an earlier session's findings cannot be used; the text has the next step."""


@dataclass
class MotorFinding:
    """A motor wire whose part is known."""

    wire: str
    swapped: bool = False
    """Whether the wire's forward is the part's reverse, so that its two pins are exchanged."""
    seconds: float = 0.0
    """The measured time from end to end; 0 for a motor without two ends."""
    edges: dict[str, int] = field(default_factory=dict)
    """The activations of each sensor wire while the motor was tried."""


@dataclass
class SensorFinding:
    """A sensor wire whose place is known."""

    wire: str
    inverted: bool = False
    """Whether it is active while nothing actuates it, so that its `active` is exchanged."""
    by: str = "hand"
    """What has actuated it: `hand`, or the wire of a motor."""


@dataclass
class Findings:
    """The wires by the channels of the model table."""

    table: str
    motors: dict[str, MotorFinding] = field(default_factory=dict)
    sensors: dict[str, SensorFinding] = field(default_factory=dict)

    @property
    def wires(self) -> set[str]:
        """Every wire whose function is known."""
        motors = {each.wire for each in self.motors.values()}
        return motors | {each.wire for each in self.sensors.values()}

    def save(self, file: Path) -> None:
        """Write the findings; a crash while writing leaves the earlier file."""
        text = json.dumps({"version": VERSION, **asdict(self)}, indent=1) + "\n"
        replace_file(file, text.encode())

    @classmethod
    def load(cls, file: Path, table: str) -> Findings:
        """Read an earlier session's findings, or begin. Raises UnreadableStateError."""
        if not file.exists():
            return cls(table)
        try:
            values: dict[str, Any] = json.loads(file.read_text("utf-8"))
            found = cls(
                values["table"],
                {role: MotorFinding(**each) for role, each in values["motors"].items()},
                {role: SensorFinding(**each) for role, each in values["sensors"].items()},
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnreadableStateError(
                f"'{file}' is not the state of an earlier `wallwright learn`"
                f" ({type(error).__name__}); name another file with --state, or remove it."
            ) from error
        if found.table != table:
            raise UnreadableStateError(
                f"'{file}' has findings for a table like {found.table}, not {table}; name another"
                " file with --state."
            )
        return found
