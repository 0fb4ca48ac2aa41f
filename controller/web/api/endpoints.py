"""Every endpoint of the API with the least role that may use it.

The request guard enforces this table: a request to a path that is not in it is refused. The routes,
the OpenAPI description, docs/reference/API.md and the role matrix of the tests read the same table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from controller.service.user_roles import UserRole
from controller.web.api.json_text import LONGEST_BODY, LONGEST_LOGIN

PREFIX = "/api/v1"
"""The path before every endpoint: version 1 of the API."""
SUBSCRIBE = "WS"
"""The method of an endpoint that opens a WebSocket."""


class OpenAccess(Enum):
    """Endpoints that need no role."""

    PUBLIC = "no login is needed"
    """Also for clients that are not logged in."""
    LOGGED_IN = "every role"
    """For every logged-in user, device or machine, whatever its role."""


@dataclass(frozen=True)
class Endpoint:
    """One endpoint: its name, method and path, who may use it, and what it does.

    `reads` states that the endpoint changes nothing, so that the auditor may use it too. `prefix`
    is the beginning of its path.
    """

    name: str
    method: str
    path: str
    least: UserRole | OpenAccess
    summary: str
    reads: bool = False
    prefix: str = PREFIX

    @property
    def longest_body(self) -> int:
        """Bytes of the largest body. What clients without login send is bounded more tightly."""
        return LONGEST_LOGIN if self.least is OpenAccess.PUBLIC else LONGEST_BODY

    @property
    def full_path(self) -> str:
        """The path of the endpoint, with the parameters in braces."""
        return self.prefix + self.path

    def admits(self, role: UserRole | None) -> bool:
        """Whether a client with this role may use the endpoint; None is a client without login."""
        if isinstance(self.least, OpenAccess):
            return self.least is OpenAccess.PUBLIC or role is not None
        if role is None:
            return False
        return role.includes(self.least) or (self.reads and role is UserRole.AUDITOR)

    def matches(self, path: str) -> bool:
        """Whether a request's path is one of this endpoint."""
        return self._pattern.fullmatch(path) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{\w+\}", r"[^/]+", self.full_path))


def _get(name: str, path: str, least: UserRole | OpenAccess, summary: str) -> Endpoint:
    return Endpoint(name, "GET", path, least, summary, reads=True)


_PLAYER, _ATTENDANT, _TECHNICIAN = UserRole.PLAYER, UserRole.ATTENDANT, UserRole.TECHNICIAN

