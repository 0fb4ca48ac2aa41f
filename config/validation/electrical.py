"""Validates channels against their electrical profiles, and limits of motor currents.

A motor that the board must not reverse at once (`dead_time`) or not modulate (`full_only`), and a
sensor with thresholds, need the firmware of a serial board.

A board measures the current of all its motors together at one pin. The current of a single motor is
measured if a module names an analogue input for it, such as `modules.drum.current`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from config.board_profiles import BoardProfile, board_names, chip_of, profile_of
from config.electrical_profiles import electrical_profiles
from config.errors import Finding, Path
from config.schema import BoardConfig, MotorChannel, SensorChannel, Table
from config.schema.electrical import MotorProfile, SensorProfile, SpanLimit
from config.validation.board_pins import profiled

LONGEST_DEAD_TIME = 65.5
"""Seconds; the wire carries the dead time in 16 bits of milliseconds."""
LEAST_VOLTS = 0.1
"""The lowest limit at an analogue input, in volts: less cannot be told from noise (our value)."""


def _motors(table: Table) -> Iterator[tuple[Path, MotorChannel, str]]:
    for name, board in table.boards.items():
        for channel, config in board.channels.items():
            if isinstance(config, MotorChannel):
                yield ("boards", name, "channels", channel), config, board.kind


def _sensors(table: Table) -> Iterator[tuple[Path, SensorChannel, BoardConfig]]:
    for name, board in table.boards.items():
        for channel, config in board.channels.items():
            if isinstance(config, SensorChannel):
                yield ("boards", name, "channels", channel), config, board


def _dead_times(table: Table) -> Iterator[Finding]:
    for path, motor, kind in _motors(table):
        if motor.dead_time > LONGEST_DEAD_TIME:
            wrong = f"is longer than a board can hold ({motor.dead_time:g} s)"
            yield Finding((*path, "dead_time"), wrong, f"Give at most {LONGEST_DEAD_TIME} s.")
        if motor.dead_time and motor.safe:
            wrong = f"is not 0, but the motor has a dead time ({motor.safe})"
            cure = "Give safe: 0; a motor that is driven in its safe state would have to wait."
            yield Finding((*path, "safe"), wrong, cure)
        if motor.least_on >= motor.max_on:
            wrong = f"is not shorter than `max_on` ({motor.least_on:g}, max_on {motor.max_on:g})"
            yield Finding((*path, "least_on"), wrong, "Give a shorter `least_on`.")
        if kind == "gpio" and (motor.dead_time or motor.full_only):
            key = "dead_time" if motor.dead_time else "full_only"
            wrong = "is not possible on a gpio board, which does not hold it without the host"
            yield Finding((*path, key), wrong, "Move the motor to a serial board.")


def _thresholds(table: Table) -> Iterator[Finding]:
    for path, sensor, board in _sensors(table):
        if sensor.threshold is None:
            continue
        pins = profile_of(board).able("analog") if chip_of(board) in board_names() else ()
        if path[3] in (*table.modules.emergency, *table.modules.curtain):
            wrong = "is not possible for an emergency stop or a light curtain"
            cure = "Remove it: a board stops at the edge of a digital input only."
            yield Finding((*path, "threshold"), wrong, cure)
            continue
        low, high = sensor.threshold.low_mv, sensor.threshold.high_mv
        if low >= high:
            wrong = f"has its low voltage at or above its high one ({low} and {high} mV)"
            cure = "Give `low_mv` below `high_mv`, such as 1500 and 3000."
            yield Finding((*path, "threshold"), wrong, cure)
        if not pins or board.kind == "gpio":
            wrong = "is not possible on this board, which compares no voltages"
            cure = "Move the sensor to a serial board with analogue inputs."
            yield Finding((*path, "threshold"), wrong, cure)
        elif sensor.pin not in pins:
            wrong = f"is not an analogue input, which its thresholds need ({sensor.pin})"
            yield Finding((*path, "pin"), wrong, f"Give {pins[0]} to {pins[-1]}.")


def _drivers(table: Table) -> Iterator[Finding]:
    for path, motor, _ in _motors(table):
        profile = electrical_profiles().get(motor.driver or "")
        if isinstance(profile, MotorProfile):
            yield from _motor_against(profile, motor, path)


def _motor_against(profile: MotorProfile, motor: MotorChannel, path: Path) -> Iterator[Finding]:
    of = f"a motor with driver {profile.name}"
    if profile.reverses and motor.reverse_pin is None:
        cure = "Add `reverse_pin:`, or name the driver of a motor that turns one way."
        yield Finding((*path, "driver"), f"{of} runs both ways and has no reverse_pin", cure)
    if not profile.reverses and motor.reverse_pin is not None:
        wrong = f"{of} turns one way and has no reverse input ({motor.reverse_pin})"
        yield Finding((*path, "reverse_pin"), wrong, "Remove it, or name another driver.")
    if profile.full_only and not motor.full_only:
        wrong = f"{of} only runs fully or not at all (false)"
        cure = "Remove it: a zero-cross relay cannot be modulated."
        yield Finding((*path, "full_only"), wrong, cure)
    for switch in profile.needs:
        if getattr(motor, switch) is None:
            cure = f"Add `{switch}:` with a sensor."
            yield Finding((*path, "driver"), f"{of} needs `{switch}`", cure)
    for key, limit in profile.limits.items():
        yield from _within(limit, getattr(motor, key), (*path, key), of, "s")


def _elements(table: Table) -> Iterator[Finding]:
    for path, sensor, _ in _sensors(table):
        profile = electrical_profiles().get(sensor.element or "")
        if isinstance(profile, SensorProfile):
            yield from _sensor_against(profile, sensor, path)


def _sensor_against(profile: SensorProfile, sensor: SensorChannel, path: Path) -> Iterator[Finding]:
    of = f"a sensor with element {profile.name}"
    yield from _within(
        profile.limits.get("debounce_ms", SpanLimit()),
        sensor.debounce_ms,
        (*path, "debounce_ms"),
        of,
        "ms",
    )
    threshold = sensor.threshold
    if threshold is not None and "threshold" not in profile.needs:
        wrong = f"{of} is digital and has no thresholds"
        yield Finding((*path, "threshold"), wrong, "Remove it, or name another element.")
    elif threshold is not None and threshold.high_mv - threshold.low_mv < profile.hysteresis_mv:
        distance = threshold.high_mv - threshold.low_mv
        wrong = f"{of} needs thresholds at least {profile.hysteresis_mv} mV apart ({distance})"
        yield Finding((*path, "threshold"), wrong, "Give thresholds that are further apart.")


def _within(limit: SpanLimit, value: float, path: Path, of: str, unit: str) -> Iterator[Finding]:
    if limit.least is not None and value < limit.least:
        wrong = f"is too short for {of} ({value:g} {unit})"
        yield Finding(path, wrong, f"Give at least {limit.least:g} {unit}.")
    if limit.most is not None and value > limit.most:
        wrong = f"is too long for {of} ({value:g} {unit})"
        yield Finding(path, wrong, f"Give at most {limit.most:g} {unit}.")


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


CHECKS: tuple[Callable[[Table], Iterator[Finding]], ...] = (
    _dead_times,
    _thresholds,
    _drivers,
    _elements,
    _board_limits,
    _motor_limits,
)
