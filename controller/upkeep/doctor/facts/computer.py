"""The computer: its clock, its power supply, temperature, memory and load, and the service's unit.

The clock's facts are whether it survives a power cut, is set by a network, and went back. Facts of
the unit exist where systemd runs.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from controller.upkeep.doctor.fact_files import FactFiles, whole

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


_THROTTLED = "/sys/devices/platform/soc/soc:firmware/get_throttled"
_NO_LIMIT = 1 << 60
"""A limit of memory that is at least this, in bytes, is none."""


@dataclass(frozen=True)
class PowerFacts:
    """The bits that a Raspberry Pi reports about its supply, and the alarm of its voltage sensor.

    Bits 0 to 3 are the present state: under-voltage, limited frequency, throttling, temperature
    limit; bits 16 to 19 say the same of the time since the start of the computer.
    """

    throttled: int | None = None
    voltage_alarm: bool | None = None
    hottest: float | None = None
    """The highest temperature of the thermal zones, degrees Celsius."""


@dataclass(frozen=True)
class LoadFacts:
    """Memory in bytes, and the load: processes that want to run, averaged over 15 minutes."""

    total: int | None = None
    available: int | None = None
    swap_used: int | None = None
    load: float | None = None
    processors: int | None = None
    limit: int | None = None
    """The smallest limit of memory of the control groups above this process."""
    killed: int | None = None
    """Processes of the control group that the kernel has ended for lack of memory."""


def read_power(files: FactFiles) -> PowerFacts:
    """The supply and the temperature."""
    answer = files.text(_THROTTLED) or files.command("vcgencmd", ["get_throttled"]) or ""
    bits = re.search(r"(?:0x|^)([0-9a-fA-F]{1,8})$", answer)
    alarm = None
    for name in files.names("/sys/class/hwmon"):
        folder = f"/sys/class/hwmon/{name}"
        if files.text(f"{folder}/name") == "rpi_volt":
            state = files.whole(f"{folder}/in0_lcrit_alarm")
            alarm = None if state is None else state != 0
    zones = [
        files.whole(f"/sys/class/thermal/{name}/temp")
        for name in files.names("/sys/class/thermal")
        if name.startswith("thermal_zone")
    ]
    # Sensors that are absent report values such as -273 °C.
    degrees = [zone / 1000 for zone in zones if zone is not None and -40_000 <= zone <= 200_000]
    return PowerFacts(int(bits[1], 16) if bits else None, alarm, max(degrees, default=None))


def read_load(files: FactFiles, unit: str) -> LoadFacts:
    """Memory and load; the control group is that of the service, if it runs."""
    memory = {}
    for line in (files.text("/proc/meminfo") or "").splitlines():
        found = re.fullmatch(r"(\w+):\s+(\d{1,15}) kB", line.strip())
        if found:
            memory[found[1]] = int(found[2]) * 1024
    free, swap = memory.get("SwapFree"), memory.get("SwapTotal")
    load = re.fullmatch(
        r"\d+\.\d+ \d+\.\d+ (\d{1,6}\.\d+) .*", files.text("/proc/loadavg") or "", re.ASCII
    )
    group = _group(files, unit)
    return LoadFacts(
        memory.get("MemTotal"),
        memory.get("MemAvailable"),
        None if free is None or swap is None else max(0, swap - free),
        float(load[1]) if load else None,
        _processors(files),
        _limit(files, group),
        _killed(files, group),
    )


def _processors(files: FactFiles) -> int | None:
    """The number of processors that are on, from text such as 0-3,5."""
    text = files.text("/sys/devices/system/cpu/online") or ""
    if not re.fullmatch(r"\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*", text, re.ASCII):
        return None
    ranges = [part.split("-") for part in text.split(",")]
    return sum(max(0, int(each[-1]) - int(each[0]) + 1) for each in ranges) or None


def _group(files: FactFiles, unit: str) -> str | None:
    """The path of the control group of the service, or else of this process."""
    own = f"/system.slice/{unit}"
    if files.exists(f"/sys/fs/cgroup{own}"):
        return own
    for line in (files.text("/proc/self/cgroup") or "").splitlines():
        if line.startswith("0::/") and ".." not in line:
            return line.removeprefix("0::").rstrip("/")
    return None


def _limit(files: FactFiles, group: str | None) -> int | None:
    if group is None:
        return None
    parts = group.split("/")
    limits = [
        whole(files.text(f"/sys/fs/cgroup{'/'.join(parts[:depth])}/memory.max"))
        for depth in range(1, len(parts) + 1)
    ]
    return min((each for each in limits if each is not None and each < _NO_LIMIT), default=None)


def _killed(files: FactFiles, group: str | None) -> int | None:
    text = files.text(f"/sys/fs/cgroup{group}/memory.events") if group is not None else None
    found = re.search(r"^oom_kill (\d{1,9})$", text or "", re.MULTILINE | re.ASCII)
    return int(found[1]) if found else None


_PROPERTIES = (
    "LoadState,ActiveState,SubState,Result,NRestarts,WatchdogUSec,ExecMainStatus,UnitFileState"
)


@dataclass(frozen=True)
class UnitFacts:
    """The state of a unit; `state` is None if systemd does not run here or does not answer."""

    name: str
    loaded: bool = False
    state: str | None = None
    result: str = ""
    restarts: int | None = None
    watchdog: str = ""
    enabled: str = ""


def read_unit(files: FactFiles, name: str) -> UnitFacts:
    """The state of the unit of the service."""
    if not files.exists("/run/systemd/system"):
        return UnitFacts(name)
    answer = files.command("systemctl", ["show", name, f"--property={_PROPERTIES}"])
    values = dict(line.partition("=")[::2] for line in (answer or "").splitlines())
    if "ActiveState" not in values:
        return UnitFacts(name)
    return UnitFacts(
        name,
        values.get("LoadState") == "loaded",
        values["ActiveState"],
        values.get("Result", ""),
        whole(values.get("NRestarts")),
        values.get("WatchdogUSec", ""),
        values.get("UnitFileState", ""),
    )
