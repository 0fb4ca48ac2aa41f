"""The floor's own endpoints: the room, figures, history, requests, games, reports, table changes.

`TableChangeRoutes` lets a technician retire, unretire and rename tables. The database keeps each
change with the person; `record_table_changes` writes it to the audit log.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request
from pydantic import Field
from sqlalchemy import Connection
from starlette.responses import Response

from config.loader import game_names, load_game
from config.validation.game_parameters import house_rules_form
from controller.floor.figures.alarms import Acknowledgement, acknowledge
from controller.floor.figures.table_figures import Window
from controller.floor.figures.table_use import retire_unless_in_use
from controller.floor.messages import NAME, TableAddress
from controller.floor.page.endpoints import OWN_BY_NAME
from controller.floor.page.figures_source import HOURS, FiguresSource
from controller.floor.page.history import read_history
from controller.floor.page.pit_report import PitReport, read_report, report_csv
from controller.floor.page.room_feed import RoomFeed, RoomStream
from controller.floor.store.table_changes import (
    LONGEST_REASON,
    LONGEST_TITLE,
    ChangedBy,
    FloorTable,
    RecordedChange,
    floor_tables,
    rename_table,
    retirements,
    unretire_table,
)
from controller.service.status import Value
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.accounts.identity import Identity
from controller.web.api.audited_requests import DETAILS, RECORDED
from controller.web.api.endpoints import BY_NAME
from controller.web.api.json_text import json_text
from controller.web.api.problems import ProblemError, unknown
from controller.web.api.request_guard import ADDRESS, IDENTITY
from controller.web.api.routes.registration import json_response, text_response
from controller.web.api.worker_thread import WorkerThread
from rules.games import find_game

Routes = Mapping[str, Callable[..., Awaitable[Response]]]
"""For each endpoint's name, the function that answers it."""


class GameChoices:
    """Makes the list once, in a thread: all games are imported for it."""

    def __init__(self) -> None:
        self._worker = WorkerThread("games")
        self._text = ""

    async def text(self) -> str:
        """The list as a JSON text. Raises WorkerBusyError."""
        if not self._text:
            self._text = await self._worker.run(_games_text)
        return self._text

    def close(self) -> None:
        """End the thread."""
        self._worker.close()


def _games_text() -> str:
    games = [
        {
            "name": name,
            "title": find_game(name).title,
            "house_rules": house_rules_form(load_game(name)),
        }
        for name in game_names()
    ]
    return json_text({"games": games})


TableName = Annotated[str, Path(pattern=f"^{NAME.pattern}$", description="Name of a table.")]
Number = Annotated[int, Path(ge=0, le=2**53)]
Time = Annotated[datetime, Query(description="A time with its zone, as 2026-11-24T18:00:00Z.")]
REQUESTS = ("take_out_of_play", "put_in_play", "choose_next")
"""Requests that a person on the floor can send. None of them moves a part of a table."""


class AcknowledgementBody(Value):
    """A note about an alarm; it can be empty."""

    note: Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""


class RequestBody(Value):
    """A request to a table, by its name, with the arguments of the command of the same name."""

    name: Annotated[str, Field(max_length=40)]
    arguments: dict[str, Any] = Field(default_factory=dict)


