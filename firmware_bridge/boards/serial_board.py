"""Serial board: a `Board` on a line, by commands, replies and events.

Channels are numbered in the order of the configuration. A motion is identified by its ticket, the
sequence number of its command; its end may arrive before the command's own reply. The lease is
renewed at a third of its length while it has holders; the last holder gives it back.

If the line is lost or the board stops answering, all pending calls and iterators raise
BoardSilentError. Attach a new transport to the line, then call `start()` again: the board has kept
its counts and positions, but runs nothing until it receives new commands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from config.board_profiles import chip_of
from config.schema import AxisChannel, BoardConfig, DiceChannel
from firmware_bridge.board import (
    AnyFault,
    BoardIdentity,
    Edge,
    Ended,
    ProtocolBreach,
    Reason,
    Until,
)
from firmware_bridge.boards import encoding
from firmware_bridge.boards.feed import FaultFeed, Feed, Subscriptions
from firmware_bridge.boards.identification import (
    BuildOf,
    Identification,
    Key,
    Nonce,
    Requests,
    no_build,
    random_nonce,
)
from firmware_bridge.boards.incoming import Incoming
from firmware_bridge.boards.lease import Lease
from firmware_bridge.boards.motions import End, Motions
from firmware_bridge.boards.recognition import Recognition
from firmware_bridge.boards.replies import LATE
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.errors import BoardError, BoardRefusedError, BoardSilentError
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.messages import NONE
from firmware_bridge.wire.sliding_window import Command, Traffic

MARGIN = LATE
"""Seconds after its own limit within which a motion's end must arrive; covers a stalled host."""
DICE_READ = 5.0
"""Seconds after the shaking within which the dice are read."""
HOMING = 10.0
"""Factor by which a homing axis may be slower than a moving one."""
CUT_SHORT = {
    Reason.HELD: Refusal.NO_LEASE,
    Reason.FAULT: Refusal.FAULT_LATCHED,
}
"""The refusal that corresponds to each reason for which a throw may end early."""


