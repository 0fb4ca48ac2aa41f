"""The floor's web application: the request guard, the accounts, the floor's endpoints, the page.

The files of the page are the floor's own, and those of a table's panel that it shares. A file of
the floor replaces the panel's file of the same name. The message catalogues of both are joined: a
message that the floor does not have in a language is the panel's, or else English.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from importlib import metadata, resources

from fastapi import FastAPI, Request
from starlette.responses import Response
from starlette.types import ASGIApp

from controller.floor.figures.alarms import NotAcknowledgedError
from controller.floor.figures.table_figures import WindowError
from controller.floor.figures.table_use import TableInUseError
from controller.floor.page.endpoints import FLOOR_ENDPOINTS
from controller.floor.page.figures_source import FiguresSource
from controller.floor.page.room_feed import RoomFeed, RoomPlan, TooManyWatchersError, utc_now
from controller.floor.page.routes import FloorRoutes, GameChoices, TableChangeRoutes
from controller.floor.server.port import FloorPort
from controller.floor.store.table_changes import TableChangeError, UnknownTableError
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.audited_requests import AuditedRequest, AuditedRequests
from controller.web.api.problems import ProblemError
from controller.web.api.request_guard import RequestGuard
from controller.web.api.routes.accounts import AccountRoutes
from controller.web.api.routes.login import LoginRoutes
from controller.web.api.routes.registration import add_problems
from controller.web.panel.pages import PanelApp, PanelFile, file_of, files_of
from rules.errors import WallwrightError

SHARED = (
    *("client.js", "page_start.js", "start.js"),
    *("style/tokens.css", "style/controls.css", "style/frame.css", "style/views.css"),
    *("style/icon.svg", "vendor/htm_preact.js", "vendor/LICENSE-htm.txt"),
    *("vendor/LICENSE-preact.txt", "vendor/VENDORED.md"),
    *("data/live_regions.js", "data/messages.js", "data/page_state.js", "data/settings.js"),
    *("frame/dialog.js", "frame/hooks.js", "frame/icons.js", "frame/kept_focus.js"),
    *("frame/notice.js", "frame/page_frame.js", "frame/settings_dialog.js", "frame/save_file.js"),
    *("views/sign_in.js", "service/users.js", "service/devices.js", "session/schema_form.js"),
)
"""The panel's files that the floor's page uses."""
_MESSAGES = "messages/"


def page_app() -> PanelApp:
    """The floor's page as an ASGI application. Raises OSError if a file cannot be read."""
    return PanelApp(page_files())


def page_files() -> dict[str, PanelFile]:
    """Every file of the page, by its path."""
    panel = dict(files_of(resources.files("controller.web.panel") / "static"))
    own = dict(files_of(resources.files("controller.floor.page") / "static"))
    chosen = {name: panel[name].read_bytes() for name in SHARED}
    chosen |= {name: file.read_bytes() for name, file in own.items()}
    english = json.loads(chosen[f"{_MESSAGES}en.json"])
    for name, file in panel.items():
        if name.startswith(_MESSAGES):
            floor = json.loads(chosen.get(name, b"{}"))
            joined = {**json.loads(file.read_bytes()), **english, **floor}
            chosen[name] = json.dumps(joined, ensure_ascii=False).encode()
    return {name: file_of(name, body) for name, body in chosen.items()}


@asynccontextmanager
async def floor_app(
    port: FloorPort,
    accounts: Accounts,
    plan: RoomPlan | None = None,
    now: Callable[[], datetime] = utc_now,
    record: Callable[[AuditedRequest], None] = lambda request: None,
) -> AsyncIterator[ASGIApp]:
    """The floor's page and its endpoints as an ASGI application, until the block ends.

    `accounts` are those of the floor, `plan` has the places of the tables. `record` is called with
    each request that changes something, after its answer.
    """
    feed = RoomFeed(port, plan or RoomPlan(), now)
    feed.start()
    games = GameChoices()
    try:
        routes = FloorRoutes(feed, FiguresSource(port), accounts, games)
        api = floor_api(routes, accounts)
        guarded = RequestGuard(api, page_app(), accounts, FLOOR_ENDPOINTS)
        yield AuditedRequests(guarded, record, FLOOR_ENDPOINTS)
    finally:
        await feed.close()
        games.close()


def floor_api(routes: FloorRoutes, accounts: Accounts) -> FastAPI:
    """The endpoints without the request guard."""
    app = FastAPI(
        title="Wallwright floor",
        version=metadata.version("wallwright"),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    routes.add_to(app)
    for more in (
        TableChangeRoutes(routes.feed, routes.figures_source),
        LoginRoutes(accounts),
        AccountRoutes(accounts),
    ):
        more.add_to(app)
    add_problems(app)
    for kind, (status, code) in _STATUS.items():
        app.add_exception_handler(kind, _answer(status, code))
    return app


_STATUS: dict[type[WallwrightError], tuple[int, str]] = {
    NotAcknowledgedError: (409, "not_acknowledged"),
    WindowError: (422, "invalid_request"),
    UnknownTableError: (404, "unknown_table"),
    TableInUseError: (409, "table_in_use"),
    TableChangeError: (409, "not_changed"),
    TooManyWatchersError: (503, "busy"),
    WallwrightError: (503, "not_available"),
}
"""HTTP status and code of the floor's own errors, whose texts are sentences with the next step."""


def _answer(status: int, code: str) -> Callable[[Request, Exception], Response]:
    def answer(_: Request, error: Exception) -> Response:
        return ProblemError(status, code, str(error)).response()

    return answer
