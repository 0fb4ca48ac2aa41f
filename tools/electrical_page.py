"""Writes the list of electrical profiles in docs/build/RETROFIT.md."""

from __future__ import annotations

from collections.abc import Iterator

from config.electrical_profiles import electrical_profiles
from config.schema.electrical import MotorProfile, SensorProfile
from tools.fit_matrices import with_blocks


def page() -> str:
    """Return the text of docs/build/RETROFIT.md with the current profiles."""
    return with_blocks("docs/build/RETROFIT.md", {"drivers": _drivers, "elements": _elements})


def _drivers() -> Iterator[str]:
    yield "| `driver:` | what it is | directions | dead time | shortest on-time | longest on-time |"
    yield "|---|---|---|---:|---:|---:|"
    for name, profile in electrical_profiles().items():
        if isinstance(profile, MotorProfile):
            defaults, most = profile.defaults, profile.limits.get("max_on")
            longest = f"{most.most:g} s" if most is not None and most.most is not None else "-"
            yield (
                f"| `{name}` | {profile.title} | {'both' if profile.reverses else 'one'} |"
                f" {_seconds(defaults.dead_time)} | {_seconds(defaults.least_on)} | {longest} |"
            )
    yield ""
    for name, profile in electrical_profiles().items():
        if isinstance(profile, MotorProfile):
            yield f"- `{name}`: {' '.join(profile.wiring.split())}"


def _elements() -> Iterator[str]:
    yield "| `element:` | what it is | active | debounce time |"
    yield "|---|---|---|---:|"
    for name, profile in electrical_profiles().items():
        if isinstance(profile, SensorProfile):
            defaults = profile.defaults
            debounce = f"{defaults.debounce_ms:g} ms"
            yield f"| `{name}` | {profile.title} | {defaults.active} | {debounce} |"
    yield ""
    for name, profile in electrical_profiles().items():
        if isinstance(profile, SensorProfile):
            yield f"- `{name}`: {' '.join(profile.wiring.split())}"


def _seconds(value: float | None) -> str:
    return f"{value:g} s" if value else "-"
