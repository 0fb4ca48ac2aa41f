"""Endpoints of the past: sessions, results, records of hands, cases made from them, the journal.

Also its proof: events of the audit log, the last ten rounds, and their receipts. Long lists are
paged.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response, StreamingResponse

from config.judge_cases import HandLines, RecordedCase, session_case
from controller.records.audit.receipts import receipt_page, receipt_text
from controller.service.port import ServicePort
from controller.service.status import GameChoice, HandResult, ResultQuestion
from controller.web.api.problems import ProblemError, unknown
from controller.web.api.routes.registration import json_response, register
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread
from rules.errors import RulesError, WallwrightError

NDJSON = "application/x-ndjson"
LINES = 100
"""Journal lines in a chunk; between two chunks the event loop does other work."""
_HIGHEST = 2**53
_NUMBER = re.compile(r'\{"number":([0-9]{1,18}),')

SessionId = Annotated[str, Path(max_length=100, description="Id of a session.")]
HandNumber = Annotated[int, Path(ge=0, le=_HIGHEST, description="Number of a hand of the session.")]
Limit = Annotated[int, Query(ge=1, le=200, description="Most entries of the page.")]
After = Annotated[
    int, Query(ge=0, le=_HIGHEST, description="Number of the last entry of the page before.")
]


class SessionEntry(BaseModel):
    """A session; `ended` is empty for the present one."""

    id: str
    started: str
    ended: str
    game: str
    title: str
    rounds: int
    names: list[str]
    scores: list[float]


class SessionPage(BaseModel):
    """Sessions, latest first; `next` is the `before` of the next page, null after the last one."""

    sessions: list[SessionEntry]
    next: str | None


class ResultPage(BaseModel):
    """Results of hands in order; `next` is the `after` of the next page, null after the last."""

    results: list[HandResult]
    next: int | None


class RecordAnswer(BaseModel):
    """The record of one hand: lines for `wallwright replay`, and the hand's events."""

    session: str
    number: int
    lines: list[str]
    events: list[dict[str, Any]] = Field(
        description="Events as docs/reference/EVENTS.md lists them."
    )
    choice: GameChoice | None = Field(default=None, description="The game with its house rules.")


class HistoryRoutes:
    """Reads what the service has recorded."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        register(app, "sessions", SessionPage, self.sessions, 422)
        register(app, "results", ResultPage, self.results)
        register(app, "result_form", ResultQuestion, self.result_form, 404)
        register(app, "record", RecordAnswer, self.record, 404)
        register(app, "journal", None, self.journal, 422, media=NDJSON)
        register(app, "journal_file", None, self.journal_file, 422, media=NDJSON)

    async def sessions(
        self,
        before: Annotated[
            str | None, Query(max_length=100, description="Id of the last session before.")
        ] = None,
        limit: Limit = 50,
    ) -> Response:
        found = await self._service.sessions(before, limit)
        more = found[-1].id if len(found) == limit else None
        return json_response({"sessions": [asdict(each) for each in found], "next": more})

    async def results(self, session: SessionId, after: After = 0, limit: Limit = 50) -> Response:
        found = await self._service.results(session, after, limit)
        more = found[-1].number if len(found) == limit else None
        results = [each.model_dump(mode="json") for each in found]
        return json_response({"results": results, "next": more})

    async def result_form(self, session: SessionId, hand: HandNumber) -> Response:
        found = await self._service.result_question(session, hand)
        if found is None:
            raise ProblemError(
                404,
                "unknown",
                f"Hand {hand} of session {session} has not been played since the table started.",
                "Its result stays as it is.",
            )
        return json_response(found.model_dump(mode="json"))

    async def record(self, session: SessionId, hand: HandNumber) -> Response:
        found = await self._service.record(session, hand)
        if found is None:
            raise unknown("hand", f"{hand} of session {session}", "See the session's results.")
        choice = None if found.choice is None else found.choice.model_dump(mode="json")
        return json_response({**asdict(found), "choice": choice})

    async def journal(self, after: After = 0, limit: Limit = 50) -> Response:
        lines = await self._service.journal_lines(after, limit)
        text = "".join(f"{line}\n" for line in lines)
        return Response(text, headers={"Cache-Control": "no-store"}, media_type=NDJSON)

    async def journal_file(self, after: After = 0) -> Response:
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": 'attachment; filename="journal.ndjson"',
        }
        return StreamingResponse(self._chunks(after), headers=headers, media_type=NDJSON)

    async def _chunks(self, after: int) -> AsyncIterator[str]:
        """The journal's lines in chunks, up to the last line that is there now."""
        while lines := await self._service.journal_lines(after, LINES):
            yield "".join(f"{line}\n" for line in lines)
            number = _NUMBER.match(lines[-1])
            after = int(number[1]) if number is not None else after + len(lines)
            if len(lines) < LINES:
                return
            await asyncio.sleep(0)


YAML = "application/yaml"

CaseSeat = Annotated[
    int | None,
    Query(ge=0, le=7, description="The seat of the case, in a game whose cases depend on it."),
]


class CaseAnswer(BaseModel):
    """The case of one hand: `POST /judge/{game}` judges `case`."""

    session: str
    hand: int
    game: str
    settled: str = Field(description="The result by which the table settled the hand.")
    seats: list[int] = Field(
        description="Seats of which a case can be made; empty if the case does not depend on it."
    )
    case: dict[str, Any]


class CaseRoutes:
    """Makes judge cases from the records of a session, in the judge's worker thread."""

    def __init__(self, service: ServicePort, worker: WorkerThread) -> None:
        self._service = service
        self._worker = worker

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        register(app, "case", CaseAnswer, self.case, 404, 409, 503)
        register(app, "case_file", None, self.case_file, 404, 409, 503, media=YAML)

    async def case(self, session: SessionId, hand: HandNumber, seat: CaseSeat = None) -> Response:
        made = await self._made(session, hand, seat)
        answer = CaseAnswer(
            session=session,
            hand=hand,
            game=str(made.facts["game"]),
            settled=made.settled,
            seats=list(made.seats),
            case=made.facts,
        )
        return json_response(answer.model_dump())

    async def case_file(
        self, session: SessionId, hand: HandNumber, seat: CaseSeat = None
    ) -> Response:
        made = await self._made(session, hand, seat)
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="case-{hand}.yaml"',
        }
        text = made.text(f"Hand {hand} of the session {session}")
        return Response(text, headers=headers, media_type=YAML)

    async def _made(self, session: str, hand: int, seat: int | None) -> RecordedCase:
        """The case. Raises ProblemError if there is no such hand, or no case of it."""
        hands: list[HandLines] = [*await self._service.record_lines(session, hand)]
        if not hands or hands[-1][0] != hand:
            raise unknown("hand", f"{hand} of session {session}", "See the session's results.")
        try:
            return await self._worker.run(session_case, hands, hand, seat)
        except WorkerBusyError as error:
            raise ProblemError(503, "busy", str(error), "Try again in a few seconds.") from None
        except RulesError as error:
            raise ProblemError(
                409, "no_case", str(error), "Enter the hand in the judge by its tiles."
            ) from None


JSON, TEXT, PDF = "application/json", "text/plain; charset=utf-8", "application/pdf"

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
    return receipt_text(receipt).encode()


def _as_text(receipt: dict[str, Any]) -> bytes:
    return receipt_page(receipt).encode()


def _as_pdf(receipt: dict[str, Any]) -> bytes:
    from controller.records.audit.receipt_pdf import receipt_pdf  # noqa: PLC0415 - takes 0.3 s

    return receipt_pdf(receipt)
