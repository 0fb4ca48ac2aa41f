"""The codes of every command that a client gives the table and that is recorded as done.

A refused command changes nothing and has no code.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.casino.host_codes import HostRow

_OWN_EVENT = "The table emits an event of its own for it, which has the code."
_NO_STATE = "It changes nothing that a host of SAS or G2S keeps."
_MAINTENANCE = "It is part of service mode, whose beginning and end are reported."

COMMANDS: Mapping[str, HostRow] = {
    row.what: row
    for row in (
        HostRow("start_session", ("8C",), ("G2S_CBE314",)),
        HostRow(
            "choose_next",
            ("8C",),
            ("G2S_CBE314",),
            "The choice applies from the next shuffle on.",
        ),
        *(
            HostRow(what, note=_OWN_EVENT)
            for what in (
                "answer",
                "clear_fault",
                "correct",
                "enter_service_mode",
                "leave_service_mode",
                "pause",
                "press_lid_key",
                "put_in_play",
                "resume",
                "stop_service",
                "take_out_of_play",
            )
        ),
        *(
            HostRow(what, note=_NO_STATE)
            for what in (
                "add_share",
                "automatic",
                "delete_preset",
                "end_session",
                "name_players",
                "release_lead",
                "save_preset",
                "take_lead",
            )
        ),
        HostRow("confirm_change", ("3C",), ("G2S_CBE006",)),
        *(
            HostRow(what, note=_MAINTENANCE)
            for what in (
                "answer_service_question",
                "calibrate",
                "clear_board_faults",
                "discard_change",
                "home",
                "jog",
                "run_test",
                "stop_activity",
                "stop_jog",
            )
        ),
    )
}
"""The row of each command by its name."""