class FloorRoutes:
    """Answers from the room and from the database. All texts of tables are sent as JSON."""

    def __init__(
        self, feed: RoomFeed, figures: FiguresSource, accounts: Accounts, games: GameChoices
    ) -> None:
        self.feed = feed
        self._games = games
        self._port = feed.port
        self.figures_source = figures
        self._accounts = accounts

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        health = BY_NAME["health"]
        app.add_api_route(health.full_path, self.health, name="health", response_model=None)
        routes: Routes = {
            "floor": self.floor,
            "floor_stream": self.stream,
            "floor_figures": self.figures,
            "floor_history": self.history,
            "floor_games": self.games,
            "acknowledge": self.acknowledge,
            "request_table": self.request_table,
            "report_csv": self.report_csv,
            "report_pdf": self.report_pdf,
            "floor_metrics": self.metrics,
        }
        _register(app, routes)

    async def health(self) -> Response:
        return json_response({"state": "ok", "first_start": not self._accounts.has_technician})

    async def floor(self) -> Response:
        return text_response(self.feed.snapshot())

    async def stream(self, request: Request) -> Response:
        return RoomStream(self.feed, self._accounts, request.scope["state"][IDENTITY])

    async def figures(self, hours: int = HOURS[1]) -> Response:
        if hours not in HOURS:
            raise ProblemError(
                422,
                "invalid_request",
                f"The figures are computed for {', '.join(map(str, HOURS))} hours; got {hours}.",
                "Use one of them, or a report for any time range.",
            )
        found = await self.figures_source.of_last_hours(hours, self.feed.now())
        return json_response(found.as_json())

    async def history(
        self,
        table: TableName,
        before: Annotated[str, Query(pattern=r"^([0-9]{1,15}\.[0-9]{1,15})?$")] = "",
        everything: bool = False,
    ) -> Response:
        log, _, number = before.partition(".")
        place = (int(log), int(number)) if before else None
        floor = self._port.room.floor
        page = await self._port.read(
            lambda connection: read_history(connection, floor, table, place, all_=everything)
        )
        if page is None:
            raise unknown("table", table, "`GET /api/v1/floor` lists them.")
        return json_response({"events": page.events, "older": page.older})

    async def games(self) -> Response:
        return text_response(await self._games.text())

    async def acknowledge(
        self, request: Request, log: Number, number: Number, body: AcknowledgementBody
    ) -> Response:
        identity = person_of(request)
        await self.feed.read_alarms()
        alarms = self.feed.alarms
        by = Acknowledgement(self.feed.now(), identity.name, body.note)
        request.scope["state"][DETAILS] = {"log": log, "number": number, "note": body.note}
        await self._port.write(lambda connection: acknowledge(connection, log, number, by, alarms))
        await self.feed.read_alarms()
        return json_response({"who": by.who})

    async def request_table(
        self, request: Request, table: TableName, body: RequestBody
    ) -> Response:
        identity = person_of(request)
        address = TableAddress(self._port.room.floor, table)
        if self._port.room.table(address) is None:
            raise unknown("table", table, "`GET /api/v1/floor` lists them.")
        if body.name not in REQUESTS:
            raise unknown("request", body.name, f"The requests are {', '.join(REQUESTS)}.")
        asked = {"table": table, "request": body.name, "arguments": body.arguments}
        request.scope["state"][DETAILS] = asked
        outcome = await self._port.request(
            address, body.name, body.arguments, identity.name, identity.role.value
        )
        request.scope["state"][DETAILS] = {
            **asked,
            "number": outcome.number,
            "accepted": outcome.accepted,
            "sentence": outcome.sentence,
        }
        return json_response(
            {
                "number": outcome.number,
                "accepted": outcome.accepted,
                "sentence": outcome.sentence,
            }
        )

    async def report_csv(self, begin: Time, end: Time) -> Response:
        report = await self._report(begin, end)
        return _file(report_csv(report).encode(), "text/csv; charset=utf-8", report, "csv")

    async def report_pdf(self, begin: Time, end: Time) -> Response:
        from controller.floor.page.pit_report_pdf import report_pdf  # noqa: PLC0415 - takes 0.3 s

        report = await self._report(begin, end)
        return _file(report_pdf(report), "application/pdf", report, "pdf")

    async def metrics(self) -> Response:
        text = self._port.metrics()
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _report(self, begin: datetime, end: datetime) -> PitReport:
        window, now, floor = Window(begin, end), self.feed.now(), self._port.room.floor
        return await self._port.read(lambda connection: read_report(connection, floor, window, now))


def person_of(request: Request) -> Identity:
    """The person who sends the request. Raises ProblemError for a device or a program."""
    identity: Identity = request.scope["state"][IDENTITY]
    if identity.kind != "login":
        raise ProblemError(
            403,
            "person_required",
            "Only a person can send this request, not a device or a program.",
            "Log in with a name and a password.",
        )
    return identity


