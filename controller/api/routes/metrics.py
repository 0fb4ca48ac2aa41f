"""The endpoint for Prometheus: the metrics of the table as text."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.responses import Response

from controller.api.problems import ProblemError
from controller.api.routes.registration import register
from controller.api.stream.hub import StreamHub
from controller.api.worker_thread import WorkerBusyError, WorkerThread
from controller.metrics.readings import ApiFigures
from controller.metrics.table_metrics import TableMetrics

TEXT = "text/plain; version=0.0.4; charset=utf-8"


class MetricsRoutes:
    """Serves the metrics: values are read in the event loop and encoded in the worker thread."""

    def __init__(self, metrics: TableMetrics, hub: StreamHub, worker: WorkerThread) -> None:
        self._metrics = metrics
        self._hub = hub
        self._worker = worker

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoint."""
        register(app, "metrics", None, self.metrics, 503, media="text/plain")

    async def metrics(self) -> Response:
        api = ApiFigures(streams=self._hub.watchers, clients=self._hub.clients)
        try:
            text = await self._worker.run(self._metrics.scrape(api))
        except WorkerBusyError as error:
            raise ProblemError(503, "busy", str(error), "Ask less often.") from None
        return Response(text, headers={"Cache-Control": "no-store"}, media_type=TEXT)
