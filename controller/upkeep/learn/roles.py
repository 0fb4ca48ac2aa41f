"""The roles of a table: the motors and sensors that a table like it has, and what belongs together.

A role is a channel of the model table; learning finds the wire for each role.
"""

from __future__ import annotations

from dataclasses import dataclass

from config.schema import MotorChannel, SensorChannel, Table
from config.validation.channels import plugs


@dataclass(frozen=True)
class Role:
    """A motor or sensor of the model table: its channel, and its name for people."""

    channel: str
    label: str
    reverses: bool = False
    far: str = ""
    """The sensor at the end of a motor's forward travel, if it has two ends."""
    near: str = ""
    """The sensor at the end of its reverse travel."""

    @property
    def travels(self) -> bool:
        """Whether the part moves between two limit switches."""
        return bool(self.far and self.near)


def motor_roles(table: Table) -> dict[str, Role]:
    """The motors of a table by channel, in the order of its modules."""
    found = {}
    for channel, label in _labels(table):
        config = table.channel(channel)
        if isinstance(config, MotorChannel):
            reverses = config.reverse_pin is not None
            far, near = config.forward_stop or "", config.reverse_stop or ""
            found[channel] = Role(channel, label, reverses, far, near)
    return found


def sensor_roles(table: Table) -> dict[str, Role]:
    """The sensors of a table by channel, without emergency stop and light curtain."""
    safety = {*table.modules.emergency, *table.modules.curtain}
    return {
        channel: Role(channel, label)
        for channel, label in _labels(table)
        if isinstance(table.channel(channel), SensorChannel) and channel not in safety
    }


def _labels(table: Table) -> list[tuple[str, str]]:
    """Each channel that a module names, once, with a name such as `heads ports 2 wheel`."""
    found: dict[str, str] = {}
    for path, _, channel in plugs(table.modules, ("modules",)):
        found.setdefault(channel, f"{channel} ({' '.join(str(step) for step in path[1:])})")
    return list(found.items())
