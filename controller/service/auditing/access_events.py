"""The events of requests that change something, and of refused commands, which are limited."""

from __future__ import annotations

from collections.abc import Callable

MOST_REFUSALS = 60
"""Number of refused requests that are recorded in a minute (our choice)."""
_REFUSED = 400


class RefusedCommands:
    """Makes the events of refused commands: their kind and the reason, never the arguments.

    At most 60 are recorded in a minute; the next recorded one has the number of those that were
    not. `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._minute = _Minute(clock)

    def event(self, command: str, code: str) -> dict[str, object] | None:
        """The details of the event of a refused command; None if it is not recorded."""
        details: dict[str, object] = {"command": command, "code": code}
        return details if self._minute.permits(details) else None


class _Minute:
    """Counts refusals in a minute of the clock, and returns how many were not recorded before."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._refused = (0, 0)
        """A minute of the clock, and the number of refusals in it."""

    def permits(self, details: dict[str, object]) -> bool:
        """Whether one more refusal is recorded; adds the number of those that were not."""
        minute = int(self._clock() // 60)
        if minute != self._refused[0]:
            if self._refused[1] > MOST_REFUSALS:
                details["not_recorded"] = self._refused[1] - MOST_REFUSALS
            self._refused = (minute, 0)
        self._refused = (minute, self._refused[1] + 1)
        return self._refused[1] <= MOST_REFUSALS


class AccessEvents:
    """Makes the event of each request; `clock` returns seconds.

    At most 60 refused requests are recorded in a minute: without that limit, requests of a stranger
    could fill the disk. The next recorded one has the number of those that were not.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._minute = _Minute(clock)

    def event(self, what: str, status: int, path: str) -> tuple[str, dict[str, object]] | None:
        """The kind and the details of the event of a request; None if it is not recorded."""
        details: dict[str, object] = {"status": status, "path": path}
        if status < _REFUSED:
            return what, details
        return (f"{what}_refused", details) if self._minute.permits(details) else None
