"""Every endpoint of the floor with the least role that may use it.

Accounts and logins are the endpoints of a table's API. Players see nothing of the floor: a dealer
and the auditor read it, an attendant also acknowledges alarms and sends requests to tables, and a
technician retires and renames tables.
"""

from __future__ import annotations

from controller.service.user_roles import UserRole
from controller.web.api.endpoints import BY_NAME, Endpoint, OpenAccess

_ACCOUNTS = (
    *("health", "login", "first_start", "pair", "me", "logout", "change_password", "logins"),
    *("end_login", "users", "add_user", "change_user", "delete_user", "keys", "add_token"),
    *("add_pairing_code", "revoke_key"),
)
"""Endpoints of a table's API that the floor has too."""


def _read(name: str, path: str, summary: str) -> Endpoint:
    return Endpoint(name, "GET", path, UserRole.DEALER, summary, reads=True)


OWN: tuple[Endpoint, ...] = (
    _read("floor", "/floor", "The room: every table, the alarms and the plan."),
    _read("floor_stream", "/floor/stream", "Changes of the room, as server-sent events."),
    _read("floor_figures", "/floor/figures", "Figures of every table in a time range."),
    _read("floor_history", "/floor/tables/{table}/history", "Events of a table, latest first."),
    _read("floor_games", "/floor/games", "Games that a table can be asked to choose."),
    Endpoint(
        "acknowledge",
        "POST",
        "/floor/alarms/{log}/{number}/acknowledge",
        UserRole.ATTENDANT,
        "Acknowledge an alarm by name.",
    ),
    Endpoint(
        "request_table",
        "POST",
        "/floor/tables/{table}/requests",
        UserRole.ATTENDANT,
        "Send a request to a table, which may refuse it.",
    ),
    _read("floor_retired", "/floor/retired", "Retired tables: since when, by whom, and why."),
    Endpoint(
        "retire_table",
        "POST",
        "/floor/tables/{table}/retire",
        UserRole.TECHNICIAN,
        "Retire a table; the floor stores nothing of it any more.",
    ),
    Endpoint(
        "unretire_table",
        "POST",
        "/floor/tables/{table}/unretire",
        UserRole.TECHNICIAN,
        "Take a retired table back.",
    ),
    Endpoint(
        "rename_table",
        "POST",
        "/floor/tables/{table}/rename",
        UserRole.TECHNICIAN,
        "Give a table another title; its name, certificate and history stay.",
    ),
    _read("report_csv", "/floor/report.csv", "The pit report of a time range as CSV."),
    _read("report_pdf", "/floor/report.pdf", "The pit report of a time range as PDF."),
    Endpoint(
        "floor_metrics",
        "GET",
        "/metrics",
        OpenAccess.LOGGED_IN,
        "The metrics of the floor service, in the text format of Prometheus.",
        reads=True,
        prefix="",
    ),
)
"""The endpoints that only the floor has."""

FLOOR_ENDPOINTS: tuple[Endpoint, ...] = (*(BY_NAME[name] for name in _ACCOUNTS), *OWN)
"""All endpoints that the floor's request guard admits."""
OWN_BY_NAME = {endpoint.name: endpoint for endpoint in OWN}
