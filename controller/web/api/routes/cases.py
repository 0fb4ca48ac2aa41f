"""Endpoints of judge cases that are made from recorded hands."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from config.judge_cases import HandLines, RecordedCase, session_case
from controller.service.port import ServicePort
from controller.web.api.problems import ProblemError, unknown
from controller.web.api.routes.history import HandNumber, SessionId
from controller.web.api.routes.registration import json_response, register
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread
from rules.errors import RulesError

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