def _file(body: bytes, media: str, report: PitReport, ending: str) -> Response:
    name = f"pit-report-{report.window.begin:%Y%m%d-%H%M}.{ending}"
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
    }
    return Response(body, 200, headers, media)


_Reason = Annotated[str, Field(max_length=LONGEST_REASON, pattern=r"^[^\x00-\x1f\x7f]*$")]


class RetirementBody(Value):
    """The reason for a retirement. `confirmed` permits that it is in play or has an open alarm."""

    reason: _Reason = ""
    confirmed: bool = False


class ReasonBody(Value):
    """The reason for taking a table back."""

    reason: _Reason = ""


class TitleBody(Value):
    """The new title of a table; an empty one shows the title of the table's own file again."""

    title: Annotated[str, Field(max_length=LONGEST_TITLE)]
    reason: _Reason = ""


class TableChangeRoutes:
    """Changes tables in the database, and then in the room."""

    def __init__(self, feed: RoomFeed, figures: FiguresSource) -> None:
        self._feed, self._port, self._figures = feed, feed.port, figures

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        routes: Routes = {
            "floor_retired": self.retired,
            "retire_table": self.retire,
            "unretire_table": self.unretire,
            "rename_table": self.rename,
        }
        _register(app, routes)

    async def retired(self) -> Response:
        floor = self._port.room.floor

        def query(connection: Connection) -> list[dict[str, object]]:
            acts = retirements(connection, floor)
            tables = floor_tables(connection, floor)
            return [_view(each, acts.get(each.address.table)) for each in tables if each.retired]

        return json_response({"tables": await self._port.read(query)})

    async def retire(self, request: Request, table: TableName, body: RetirementBody) -> Response:
        by, now = _changed_by(request, body.reason), self._feed.now()
        floor, confirmed = self._port.room.floor, body.confirmed
        return await self._change(
            request,
            table,
            body.reason,
            lambda connection: retire_unless_in_use(
                connection, floor, table, by, now, is_confirmed=confirmed
            ),
        )

    async def unretire(self, request: Request, table: TableName, body: ReasonBody) -> Response:
        by, now = _changed_by(request, body.reason), self._feed.now()
        floor = self._port.room.floor
        return await self._change(
            request,
            table,
            body.reason,
            lambda connection: unretire_table(connection, floor, table, by, now),
        )

    async def rename(self, request: Request, table: TableName, body: TitleBody) -> Response:
        by, now = _changed_by(request, body.reason), self._feed.now()
        floor = self._port.room.floor
        return await self._change(
            request,
            table,
            body.reason,
            lambda connection: rename_table(connection, floor, table, body.title, by, now),
        )

    async def _change(
        self,
        request: Request,
        table: str,
        reason: str,
        change: Callable[[Connection], FloorTable],
    ) -> Response:
        """Store a change, then show it. A refused one is recorded with the table and the reason."""
        state = request.scope["state"]
        state[DETAILS] = {"table": table, "reason": reason}
        changed = await self._port.write(change)
        state[RECORDED] = True
        self._figures.forget()
        await self._port.refresh_tables()
        await self._feed.read_alarms()
        return json_response({"table": changed.address.table, "title": changed.title})


def _changed_by(request: Request, reason: str) -> ChangedBy:
    identity = person_of(request)
    address = str(request.scope["state"].get(ADDRESS, ""))
    return ChangedBy(identity.name, identity.role.value, address, reason)


def _view(table: FloorTable, act: RecordedChange | None) -> dict[str, object]:
    """A retired table as a JSON object of the page."""
    assert table.retired is not None
    return {
        "name": table.address.table,
        "title": table.title,
        "at": table.retired.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "who": "" if act is None else act.by.who,
        "reason": "" if act is None else act.by.reason,
    }


def _register(app: FastAPI, routes: Routes) -> None:
    """Add the endpoints of these names, each with its function."""
    for name, function in routes.items():
        endpoint = OWN_BY_NAME[name]
        app.add_api_route(
            endpoint.full_path,
            function,
            methods=[endpoint.method],
            name=name,
            response_model=None,
            summary=endpoint.summary,
        )
