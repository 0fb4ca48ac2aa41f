"""The channel table on a board's side: records are collected, then committed as a whole."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from firmware_bridge.executor.channels import OrderRefusedError
from firmware_bridge.executor.motor_currents import limits_current
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.codes import Flag, Kind, Refusal
from firmware_bridge.wire.limits import BoardLimits
from firmware_bridge.wire.messages import NONE, Commit, Configure

SAFETY = Flag.EMERGENCY | Flag.CURTAIN
MOST_UM = 2_000_000
"""The greatest distance of an axis from its zero, micrometres: in nanometres it has 31 bits."""
MOST_STEP_NM = 10_000_000
USUAL_STEP_NM = 150_000
"""The step of a record without one."""


class ChannelTable:
    """The records of a board with this number of channels. Without a commit it has none.

    `analog_mv` is the highest value that the board's analogue inputs measure, `steps` the highest
    step rate of an axis.
    One more record can follow those of the channels: the limit of the current of all motors.
    """

    def __init__(
        self, channels: int, analog_mv: int, steps: int, limits: BoardLimits | None = None
    ) -> None:
        self._limits = limits
        self.records: tuple[Configure, ...] = ()
        self.crc = 0
        self._channels, self._analog_mv, self._steps = channels, analog_mv, steps
        self._draft: dict[int, Configure] = {}

    @property
    def digest(self) -> int:
        """A number that changes with every field of the records; 0 without a commit."""
        return zlib.crc32(repr(self.records).encode()) if self.records else 0

    def add(self, record: Configure) -> None:
        """Add a record to the draft. Raises OrderRefusedError for a record that is not valid."""
        total = limits_current(record) and record.second_pin == NONE
        if record.index >= self._channels + total:
            raise OrderRefusedError(Refusal.UNKNOWN_CHANNEL, record.index)
        if record.kind not in tuple(Kind):
            raise OrderRefusedError(Refusal.WRONG_KIND, record.index)
        if record.kind == Kind.AXIS and not _can_move(record, self._steps):
            raise OrderRefusedError(Refusal.OUT_OF_RANGE, record.index)
        # A motor with a dead time is off while it is safe: a safe drive would have to wait for it.
        if limits_current(record):
            if not record.low_mv or not 0 < record.high_mv < self._analog_mv:
                raise OrderRefusedError(Refusal.OUT_OF_RANGE, record.index)
            self._draft[record.index] = record
            return
        if record.flags & SAFETY and not _is_sampled(record):
            raise OrderRefusedError(Refusal.OUT_OF_RANGE, record.index)
        if record.dead_ms and (record.kind != Kind.MOTOR or record.safe):
            raise OrderRefusedError(Refusal.OUT_OF_RANGE, record.index)
        if (record.low_mv or record.high_mv) and (
            record.kind != Kind.SENSOR or record.low_mv >= record.high_mv
        ):
            raise OrderRefusedError(Refusal.OUT_OF_RANGE, record.index)
        if self._limits and (reason := self._limits.refusal(record)) is not None:
            raise OrderRefusedError(reason, record.index)
        self._draft[record.index] = record

    def take_draft(self, commit: Commit) -> tuple[Configure, ...]:
        """Remove and return the draft. Raises OrderRefusedError if it does not match `commit`."""
        records = tuple(self._draft[number] for number in sorted(self._draft))
        complete = len(records) == commit.channels >= self._channels
        if not complete or configuration_crc(records) != commit.crc:
            raise OrderRefusedError(Refusal.OUT_OF_RANGE)
        self._draft.clear()
        return records

    @staticmethod
    def check_safety_pins(records: Sequence[Configure]) -> None:
        """Raise OrderRefusedError if another channel uses the pin of a safety input.

        A board samples each pin for one channel only.
        """
        for safety in records:
            if safety.flags & SAFETY and any(
                safety.pin in _pins(other) for other in records if other is not safety
            ):
                raise OrderRefusedError(Refusal.OUT_OF_RANGE)

    def commit(self, records: tuple[Configure, ...], crc: int) -> None:
        """Make these records the table."""
        self.records, self.crc = records, crc

    def drop(self) -> None:
        """Drop the table; a draft is kept."""
        self.records, self.crc = (), 0

    def drop_draft(self) -> None:
        """Drop the records that are not committed."""
        self._draft.clear()


def _can_move(record: Configure, steps: int) -> bool:
    """Whether the board can count the positions of an axis, and make its steps in time."""
    step_nm = record.step_nm or USUAL_STEP_NM
    return (
        -MOST_UM <= record.low_um < record.high_um <= MOST_UM
        and step_nm <= MOST_STEP_NM
        and 0 < record.speed_um_s <= steps * step_nm // 1000
        and record.acceleration_um_s2 > 0
    )


def _is_sampled(record: Configure) -> bool:
    """Whether a channel is a digital sensor on a pin: the board sees its changes at once."""
    return (
        record.kind == Kind.SENSOR and record.pin != NONE and not (record.low_mv or record.high_mv)
    )


def _pins(record: Configure) -> tuple[int, ...]:
    """The pins of a channel; of other kinds, `second_pin` is not a pin."""
    both = record.kind in (Kind.MOTOR, Kind.AXIS)
    return (record.pin, record.second_pin) if both else (record.pin,)
