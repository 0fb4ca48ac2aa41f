"""Endpoints of the present state: health, status and its schema, presets, metrics, diagnostics.

The diagnostics are for technicians: the bundle, the self-test report, the proposed change.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import cache
from typing import Any, Literal, Protocol

from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from controller.service.port import ServicePort
from controller.service.status import GameChoice, Status
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.accounts.identity import Identity
from controller.web.api.json_text import json_text
from controller.web.api.problems import ProblemError
from controller.web.api.request_guard import IDENTITY
from controller.web.api.routes.registration import json_response, register, text_response
from controller.web.api.stream import StreamHub
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


ZIP = "application/zip"
MARKDOWN = "text/markdown; charset=utf-8"
DIFF = "text/x-diff; charset=utf-8"
CHUNK = 64 * 1024
"""Bytes of the bundle that are sent at once; between two chunks the event loop does other work."""


class DiagnosticRoutes:
    """Serves what a technician sends to an engineer; the bundle is made in a worker thread."""

    def __init__(self, service: ServicePort, worker: WorkerThread) -> None:
        self._service = service
        self._worker = worker

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        register(app, "diagnostics", None, self.diagnostics, 503, media=ZIP)
        register(app, "selftest", None, self.selftest, 404, media=MARKDOWN)
        register(app, "change", None, self.change, 404, media=DIFF)

    async def diagnostics(self) -> Response:
        try:
            found = await self._worker.run(await self._service.diagnostics())
        except WorkerBusyError as error:
            raise ProblemError(503, "busy", str(error), "Try again in a few seconds.") from None
        except OSError as error:
            raise ProblemError(
                503, "not_readable", f"The journal cannot be read ({error.strerror}).", "Try again."
            ) from None
        headers = _headers("diagnostics.zip") | {"Content-Length": str(len(found))}
        return StreamingResponse(_chunks(found), headers=headers, media_type=ZIP)

    async def selftest(self) -> Response:
        page = await self._service.selftest_page()
        if page is None:
            raise ProblemError(
                404,
                "no_selftest",
                "No part was tested in service mode since the service started.",
                "Run a test programme in service mode.",
            )
        return Response(page, headers=_headers("selftest.md"), media_type=MARKDOWN)

    async def change(self) -> Response:
        mode = self._service.feed.status.service_mode
        if mode is None or mode.change is None:
            raise ProblemError(
                404,
                "no_change",
                "No change of the table's file is proposed now.",
                "Run a calibration in service mode.",
            )
        return Response(mode.change.diff, headers=_headers("change.diff"), media_type=DIFF)


def _headers(file: str) -> dict[str, str]:
    return {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="{file}"',
    }


async def _chunks(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), CHUNK):
        yield content[start : start + CHUNK]
        await asyncio.sleep(0)
