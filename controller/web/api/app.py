"""The web application: the request guard before FastAPI, which validates and describes requests.

FastAPI takes 0.5 s and 40 MB to import, so only `wallwright serve` imports this module.
"""

from __future__ import annotations

import logging
from importlib import metadata
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response
from starlette.types import ASGIApp

from config.schema import Table
from controller.service.port import ServicePort
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.audited_requests import AuditedRequest, AuditedRequests, Changes
from controller.web.api.endpoints import BY_NAME, PREFIX
from controller.web.api.json_text import json_text
from controller.web.api.problems import Problem
from controller.web.api.request_guard import COOKIE, RequestGuard
from controller.web.api.routes.accounts import AccountRoutes
from controller.web.api.routes.commands import CommandRoutes, command_schemas
from controller.web.api.routes.games import GameRoutes
from controller.web.api.routes.history import CaseRoutes, HistoryRoutes, ProofRoutes
from controller.web.api.routes.login import LoginRoutes
from controller.web.api.routes.picture import PictureRoutes
from controller.web.api.routes.registration import add_problems, register, text_response
from controller.web.api.routes.status import DiagnosticRoutes, MetricsRoutes, Scraped, StatusRoutes
from controller.web.api.stream import StreamHub, StreamSocket
from controller.web.api.worker_thread import WorkerThread

_LOG = logging.getLogger(__name__)

_DESCRIPTION = """\
Commands to one table, and its status. docs/reference/API.md explains logins, the stream and the
errors.
"""


def create_app(
    service: ServicePort,
    accounts: Accounts,
    hub: StreamHub,
    *,
    judge: WorkerThread,
    metrics: Scraped,
    table: Table | None = None,
    panel: ASGIApp | None = None,
) -> ASGIApp:
    """The API of a table's service as an ASGI application; `panel` answers every other path.

    `judge` is the worker thread for games and judgements. `table` adds to `GET games` which games
    this table can set up.
    """
    api = api_application(service, accounts, hub, judge, metrics, table)
    guarded = RequestGuard(api, panel, accounts)

    def record(request: AuditedRequest) -> None:
        who, role, address = request.who, request.role, request.address
        service.record_access(request.name, request.status, request.path, who, role, address)

    return AuditedRequests(guarded, record)


def api_application(
    service: ServicePort,
    accounts: Accounts,
    hub: StreamHub,
    judge: WorkerThread,
    metrics: Scraped,
    table: Table | None = None,
) -> FastAPI:
    """The endpoints without the request guard."""
    app = FastAPI(
        title="Wallwright",
        version=metadata.version("wallwright"),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    changes = Changes(service)
    for routes in (
        StatusRoutes(service, accounts, hub),
        CommandRoutes(service),
        GameRoutes(judge, table),
        PictureRoutes(service, judge, table),
        HistoryRoutes(service),
        CaseRoutes(service, judge),
        ProofRoutes(service, judge),
        DiagnosticRoutes(service, judge),
        MetricsRoutes(metrics, hub, judge),
        LoginRoutes(accounts, changes),
        AccountRoutes(accounts, changes),
    ):
        routes.add_to(app)
    app.add_api_websocket_route(PREFIX + BY_NAME["stream"].path, StreamSocket(hub).stream)
    _add_description(app, judge)
    add_problems(app)
    return app


def openapi(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, with the problem documents and the two ways to log in."""
    described = get_openapi(
        title=app.title,
        version=app.version,
        description=_DESCRIPTION,
        routes=app.routes,
        separate_input_output_schemas=False,
    )
    components = described.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas |= {"Problem": Problem.model_json_schema()} | command_schemas()
    giving = described["paths"][PREFIX + BY_NAME["give_command"].path]["post"]
    body = giving["requestBody"]["content"]["application/json"]
    body["schema"] = {"$ref": "#/components/schemas/GiveCommand"}
    components["securitySchemes"] = {
        "cookie": {"type": "apiKey", "in": "cookie", "name": COOKIE},
        "token": {"type": "http", "scheme": "bearer"},
    }
    return described


def _add_description(app: FastAPI, worker: WorkerThread) -> None:
    """Add the endpoint of the description, which takes a second to make, in the worker thread."""
    texts: list[str] = []

    def describe() -> str:
        if not texts:
            texts.append(json_text(openapi(app)))
        return texts[0]

    async def description() -> Response:
        return text_response(texts[0] if texts else await worker.run(describe))

    register(app, "openapi", dict[str, Any], description)
