"""All that the page can use of the floor service: the room, the database, and requests to tables.

The page's application is made by a function that takes a `FloorPort`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection

from controller.floor.messages import TableAddress
from controller.floor.server.room import Room

Result = TypeVar("Result")


@dataclass(frozen=True)
class RequestOutcome:
    """A request's number, and the table's reply; `accepted` is None if no reply came in time."""

    number: int
    accepted: bool | None
    sentence: str


class FloorPort(Protocol):
    """The floor service, for the page."""

    @property
    def room(self) -> Room:
        """The present state of every table."""
        ...

    async def read(self, query: Callable[[Connection], Result]) -> Result:
        """Run a query that changes nothing, in a worker thread and a transaction of its own.

        Raises StoreUnavailableError when the database cannot be reached, and WorkerBusyError when
        too many queries wait.
        """
        ...

    async def write(self, change: Callable[[Connection], Result]) -> Result:
        """Run a change, such as an acknowledgement, as `read` runs a query; committed at its end.

        Raises StoreUnavailableError and WorkerBusyError.
        """
        ...

    async def refresh_tables(self) -> None:
        """Apply labels and retirements that `write` has stored to the room.

        Raises StoreUnavailableError and WorkerBusyError.
        """
        ...

    async def request(
        self,
        address: TableAddress,
        name: str,
        arguments: Mapping[str, Any],
        who: str,
        role: str,
    ) -> RequestOutcome:
        """Send a signed request to a table and wait for its reply, 10 s at most.

        The request is stored before it is sent. Raises StoreUnavailableError, and
        RequestNotSentError when the table or the broker is not connected.
        """
        ...

    def metrics(self) -> bytes:
        """The text of the service's metrics, in the format of Prometheus."""
        ...
