"""Endpoints of the picture: geometry, preview of a deal, and the replay of a recorded hand."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI
from pydantic import Field
from starlette.responses import Response

from config.errors import ConfigErrors
from config.loader import load_game
from config.schema import Table
from controller.service.port import HandRecord, ServicePort
from controller.service.status import GameChoice, Value
from controller.web.api.problems import ProblemError, unknown
from controller.web.api.routes.history import HandNumber, SessionId
from controller.web.api.routes.registration import register, text_response
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread
from controller.web.panel.geometry import geometry
from controller.web.panel.preview import DealPreview, preview_deal
from controller.web.panel.replay_export import export_replay, recorded_geometry
from controller.web.panel.scene_geometry import TableGeometry
from rules.errors import WallwrightError
from rules.games import GAMES

HTML = "text/html; charset=utf-8"
Face = Annotated[int, Field(ge=1, le=6)]


class PreviewRequest(Value):
    """A choice of game, house rules and answers, and the throws so far; others are made up."""

    choice: GameChoice
    throws: Annotated[tuple[tuple[Face, ...], ...], Field(max_length=40)] = ()


class PictureRoutes:
    """Describes the table for the panel's picture, in a worker thread."""

    def __init__(self, service: ServicePort, worker: WorkerThread, table: Table | None) -> None:
        self._service = service
        self._worker = worker
        self._table = table
        self._last: tuple[GameChoice | None, str] | None = None

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        register(app, "geometry", TableGeometry, self.geometry, 404, 422, 503)
        register(app, "preview", DealPreview, self.preview, 404, 503)
        register(app, "replay", None, self.replay, 404, 503, media=HTML)

    async def geometry(self) -> Response:
        now = self._service.feed.status.programme.now
        if self._last is None or self._last[0] != now:
            self._last = (now, await self._run(_geometry_text, now))
        return text_response(self._last[1])

    async def preview(self, body: PreviewRequest) -> Response:
        return text_response(await self._run(_preview_text, body))

    async def replay(self, session: SessionId, hand: HandNumber) -> Response:
        record = await self._service.record(session, hand)
        if record is None or record.choice is None:
            raise unknown("hand", f"{hand} of session {session}", "See the session's results.")
        page = await self._run(_replay_page, record)
        # The page has scripts of its own, which the policy of this address forbids: it is saved.
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="hand-{hand}.html"',
        }
        return Response(page, headers=headers, media_type=HTML)

    async def _run(self, job: Any, asked: object) -> str:
        if self._table is None:
            raise ProblemError(
                404, "no_picture", "This service has no table's file, so there is no picture."
            )
        try:
            return str(await self._worker.run(job, self._table, asked))
        except WorkerBusyError as error:
            raise ProblemError(503, "busy", str(error), "Try again in a few seconds.") from None
        except ConfigErrors as error:
            detail = " ".join(str(each) for each in error.errors[:5])
            raise _impossible(detail) from None
        except WallwrightError as error:
            raise _impossible(str(error)) from None


def _impossible(detail: str) -> ProblemError:
    return ProblemError(
        422, "impossible_choice", detail, "See `GET /api/v1/games` for the games and their rules."
    )


def _geometry_text(table: Table, choice: GameChoice | None) -> str:
    config = load_game(choice.game) if choice is not None else None
    return geometry(table, config, choice).model_dump_json()


def _preview_text(table: Table, asked: PreviewRequest) -> str:
    if asked.choice.game not in GAMES:
        raise _impossible(f"There is no game '{asked.choice.game[:40]}'.")
    config = load_game(asked.choice.game)
    return preview_deal(table, config, asked.choice, asked.throws).model_dump_json()


def _replay_page(table: Table, record: HandRecord) -> str:
    assert record.choice is not None
    return export_replay(record, recorded_geometry(record, table, record.choice))
