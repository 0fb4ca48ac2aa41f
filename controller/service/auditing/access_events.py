"""The events of requests that change something, such as a login; refused ones are limited."""

from __future__ import annotations

from collections.abc import Callable

MOST_REFUSALS = 60
"""Number of refused requests that are recorded in a minute (our choice)."""
_REFUSED = 400


class AccessEvents:
    """Makes the event of each request; `clock` returns seconds.

    At most 60 refused requests are recorded in a minute: without that limit, requests of a stranger
    could fill the disk. The next recorded one has the number of those that were not.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._refused = (0, 0)
        """A minute of the clock, and the number of refused requests in it."""

    def event(self, what: str, status: int, path: str) -> tuple[str, dict[str, object]] | None:
        """The kind and the details of the event of a request; None if it is not recorded."""
        details: dict[str, object] = {"status": status, "path": path}
        if status < _REFUSED:
            return what, details
        minute = int(self._clock() // 60)
        if minute != self._refused[0]:
            details["not_recorded"] = max(0, self._refused[1] - MOST_REFUSALS)
            self._refused = (minute, 0)
        self._refused = (minute, self._refused[1] + 1)
        if self._refused[1] > MOST_REFUSALS:
            return None
        return f"{what}_refused", details