ENDPOINTS: tuple[Endpoint, ...] = (
    _get(
        "health",
        "/health",
        OpenAccess.PUBLIC,
        "Whether the API answers, and whether a user exists.",
    ),
    Endpoint("login", "POST", "/login", OpenAccess.PUBLIC, "Log in with a name and a password."),
    Endpoint(
        "first_start",
        "POST",
        "/first-start",
        OpenAccess.PUBLIC,
        "Set name and password of the first technician, with the one-time link's token.",
    ),
    Endpoint(
        "pair",
        "POST",
        "/pair",
        OpenAccess.PUBLIC,
        "Log in a device, with a pairing code or with the touchscreen's token.",
    ),
    _get("me", "/me", OpenAccess.LOGGED_IN, "Name, role and CSRF token of the caller."),
    Endpoint("logout", "POST", "/logout", OpenAccess.LOGGED_IN, "End the caller's login."),
    Endpoint(
        "change_password",
        "POST",
        "/me/password",
        OpenAccess.LOGGED_IN,
        "Change the caller's password.",
    ),
    _get("logins", "/logins", OpenAccess.LOGGED_IN, "Logins: the caller's; all for a technician."),
    Endpoint(
        "end_login",
        "DELETE",
        "/logins/{login}",
        OpenAccess.LOGGED_IN,
        "End a login before its time.",
    ),
    _get("status", "/status", _PLAYER, "The status of the table, with its sequence number."),
    _get("status_schema", "/status/schema", _PLAYER, "The JSON schema of the status."),
    Endpoint(
        "stream", SUBSCRIBE, "/stream", _PLAYER, "Changes of the status, and events.", reads=True
    ),
    _get("commands", "/commands", _PLAYER, "Every command: its arguments and its least role."),
    Endpoint("give_command", "POST", "/commands", _PLAYER, "Give the table a command."),
    _get("games", "/games", _PLAYER, "Every game, with its house rules as a form."),
    _get("presets", "/presets", _PLAYER, "Games with house rules that were saved by name."),
    _get("sessions", "/sessions", _PLAYER, "Sessions, latest first."),
    _get("results", "/sessions/{session}/results", _PLAYER, "Results of a session's hands."),
    _get(
        "result_form",
        "/sessions/{session}/hands/{hand}/result-form",
        _PLAYER,
        "The form of the result of one hand, to correct it.",
    ),
    _get("record", "/sessions/{session}/hands/{hand}/record", _PLAYER, "The record of one hand."),
    _get(
        "case",
        "/sessions/{session}/hands/{hand}/case",
        _PLAYER,
        "A case for the judge, made from one hand.",
    ),
    _get(
        "case_file",
        "/sessions/{session}/hands/{hand}/case.yaml",
        _PLAYER,
        "The case of one hand as a file for `wallwright judge`.",
    ),
    _get(
        "replay",
        "/sessions/{session}/hands/{hand}/replay.html",
        _PLAYER,
        "One hand as a page that replays it without a connection.",
    ),
    _get(
        "receipt",
        "/sessions/{session}/hands/{hand}/receipt.json",
        _PLAYER,
        "The receipt of one of the last ten rounds, which `wallwright verify` verifies.",
    ),
    _get(
        "receipt_text",
        "/sessions/{session}/hands/{hand}/receipt.txt",
        _PLAYER,
        "The same receipt as text.",
    ),
    _get(
        "receipt_pdf",
        "/sessions/{session}/hands/{hand}/receipt.pdf",
        _PLAYER,
        "The same receipt as a page to print.",
    ),
    _get("rounds", "/rounds", _PLAYER, "The last ten rounds with results, and the present one."),
    _get("audit_events", "/audit/events", _TECHNICIAN, "A page of the audit log's events."),
    _get("judge_form", "/judge/{game}", _PLAYER, "The form of a game's case, and an example."),
    Endpoint(
        "judge",
        "POST",
        "/judge/{game}",
        _PLAYER,
        "Judge a claim: whether it is valid, and who pays.",
        reads=True,
    ),
    _get("faults", "/faults", _PLAYER, "Every fault: its cause, its cure, and who may clear it."),
    _get("geometry", "/geometry", _PLAYER, "The table and its game, for the picture."),
    Endpoint(
        "preview",
        "POST",
        "/preview",
        _PLAYER,
        "How the game is dealt after a choice, such as a cut.",
        reads=True,
    ),
    _get("journal", "/journal", _TECHNICIAN, "A page of the journal's lines."),
    _get(
        "journal_file", "/journal.ndjson", _TECHNICIAN, "The whole journal, as a stream of lines."
    ),
    _get(
        "diagnostics",
        "/diagnostics.zip",
        _TECHNICIAN,
        "The diagnostics bundle: one zip file without secrets.",
    ),
    _get(
        "selftest",
        "/service-mode/selftest.md",
        _TECHNICIAN,
        "The report of the last trials in service mode.",
    ),
    _get(
        "change",
        "/service-mode/change.diff",
        _TECHNICIAN,
        "The proposed change of the table's file, as a unified diff.",
    ),
    _get("users", "/users", _TECHNICIAN, "Users and their roles."),
    Endpoint("add_user", "POST", "/users", _TECHNICIAN, "Add a user."),
    Endpoint(
        "change_user", "PATCH", "/users/{user}", _TECHNICIAN, "Change a user's role or password."
    ),
    Endpoint("delete_user", "DELETE", "/users/{user}", _TECHNICIAN, "Delete a user."),
    _get("keys", "/keys", _TECHNICIAN, "API tokens of machines and paired devices."),
    Endpoint("add_token", "POST", "/tokens", _TECHNICIAN, "Make an API token for a machine."),
    Endpoint(
        "add_pairing_code", "POST", "/pairing-codes", _TECHNICIAN, "Make a code to pair a device."
    ),
    Endpoint(
        "revoke_key", "DELETE", "/keys/{key}", _TECHNICIAN, "Revoke an API token or a device."
    ),
    _get("openapi", "/openapi.json", _PLAYER, "This description, as OpenAPI 3.1."),
    Endpoint(
        "metrics",
        "GET",
        "/metrics",
        OpenAccess.LOGGED_IN,
        "The metrics of the table, in the text format of Prometheus.",
        reads=True,
        prefix="",
    ),
)
BY_NAME: dict[str, Endpoint] = {endpoint.name: endpoint for endpoint in ENDPOINTS}


def endpoints_at(path: str, endpoints: tuple[Endpoint, ...] = ENDPOINTS) -> tuple[Endpoint, ...]:
    """The endpoints at a path, one for each method; empty for an unknown path."""
    return tuple(endpoint for endpoint in endpoints if endpoint.matches(path))
