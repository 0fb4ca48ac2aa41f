"""The endpoints by which a technician retires, unretires and renames tables of the floor.

The database keeps each change with the person; `record_table_changes` writes it to the audit log.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import FastAPI, Request
from pydantic import Field
from sqlalchemy import Connection
from starlette.responses import Response

from controller.floor.figures.table_use import retire_unless_in_use
from controller.floor.page.endpoints import OWN_BY_NAME
from controller.floor.page.figures_source import FiguresSource
from controller.floor.page.room_feed import RoomFeed
from controller.floor.page.routes import TableName, person_of
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
from controller.web.api.audited_requests import DETAILS, RECORDED
from controller.web.api.request_guard import ADDRESS
from controller.web.api.routes.registration import json_response

_Reason = Annotated[str, Field(max_length=LONGEST_REASON, pattern=r"^[^\x00-\x1f\x7f]*$")]


class RetirementBody(Value):
    """Why a table leaves. `confirmed` permits that it is in play or has an open alarm."""

    reason: _Reason = ""
    confirmed: bool = False


class ReasonBody(Value):
    """Why a table comes back."""

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
        routes: dict[str, Callable[..., Awaitable[Response]]] = {
            "floor_retired": self.retired,
            "retire_table": self.retire,
            "unretire_table": self.unretire,
            "rename_table": self.rename,
        }
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
