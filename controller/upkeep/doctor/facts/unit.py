"""The service's unit of systemd, where systemd runs."""

from __future__ import annotations

from dataclasses import dataclass

from controller.upkeep.doctor.fact_files import FactFiles, whole

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
