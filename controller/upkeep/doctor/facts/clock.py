"""The computer's clock: whether it survives a power cut, is set by a network, and went back."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from datetime import UTC, datetime

from controller.upkeep.doctor.fact_files import FactFiles

_TIME_ERROR = 5
"""The state that the kernel reports for a clock that nothing sets."""


@dataclass(frozen=True)
class ClockFacts:
    """Seconds since 1970 (UTC) of the clock and of the latest record; None if not known."""

    now: float
    rtc: tuple[str, ...] | None = None
    """The real-time clocks that keep the time without power."""
    synchronised: bool | None = None
    latest_record: float | None = None
    latest_record_of: str = ""
    """The file with the latest record."""


def read_clock(
    files: FactFiles, latest: tuple[float, str] | None, now: float | None = None
) -> ClockFacts:
    """The clock; `latest` is the time of the latest record, and the file that it is in."""
    return ClockFacts(
        now=datetime.now(UTC).timestamp() if now is None else now,
        rtc=files.names("/sys/class/rtc") if files.exists("/sys/class") else None,
        synchronised=_is_synchronised(files),
        latest_record=latest[0] if latest else None,
        latest_record_of=latest[1] if latest else "",
    )


def _is_synchronised(files: FactFiles) -> bool | None:
    if files.exists("/run/systemd/timesync/synchronized"):
        return True
    state = _kernel_state() if files.is_real else None
    if state is not None:
        return state != _TIME_ERROR
    return False if files.exists("/run/systemd/timesync") else None


def _kernel_state() -> int | None:
    """The state of the kernel's clock (adjtimex); None if it does not say."""
    try:
        # The structure starts with `modes`: 0 reads. Its size is 208 bytes on every architecture.
        state = int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512)))
    except (AttributeError, OSError):
        return None
    return state if state >= 0 else None
