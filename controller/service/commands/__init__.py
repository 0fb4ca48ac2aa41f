"""The commands that clients give a table. Each command is one object in the file of its group.

The list is the only place that has all commands: the API, the panel and the documentation read it.
A command has an id that the client chooses; the same id twice is executed once, and the second
reply equals the first.
"""

from __future__ import annotations

from typing import Any

from controller.service.commands import rounds, service_mode, sessions
from controller.service.commands.command import TableCommand

COMMANDS: tuple[TableCommand[Any], ...] = (
    sessions.start_session,
    sessions.choose_next,
    sessions.end_session,
    sessions.name_players,
    rounds.press_lid_key,
    rounds.add_share,
    rounds.answer,
    rounds.pause,
    rounds.resume,
    rounds.report_result,
    rounds.correct,
    sessions.save_preset,
    sessions.delete_preset,
    rounds.take_lead,
    rounds.release_lead,
    rounds.clear_fault,
    rounds.automatic,
    sessions.take_out_of_play,
    sessions.put_in_play,
    rounds.stop_service,
    service_mode.enter_service_mode,
    service_mode.leave_service_mode,
    service_mode.jog,
    service_mode.stop_jog,
    service_mode.home,
    service_mode.run_test,
    service_mode.calibrate,
    service_mode.answer_service_question,
    service_mode.stop_activity,
    service_mode.clear_board_faults,
    service_mode.confirm_change,
    service_mode.discard_change,
)
"""Every command, in the order in which the API and the documentation list them."""
BY_NAME: dict[str, TableCommand[Any]] = {each.name: each for each in COMMANDS}
STOPS = frozenset(each.name for each in COMMANDS if each.stops)
"""Names of the commands that stop motions."""
