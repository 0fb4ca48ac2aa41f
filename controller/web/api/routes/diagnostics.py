"""Endpoints for technicians: the diagnostics bundle, the self-test report, the proposed change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from fastapi import FastAPI
from starlette.responses import Response, StreamingResponse

from controller.service.port import ServicePort
from controller.web.api.problems import ProblemError
from controller.web.api.routes.registration import register
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread

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
