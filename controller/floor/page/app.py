"""The floor's web application: the request guard, the accounts, the floor's endpoints, the page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from importlib import metadata

from fastapi import FastAPI, Request
from starlette.responses import Response
from starlette.types import ASGIApp

from controller.floor.figures.alarm_book import NotAcknowledgedError
from controller.floor.figures.table_use import TableInUseError
from controller.floor.figures.window import WindowError
from controller.floor.page.endpoints import FLOOR_ENDPOINTS
from controller.floor.page.figures_source import FiguresSource
from controller.floor.page.game_choices import GameChoices
from controller.floor.page.page_files import page_app
from controller.floor.page.plan import RoomPlan
from controller.floor.page.room_feed import RoomFeed, TooManyWatchersError, utc_now
from controller.floor.page.routes import FloorRoutes
from controller.floor.page.table_change_routes import TableChangeRoutes
from controller.floor.server.port import FloorPort
from controller.floor.store.table_changes import TableChangeError, UnknownTableError
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.audited_requests import AuditedRequest, AuditedRequests
from controller.web.api.problems import ProblemError
from controller.web.api.request_guard import RequestGuard
from controller.web.api.routes.accounts import AccountRoutes
from controller.web.api.routes.errors import add_problems
from controller.web.api.routes.login import LoginRoutes
from rules.errors import WallwrightError


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
