"""The endpoint for Prometheus: the metrics of the table as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from fastapi import FastAPI
from starlette.responses import Response

from controller.web.api.problems import ProblemError
from controller.web.api.routes.registration import register
from controller.web.api.stream.hub import StreamHub
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread
from controller.web.metrics.readings import ApiFigures

TEXT = "text/plain; version=0.0.4; charset=utf-8"


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
            raise ProblemError(503, "busy", str(error), "Ask less often.") from None
        return Response(text, headers={"Cache-Control": "no-store"}, media_type=TEXT)
