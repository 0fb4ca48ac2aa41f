"""Validates limits of motor currents: what the board can measure, and consistent values.

A board measures the current of all its motors together at one pin. The current of a single motor is
measured if a module names an analogue input for it, such as `modules.drum.current`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from config.boards import BoardProfile
from config.errors import Finding
from config.schema import BoardConfig, MotorChannel, Table
from config.validation.board_pins import profiled

LEAST_VOLTS = 0.1
"""The lowest limit at an analogue input, in volts: less cannot be told from noise (our value)."""


def sensed_motors(table: Table) -> Mapping[str, str]:
    """Returns the analogue input of each motor whose current is measured by itself."""
    modules = table.modules
    found = {}
    if modules.drum and modules.drum.current:
        found[modules.drum.motor] = modules.drum.current
    for head in modules.heads.ports if modules.heads else ():
        if head.belt and head.belt_current:
            found[head.belt] = head.belt_current
    return found


def _board_limits(table: Table) -> Iterator[Finding]:
    for name, board, profile in profiled(table):
        limit, path = board.current_limit, ("boards", name, "current_limit")
        if limit is None:
            if board.inrush:
                wrong = f"has no effect without `current_limit` ({board.inrush:g})"
                yield Finding(("boards", name, "inrush"), wrong, "Add `current_limit:`.")
            continue
        most = _measured(profile, board)
        if most is None:
            wrong = f"is not measured by a {profile.name} ({limit:g})"
            yield Finding(path, wrong, "Leave it out, and limit the current in the supply.")
        elif limit >= most:
            wrong = f"is not below {most:g} A, the most that the board can measure ({limit:g})"
            cure = "Use a sensor with more `amperes_per_volt`, or give a lower limit."
            yield Finding(path, wrong, cure)
        elif limit < LEAST_VOLTS * board.amperes_per_volt:
            cure = "Use a sensor with fewer `amperes_per_volt`, or give a higher limit."
            yield Finding(path, _too_low(limit, board.amperes_per_volt), cure)


def _measured(profile: BoardProfile, board: BoardConfig) -> float | None:
    """The highest current of all motors that the pin can measure; None without such a pin."""
    if profile.converter is None or profile.reserved("motor_current") is None:
        return None
    return profile.converter.most_millivolts / 1000 * board.amperes_per_volt


def _too_low(limit: float, amperes_per_volt: float) -> str:
    least = LEAST_VOLTS * amperes_per_volt
    noise = f"the sensor gives {LEAST_VOLTS:g} V, too little to tell from noise"
    return f"is below {least:g} A, where {noise} ({limit:g})"


def _motor_limits(table: Table) -> Iterator[Finding]:
    sensed = sensed_motors(table)
    for name, board, profile in profiled(table):
        for channel, config in board.channels.items():
            if not isinstance(config, MotorChannel):
                continue
            path, limit = ("boards", name, "channels", channel), config.current_limit
            if limit is None:
                if config.inrush:
                    wrong = f"has no effect without `current_limit` ({config.inrush:g})"
                    yield Finding((*path, "inrush"), wrong, "Add `current_limit:`.")
                continue
            most = profile.converter.most_millivolts / 1000 if profile.converter else 0.0
            if sensed.get(channel) not in board.channels:
                wrong = f"is not measured, because no analogue input belongs to it ({limit:g})"
                cure = "Name one in its module, such as `drum.current`, or leave the limit out."
                yield Finding((*path, "current_limit"), wrong, cure)
            elif limit >= most:
                wrong = f"is not below {most:g} A, the most that the board can measure ({limit:g})"
                yield Finding((*path, "current_limit"), wrong, "Give a lower limit.")
            elif limit < LEAST_VOLTS:
                wrong = _too_low(limit, 1.0)
                yield Finding((*path, "current_limit"), wrong, "Give a higher limit.")
            elif board.current_limit is not None and limit > board.current_limit:
                wrong = f"is more than the board's limit of {board.current_limit:g} A ({limit:g})"
                yield Finding((*path, "current_limit"), wrong, "Give at most the board's limit.")
            if config.inrush >= config.max_on:
                wrong = f"is not shorter than `max_on` of {config.max_on:g} s ({config.inrush:g})"
                yield Finding((*path, "inrush"), wrong, "Give a shorter `inrush`.")


CHECKS: tuple[Callable[[Table], Iterator[Finding]], ...] = (_board_limits, _motor_limits)
