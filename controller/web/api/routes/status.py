"""Endpoints of the present state: health, status and its schema, presets, metrics."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, Protocol

from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from controller.service.port import ServicePort
from controller.service.status import GameChoice, Status
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.accounts.identity import Identity
from controller.web.api.json_text import json_text
from controller.web.api.problems import ProblemError
from controller.web.api.request_guard import IDENTITY
from controller.web.api.routes.registration import json_response, register, text_response
from controller.web.api.stream.hub import StreamHub
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread
from controller.web.metrics.readings import ApiFigures


@cache
def _schema_text() -> str:
    """The JSON schema of the status; to make it takes 0.1 s, which tests need not repeat."""
    return json_text(Status.model_json_schema())


class Health(BaseModel):
    """Whether the API answers; `first_start` states that no technician exists yet."""

    state: Literal["ok"] = "ok"
    first_start: bool


class StatusSnapshot(BaseModel):
    """The whole status: the same object as the stream's message of type `snapshot`."""

    type: Literal["snapshot"]
    run: str = Field(description="Id of this start of the service.")
    sequence: int = Field(description="Number of the last change; the stream goes on from it.")
    at: float = Field(description="Time of the table's clock, seconds.")
    status: Status


class Presets(BaseModel):
    """Saved games with house rules, by name."""

    presets: dict[str, GameChoice]


class StatusRoutes:
    """Reads the service's status and presets."""

    def __init__(self, service: ServicePort, accounts: Accounts, hub: StreamHub) -> None:
        self._service = service
        self._accounts = accounts
        self._hub = hub
        self._schema = _schema_text()

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        register(app, "health", Health, self.health)
        register(app, "status", StatusSnapshot, self.status)
        register(app, "status_schema", dict[str, Any], self.schema)
        register(app, "presets", Presets, self.presets)

    async def health(self) -> Response:
        return json_response({"state": "ok", "first_start": not self._accounts.has_technician})

    async def status(self, request: Request) -> Response:
        identity: Identity = request.scope["state"][IDENTITY]
        return json_response(self._hub.snapshot_message(identity.role))

    async def schema(self) -> Response:
        return text_response(self._schema)

    async def presets(self) -> Response:
        saved = await self._service.presets()
        presets = {name: choice.model_dump(mode="json") for name, choice in saved.items()}
        return json_response({"presets": presets})


METRICS_TEXT = "text/plain; version=0.0.4; charset=utf-8"


class Scraped(Protocol):
    """The metrics of a service."""

    async def scrape(self, api: ApiFigures) -> Callable[[], bytes]:
        """A function that makes the text of the present values; it may run in any thread."""


class MetricsRoutes:
    """Serves the metrics: the table's loop reads the values, the worker thread encodes them."""

    def __init__(self, metrics: Scraped, hub: StreamHub, worker: WorkerThread) -> None:
        self._metrics = metrics
        self._hub = hub
        self._worker = worker

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoint."""
        register(app, "metrics", None, self.metrics, 503, media="text/plain")

    async def metrics(self) -> Response:
        api = ApiFigures(streams=self._hub.watchers, clients=self._hub.clients)
        try:
            text = await self._worker.run(await self._metrics.scrape(api))
        except WorkerBusyError as error:
            raise ProblemError(503, "busy", str(error), "Send fewer requests.") from None
        return Response(text, headers={"Cache-Control": "no-store"}, media_type=METRICS_TEXT)