class SerialBoard:
    """A `Board` on a line.

    `key` and `nonce` prove its identity (`Key`, `Nonce`).
    `flags` are the flags of the channels (`encoding.flags_of`). A board with another build than
    `build_of` returns for its serial number is refused.
    """

    def __init__(
        self,
        name: str,
        config: BoardConfig,
        line: SerialLine,
        key: Key,
        nonce: Nonce = random_nonce,
        flags: Mapping[str, int] = encoding.NO_FLAGS,
        build_of: BuildOf = no_build,
    ) -> None:
        self._name = name
        self._config = config
        channels = encoding.ChannelNumbers(name, config.channels)
        self._number, self._name_of = channels.number, channels.name
        self._records = encoding.records(config, flags)
        self._loop = line.loop
        self._link = line.link(config.address, name)
        self._link.lost = self._end
        self._requests = Requests(name, self._link, channels)
        self._identification = Identification(
            name, self._link, self._requests, key, nonce, build_of
        )
        self._identity: BoardIdentity | None = None
        self._recognition = Recognition(name, config.serial, chip_of(config))
        self._motions = Motions(self._link)
        self._lease = Lease(self._link, config.lease)
        self._last: dict[int, Command] = {}
        """Each channel's last motion."""
        self._subscriptions = Subscriptions(self._link, channels.names)
        self._faults = FaultFeed(name, channels.name)
        self._incoming = Incoming(
            self._link,
            self._records,
            self._motions,
            self._subscriptions,
            self._faults,
            self._lease,
            self._recognition,
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def is_closed(self) -> bool:
        """Whether no session has begun, or the last one has ended."""
        return self._identity is None

    @property
    def traffic(self) -> Traffic:
        """The traffic counters of the link to this board."""
        return self._link.traffic

    @property
    def breaches(self) -> Mapping[ProtocolBreach, int]:
        """How many messages of the board broke the protocol since this object was created."""
        return self._incoming.breaches

    def expect_serial(self, serial: str | None) -> None:
        """Set the serial number that the board had in the last run; None if it is not known.

        `start` then raises StrangeBoardError for a board with another serial number, unless the
        table's file names the number of this board.
        """
        self._recognition.expect(serial)

    # Start and close

    async def start(self) -> BoardIdentity:
        """Identify the board, check its key, configure it, set outputs safe; return its identity.

        On a board that is open already, only the identity is returned. Raises StrangeBoardError if
        another board answers than before; that board is not configured.
        """
        if self._identity is not None:
            return self._identity
        self._faults.forget()
        self._incoming.begin_session()
        identity = await self._identification.identify(again=self._recognition.was_identified)
        configuration = configuration_crc(self._records)
        self._recognition.check(identity, configuration)
        await self._identification.begin()
        if identity.configuration_crc != configuration:
            await self._configure()
        await self._requests.order(wire.TakeLease(0), "the end of an old lease")
        await self._check_counts()
        for sensor in self._subscriptions:
            await self._requests.order(wire.Watch(sensor, 1), f"watching {self._name_of(sensor)}")
        self._incoming.check_start(self._link.forgery.false_start(identity.boots))
        self._recognition.record(identity)
        self._identity = identity
        return identity

    async def close(self) -> None:
        """Stop every motion, give the lease back, end the session and iterators. Idempotent."""
        if self._link.ready:
            self.stop_all()
            # A board that no longer answers makes its outputs safe when its lease expires.
            with suppress(BoardError):
                await self._link.request(wire.TakeLease(0))
        self._link.close()
        self._end(None)

    # The lease

    async def hold_lease(self) -> None:
        reply = await self._lease.hold()
        try:
            self._requests.expect(wire.Ok, reply, "a lease", "")
        except BoardError:
            self._lease.drop()
            raise

    async def release_lease(self) -> None:
        """Give the lease back; does nothing on a closed or lost board, which holds no lease."""
        if not self._link.ready:
            return
        if not self._lease.held:
            raise BoardRefusedError(
                f"board {self._name}: release_lease() without a lease; call hold_lease() first."
            )
        returned = self._lease.drop()
        if returned is not None:
            await returned

    # Orders

    async def set(self, channel: str, value: int) -> None:
        await self._requests.order(
            wire.Set(self._number(channel), value), f"setting {channel} to {value}"
        )

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        seconds = max(seconds, encoding.least_on(self._config, channel))
        pulse = wire.Pulse(self._number(channel), value, encoding.milliseconds(seconds))
        return await self._run(pulse, channel, "a pulse", seconds)

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        limit = max(limit, encoding.least_on(self._config, motor))
        drive = encoding.drive(self._number(motor), value, until, limit, self._number)
        return await self._run(drive, motor, "a drive", limit)

    async def move(self, targets: Mapping[str, float], speed: int = 1000) -> Ended:
        """Move up to three axes. BoardRefusedError for more, or for another kind of channel."""
        if not 1 <= len(targets) <= 3:
            raise BoardRefusedError(
                f"board {self._name} moves one to three axes at once; got {len(targets)}. Order"
                " the moves one after another."
            )
        pairs = [(self._number(axis), encoding.micrometres(to)) for axis, to in targets.items()]
        first, second, third = (*pairs, (NONE, 0), (NONE, 0))[:3]
        if not 1 <= speed <= 1000:
            raise BoardRefusedError(
                f"board {self._name} moves axes at 1 to 1000 permille of their speed; got {speed}."
            )
        move = wire.Move(*first, *second, *third, speed=speed)
        limit = max(self._longest_move(axis) for axis in targets) * 1000 / speed
        return await self._run(move, next(iter(targets)), "a move", limit)

    async def home(self, axis: str) -> Ended:
        limit = HOMING * self._longest_move(axis)
        return await self._run(wire.Home(self._number(axis)), axis, "homing", limit)

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        unit = self._config.channels.get(channel)
        limit = DICE_READ + (unit.shake if isinstance(unit, DiceChannel) else 0.0)
        order = wire.ThrowDice(self._number(channel), dice)
        end = await self._await_end(order, channel, "a throw", limit)
        if isinstance(end, Ended):
            raise BoardRefusedError(
                f"board {self._name}: the throw of {channel} ended by {end.reason.name} before the"
                " dice were at rest; throw again.",
                CUT_SHORT.get(end.reason),
            )
        return end[:dice]

    async def stop(self, channel: str | None = None) -> None:
        number = NONE if channel is None else self._number(channel)
        await self._requests.order(wire.Stop(number), f"the stop of {channel or 'all channels'}")

    def stop_all(self) -> None:
        """Send a stop of every channel now; commands that wait to be sent are cancelled."""
        self._link.stop_all()

    async def clear(self) -> None:
        # The list is emptied before the reply arrives, because a fault that latches again can be
        # reported in the same bytes as the reply.
        known = self._faults.forget()
        try:
            await self._requests.order(wire.Clear(), "clearing its faults")
        except BaseException:
            self._faults.restore(known)
            raise

    # Questions

    async def self_test(self) -> int:
        return await self._requests.value(wire.SelfTest(), "its self-test")

    async def storage_used(self) -> int | None:
        reply = await self._link.request(wire.Report())
        return self._requests.expect(wire.Statistics, reply, "its statistics").storage_used

    async def read(self, channel: str) -> int:
        return await self._requests.value(wire.Read(self._number(channel)), f"reading {channel}")

    async def count(self, sensor: str) -> int:
        number = self._number(sensor)
        command, floor = wire.Count(number), self._recognition.counts.get(number, 0)
        count = await self._requests.value(command, f"counting {sensor}")
        self._incoming.check_count(command, count, floor)
        self._recognition.counted(number, count)
        return count

    async def recall(self, channel: str) -> Ended | None:
        number = self._number(channel)
        last = self._last.get(number)
        if last is None or last.sequence < 0:
            return None
        reply = await self._link.request(wire.Recall(number))
        recalled = self._requests.expect(
            wire.Recalled, reply, f"the progress of {channel}", channel
        )
        if recalled.reason == NONE or recalled.ticket != last.sequence:
            return None
        return self._incoming.progress(last.message, recalled)

    async def thrown(self, channel: str) -> tuple[int, tuple[int, ...]]:
        number = self._number(channel)
        throws = await self._requests.value(wire.Count(number), f"the throws of {channel}")
        packed = await self._requests.value(wire.Read(number), f"the faces of {channel}")
        return throws, encoding.faces(packed)

    async def scan(self, channel: str) -> int | None:
        order = f"a scan by {channel}"
        reply = await self._link.request(wire.Scan(self._number(channel)))
        return self._requests.expect(wire.Tag, reply, order, channel).tag or None

    def watch(self, *sensors: str) -> Feed[Edge]:
        """Every edge from this call on, until the subscription is closed."""
        return self._subscriptions.listen({sensor: self._number(sensor) for sensor in sensors})

    @property
    def faults(self) -> Feed[AnyFault]:
        """The faults that are latched now, then every fault as it latches, and lost leases."""
        return self._faults.listen()

    def _end(self, silent: BoardSilentError | None) -> None:
        """End the session after a loss, with its error `silent`, or (None) after `close`."""
        self._identity = None
        self._lease.end_session()
        self._subscriptions.end(silent)
        self._faults.end(silent)
        closed = BoardSilentError(f"board {self._name} was closed before the motion ended.")
        self._motions.fail(silent or closed)

    # Helpers: opening

    async def _configure(self) -> None:
        replies = [(record, self._link.post(record)) for record in self._records]
        for record, reply in replies:
            channel = self._name_of(record.index)
            self._requests.expect(wire.Ok, await reply, f"the record of {channel}", channel)
        commit = wire.Commit(len(self._records), configuration_crc(self._records))
        await self._requests.order(commit, "its channel table")

    async def _check_counts(self) -> None:
        """Check that no count of the board has decreased. Raises StrangeBoardError."""
        replies = [
            (channel, self._link.post(wire.Count(channel)))
            for channel in (self._recognition.counts if self._recognition.was_identified else ())
        ]
        for channel, reply in replies:
            sensor = self._name_of(channel)
            count = self._requests.expect(wire.Value, await reply, f"counting {sensor}", sensor)
            self._recognition.check_count(channel, sensor, count.value)

    # Helpers: orders

    async def _run(self, order: wire.Message, channel: str, what: str, limit: float) -> Ended:
        end = await self._await_end(order, channel, what, limit)
        # Incoming events are checked: only a throw ends by faces of dice.
        assert isinstance(end, Ended)
        return end

    async def _await_end(self, order: wire.Message, channel: str, what: str, limit: float) -> End:
        """Order a motion and wait for its end. Cancelling the wait does not stop the motion."""
        number = self._number(channel)
        with self._motions.begun(order, number) as motion:
            self._last[number] = motion.command
            try:
                async with asyncio.timeout(limit + MARGIN):
                    reply = await motion.command.reply
                    self._requests.expect(wire.Ok, reply, f"{what} of {channel}", channel)
                    return await motion.end
            except TimeoutError:
                self._link.post(wire.Stop(number))
                raise BoardSilentError(
                    f"board {self._name} did not report the end of {what} of {channel} within"
                    f" {MARGIN:g} s after its limit of {limit:g} s; a stop was sent. Close the"
                    " board and start it again."
                ) from None

    def _longest_move(self, axis: str) -> float:
        """The seconds that a move of this axis takes at most: from end to end."""
        config = self._config.channels[self._name_of(self._number(axis))]
        if not isinstance(config, AxisChannel):
            raise BoardRefusedError(
                f"board {self._name} cannot move {axis} as an axis, because its kind is"
                f" {config.kind}; name an axis."
            )
        return (config.high - config.low) / config.speed + config.speed / config.acceleration
