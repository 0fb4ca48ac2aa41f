"""Admits requests of the floor: signed by a permitted key, for this table, once, and in order."""

from __future__ import annotations

from controller.floor.messages import Request, TableAddress, is_signed_by
from controller.floor.settings import RequestKey
from controller.records.audit.errors import NotCanonicalError
from rules.errors import WallwrightError


class ForgedRequestError(WallwrightError):
    """A request without a valid signature for this table and this connection. It gets no reply."""


class RequestRefusedError(WallwrightError):
    """A signed request that the table does not permit; the message is for the person."""


class RequestGate:
    """Checks the requests of one connection, which its random birth id identifies.

    A request carries the birth id and a growing number, so an old one is refused after a reconnect
    and a repeated one within the same connection.
    """

    def __init__(self, address: TableAddress, keys: tuple[RequestKey, ...], birth: str) -> None:
        self._address = address
        self._keys = {each.key.name: each for each in keys}
        self._birth = birth
        self._last: dict[str, int] = {}

    def admit(self, request: Request) -> RequestKey:
        """Return the key of a request that may be executed.

        Raises ForgedRequestError, and RequestRefusedError for a request that the key does not
        permit.
        """
        known = self._keys.get(request.key)
        try:
            is_valid = known is not None and is_signed_by(request, self._address, known.key)
        except NotCanonicalError as error:
            raise ForgedRequestError(f"A request has no canonical form. {error}") from error
        if known is None or not is_valid:
            raise ForgedRequestError(f"A request has no valid signature of the key {request.key}.")
        if request.birth != self._birth:
            raise ForgedRequestError("A request is for an earlier connection of this table.")
        if request.number <= self._last.get(known.key.name, -1):
            raise ForgedRequestError(
                f"Request {request.number} of {request.key} was received before."
            )
        self._last[known.key.name] = request.number
        if request.name not in known.may:
            permitted = ", ".join(sorted(known.may)) or "nothing"
            raise RequestRefusedError(
                f"The key {known.key.name} may not request '{request.name}'; this table permits it"
                f" {permitted}."
            )
        return known
