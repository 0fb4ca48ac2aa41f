"""The present run of a table: its configuration, its daemon, its game, its service mode.

`RunSequence` changes these values; the status, the events and the commands read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from config.schema import Table
from controller.service.evening.game_choices import PlannedGame, any_game, planned
from controller.service.status import GameChoice

if TYPE_CHECKING:
    from controller.run.daemon import Daemon
    from controller.run.journal import Journal
    from controller.service.evening.evening_programme import EveningProgramme
    from controller.service.service_mode_shift import ServiceModeShift
    from controller.upkeep.selftest import SelfTestReport
    from controller.upkeep.service_mode.mode_status import ServiceModeStatus


@dataclass
class PresentRun:
    """The present run of a table, or none, and what the next run plays."""

    table: Table
    """The configuration of the table; a change applies to the next run."""
    daemon: Daemon | None = None
    """The daemon of the present run."""
    programme: EveningProgramme | None = None
    """The programme of the present run."""
    journal: Journal | None = None
    """The journal of the present run."""
    game: PlannedGame | None = None
    """The game of the present or last round."""
    wanted: PlannedGame | None = None
    """The game of the next run; None before the first choice."""
    shift: ServiceModeShift | None = None
    """The present stay in service mode, from its command to its end."""
    mode_status: ServiceModeStatus | None = None
    """The status of service mode; None outside of it."""
    last_selftest: SelfTestReport | None = None
    """The report of the last trials in a service mode that is over."""

    def plan(self, choice: GameChoice) -> PlannedGame:
        """Validate a choice for the table. Raises ChoiceRefusedError."""
        return planned(self.table, choice)

    @property
    def tiles_on_table(self) -> PlannedGame:
        """A game that uses the tiles on the table. Raises ChoiceRefusedError if none fits."""
        return self.game or self.wanted or any_game(self.table)

    @property
    def chosen(self) -> PlannedGame | None:
        """The game that applies from the next shuffle, if it is not the present one."""
        return self.wanted if self.programme is None else self.programme.next

    @property
    def selftest(self) -> SelfTestReport | None:
        """The report of the last trials in service mode; None without any."""
        return (None if self.shift is None else self.shift.present_report()) or self.last_selftest

    def close(self) -> None:
        """Note that no daemon runs."""
        self.daemon = self.programme = self.journal = None
