"""Endpoints of the proof: events of the audit log, the last ten rounds, and their receipts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import FastAPI, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from controller.service.port import ServicePort
from controller.web.api.problems import ProblemError, unknown
from controller.web.api.routes.history import NDJSON, HandNumber, Limit, SessionId
from controller.web.api.routes.registration import json_response, register
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread
from rules.errors import WallwrightError

JSON, TEXT, PDF = "application/json", "text/plain; charset=utf-8", "application/pdf"
_HIGHEST = 2**53

First = Annotated[
    int, Query(ge=0, le=_HIGHEST, description="Index of the first event: the number that you have.")
]


class RoundsAnswer(BaseModel):
    """Contents of receipts; `event` in them is the index of the audit log's event."""

    rounds: list[dict[str, Any]] = Field(description="The last ten rounds, in order.")
    unfinished: dict[str, Any] | None = Field(description="The round in progress, or null.")


class ProofRoutes:
    """Reads the audit log and makes receipts, in the worker thread."""

    def __init__(self, service: ServicePort, worker: WorkerThread) -> None:
        self._service = service
        self._worker = worker

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        errors = (404, 422, 503)
        register(app, "audit_events", None, self.audit_events, 422, 503, media=NDJSON)
        register(app, "rounds", RoundsAnswer, self.rounds)
        register(app, "receipt", dict[str, Any], self.receipt, *errors)
        register(app, "receipt_text", None, self.receipt_text, *errors, media="text/plain")
        register(app, "receipt_pdf", None, self.receipt_pdf, *errors, 501, media=PDF)

    async def audit_events(self, first: First = 0, limit: Limit = 50) -> Response:
        try:
            lines = await self._service.audit_lines(first, limit)
        except WallwrightError as error:
            raise _unreadable(error) from None
        text = "".join(f"{line}\n" for line in lines)
        return Response(text, headers={"Cache-Control": "no-store"}, media_type=NDJSON)

    async def rounds(self) -> Response:
        found = await self._service.last_rounds()
        return json_response({"rounds": list(found.rounds), "unfinished": found.unfinished})

    async def receipt(self, session: SessionId, hand: HandNumber) -> Response:
        return await self._file(session, hand, "json", JSON, _as_json)

    async def receipt_text(self, session: SessionId, hand: HandNumber) -> Response:
        return await self._file(session, hand, "txt", TEXT, _as_text)

    async def receipt_pdf(self, session: SessionId, hand: HandNumber) -> Response:
        return await self._file(session, hand, "pdf", PDF, _as_pdf)

    async def _file(
        self,
        session: str,
        hand: int,
        ending: str,
        media: str,
        written: Callable[[dict[str, Any]], bytes],
    ) -> Response:
        """The file of a receipt. Raises ProblemError."""
        try:
            receipt = await self._service.receipt(session, hand)
            if receipt is None:
                raise unknown(
                    "receipt",
                    f"{hand} of session {session}",
                    "The service has receipts of the last ten rounds; `wallwright audit receipt"
                    " --event` makes older ones.",
                )
            data = await self._worker.run(written, receipt)
        except ModuleNotFoundError as error:
            raise ProblemError(
                501,
                "package_missing",
                f"A receipt as {ending.upper()} needs the package '{error.name}', which is not"
                " installed here.",
                "Ask a technician to install the extra: pip install 'wallwright[paper]'; or take"
                " receipt.txt or receipt.json.",
            ) from None
        except WorkerBusyError as error:
            raise ProblemError(503, "busy", str(error), "Try again in a few seconds.") from None
        except ProblemError:
            raise
        except WallwrightError as error:
            raise _unreadable(error) from None
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="receipt-{hand}.{ending}"',
        }
        return Response(data, headers=headers, media_type=media)


def _unreadable(error: WallwrightError) -> ProblemError:
    return ProblemError(503, "audit", str(error), "Call a technician: the log must be repaired.")


def _as_json(receipt: dict[str, Any]) -> bytes:
    from controller.records.audit.receipts import receipt_text  # noqa: PLC0415 - seldom used

    return receipt_text(receipt).encode()


def _as_text(receipt: dict[str, Any]) -> bytes:
    from controller.records.audit.receipts import receipt_page  # noqa: PLC0415 - seldom used

    return receipt_page(receipt).encode()


def _as_pdf(receipt: dict[str, Any]) -> bytes:
    from controller.records.audit.receipts import receipt_pdf  # noqa: PLC0415 - seldom used

    return receipt_pdf(receipt)
