"""Trials of switched outputs, and of everything that moves.

Switched outputs are relays, lamps, gates, the width of the jaws and the buzzer. Axes, parts between
two switches, the chain, pushers and motors move.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

from config.schema import (
    AxisChannel,
    ChainModule,
    HeadsModule,
    MagazineModule,
    MotorChannel,
    OutputChannel,
    StripChannel,
)
from controller.run.stations.chain import ChainStation
from controller.run.stations.magazine import MagazineStation
from controller.run.stations.switched import FULL, Switched
from controller.upkeep.selftest.trial import (
    DisagreementError,
    TableUnderTest,
    Trial,
    named_channels,
)
from firmware_bridge.board import Edges, Elapsed, Reason

SHOWN = 1.0
"""How long an output differs from its safe value, seconds."""


def relays(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of the safety relays: taking the lease closes a relay and its contact, if wired."""
    for relay in subject.table.modules.relay:
        evidence = f"{relay.contact} followed" if relay.contact else "the relay has no contact"
        channels = tuple(name for name in (relay.coil, relay.contact) if name)
        yield Trial(
            "relay",
            relay.coil,
            channels,
            f"Listen to the relay {relay.coil}: it closes for a second, and no motor runs.",
            f"{relay.coil} on for {SHOWN:g} s",
            partial(_stay_closed, evidence),
            "Did the relay click, and did no part move?",
            (relay.coil,),
        )


async def _stay_closed(evidence: str) -> str:
    """Keep the relay closed for `SHOWN` seconds by the trial's lease; returns `evidence`."""
    await asyncio.sleep(SHOWN)
    return evidence


def shown(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of all other outputs and strips: switched from the safe value for a moment."""
    coils = {relay.coil for relay in subject.table.modules.relay}
    for channel, part, role in named_channels(subject.table):
        config = subject.table.channel(channel)
        if channel in coils or not isinstance(config, OutputChannel | StripChannel):
            continue
        value, seconds = _switched_over(config)
        how = "goes on" if value else "goes off"
        yield Trial(
            part,
            role,
            (channel,),
            f"Watch {role} of {part} ({channel}): it {how} for {seconds:g} s.",
            f"{channel} to {value} for {seconds:g} s",
            partial(_show, subject, channel, value, seconds),
            "Did this happen?",
            (channel,),
        )


def _switched_over(config: OutputChannel | StripChannel) -> tuple[int, float]:
    """A value that visibly differs from the safe value, and for how many seconds to set it."""
    if isinstance(config, StripChannel):
        return (1 << config.lamps) - 1, SHOWN
    seconds = SHOWN if config.max_on is None else min(SHOWN, config.max_on / 2)
    return 1 - config.safe, seconds


async def _show(subject: TableUnderTest, channel: str, value: int, seconds: float) -> str:
    """Set an output to a value for this time; returns the evidence."""
    ended = await subject.board(channel).pulse(channel, value, seconds)
    if ended.reason is not Reason.DONE:
        raise DisagreementError(
            f"{channel} ended by {ended.reason.name} after {ended.seconds:.1f} s"
        )
    return "no sensor shows the effect"


MOMENT = 0.5
"""How long a motor without end switches runs, seconds (our choice)."""
GENTLE = 500
"""Drive value of a motor without end switches, permille of full drive."""
TRAVEL = 0.05
"""How far an axis is moved from its home, metres."""
NEAR = 0.001
"""Tolerance of the position that an axis reports, metres."""


def axes(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of the gantry's axes; z first, because it must be up before the others move."""
    gantry = subject.table.modules.gantry
    for axis in (gantry.z, gantry.x, gantry.y) if gantry else ():
        yield Trial(
            "gantry",
            axis,
            (axis,),
            f"Watch {axis}: it moves to its home switch, then {TRAVEL * 100:g} cm away and back."
            " Keep the field clear.",
            f"homing of {axis}, then {TRAVEL:g} m and back",
            partial(_home_and_away, subject, axis),
            "Did this happen?",
            (axis,),
        )


async def _home_and_away(subject: TableUnderTest, axis: str) -> str:
    """Home an axis, move it away and back; returns the evidence."""
    board, config = subject.board(axis), subject.table.channel(axis)
    assert isinstance(config, AxisChannel)
    ended = await board.home(axis)
    if ended.reason is not Reason.DONE:
        raise DisagreementError(
            f"{config.home_switch} was not reached; homing ended by {ended.reason.name}"
        )
    away = config.home + (TRAVEL if config.home_end == "low" else -TRAVEL)
    for target in (away, config.home):
        ended = await board.move({axis: target})
        there = await board.read(axis) / 1e6
        if ended.reason is not Reason.DONE or abs(there - target) > NEAR:
            raise DisagreementError(
                f"{axis} is at {there:.3f} m instead of {target:.3f} m; the move ended by"
                f" {ended.reason.name}"
            )
    return f"{config.home_switch} was reached; {axis} moved to {away:.3f} m and back"


def travellers(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of parts between two switches: away from the home position and back."""
    for part in subject.travellers():
        motor = part.motor.channel
        yield Trial(
            part.part,
            motor,
            (motor, part.forth, part.back),
            f"{_preparation(subject, motor)}Watch the {part.part}: it moves to {part.forth}, then"
            f" back to {part.back}. Keep your hands away.",
            f"{motor} to {part.forth}, then to {part.back}",
            partial(_there_and_back, part),
            "Did this happen?",
            (motor,),
        )


def _preparation(subject: TableUnderTest, motor: str) -> str:
    """Request to the person before the trial of a part that turns tiles; empty for others."""
    modules = subject.table.modules
    if modules.flipper and motor == modules.flipper.motor:
        return "Lay a tile over the flipper. "
    if modules.gantry and motor == modules.gantry.turner:
        return "Hold a tile between the jaws until it is turned. "
    return ""


async def _there_and_back(part: Switched) -> str:
    """Drive a part to its other switch and back; returns the evidence."""
    await part.go_forth()
    await part.go_back()
    return f"{part.forth} became active, then {part.back}"


def chain(subject: TableUnderTest) -> Iterator[Trial]:
    """The trial of the chain of a single-port table, judged by the chain's own sensors."""
    config, station = subject.table.modules.chain, subject.rig.chain
    if config and station:
        yield Trial(
            "chain",
            config.motor,
            (config.motor, config.zero, config.corner),
            "Watch the chain: it moves to its zero, then on by one side, and back. Keep your hands"
            " away.",
            f"{config.motor} to {config.zero}, then one {config.corner}, and back",
            partial(_one_side_and_back, config, station),
            "Did this happen?",
            (config.motor,),
        )


async def _one_side_and_back(config: ChainModule, station: ChainStation) -> str:
    """Move the chain to zero, on by one side, and back to zero; returns the evidence."""
    await station.to_zero()
    await station.to_side(1)
    await station.to_zero()
    return f"{config.zero} and {config.corner} became active in turn"


def magazine(subject: TableUnderTest) -> Iterator[Trial]:
    """The trials of a magazine, judged by its own sensors."""
    config, station = subject.table.modules.magazine, subject.rig.magazine
    if config and station:
        yield Trial(
            "magazine",
            config.motor,
            (config.motor, config.home, config.vane),
            "Watch the magazine: it turns to its home, then on by one pocket, and back. Keep your"
            " hands away.",
            f"{config.motor} to {config.home}, then one {config.vane}, and back",
            partial(_one_pocket_and_back, config, station),
            "Did this happen?",
            (config.motor,),
        )
        limit = 2 * config.eject + MOMENT
        yield Trial(
            "magazine",
            config.ejector,
            (config.ejector, config.withdrawn),
            f"Watch the ejector ({config.ejector}): it makes one stroke. Keep your hands away.",
            f"{config.ejector} until one edge of {config.withdrawn}",
            partial(_to_its_vane, subject, config.ejector, config.withdrawn, limit),
            "Did this happen, and is the ejector clear of the pockets?",
            (config.ejector,),
        )


async def _one_pocket_and_back(config: MagazineModule, station: MagazineStation) -> str:
    """Turn the magazine to pocket 0, on by one pocket, and back; returns the evidence."""
    for pocket in (0, 1, 0):
        await station.at_inlet(pocket)
    return f"{config.home} and {config.vane} became active in turn"


def turning(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of motors without end switches: pushers until their vane, others for a moment."""
    modules = subject.table.modules
    tried = {part.motor.channel for part in subject.travellers()}
    if modules.chain:
        tried.add(modules.chain.motor)
    if modules.magazine:
        tried |= {modules.magazine.motor, modules.magazine.ejector}
    vanes = {head.pusher: head.vane for head in subject.heads()}
    for channel, part, role in named_channels(subject.table):
        config = subject.table.channel(channel)
        if channel in tried or not isinstance(config, MotorChannel):
            continue
        vane = vanes.get(channel)
        if vane is not None and modules.heads is not None:
            yield _pusher(subject, channel, part, vane, _longest(config, modules.heads))
        else:
            yield _motor(subject, channel, part, role, min(MOMENT, config.max_on / 2))


def _longest(pusher: MotorChannel, heads: HeadsModule) -> float:
    """Time limit for a pusher to reach its vane, seconds."""
    return min(2 * heads.push + MOMENT, pusher.max_on)


def _pusher(subject: TableUnderTest, pusher: str, part: str, vane: str, limit: float) -> Trial:
    """The trial of a pusher with a vane."""
    return Trial(
        part,
        "pusher",
        (pusher, vane),
        f"Lay two tiles before the pusher of {part} ({pusher}): the pusher pushes them on."
        " Keep your hands away.",
        f"{pusher} until one edge of {vane}",
        partial(_to_its_vane, subject, pusher, vane, limit),
        "Did this happen, and is the pusher back at its start?",
        (pusher,),
    )


async def _to_its_vane(subject: TableUnderTest, pusher: str, vane: str, limit: float) -> str:
    """Drive a pusher until an edge of its vane; returns the evidence."""
    ended = await subject.board(pusher).drive(pusher, FULL, Edges(vane, 1), limit)
    if ended.reason is not Reason.EDGES:
        raise DisagreementError(
            f"{vane} gave no edge in {ended.seconds:.1f} s; the drive ended by {ended.reason.name}"
        )
    return f"{vane} gave an edge after {ended.seconds:.2f} s"


def _motor(subject: TableUnderTest, motor: str, part: str, role: str, seconds: float) -> Trial:
    """The trial of a motor without sensors."""
    return Trial(
        part,
        role,
        (motor,),
        f"Watch {role} of {part} ({motor}): the motor runs for {seconds:g} s."
        " Keep your hands away.",
        f"{motor} at {_gentle(subject, motor) / 10:g} % for {seconds:g} s",
        partial(_turn, subject, motor, seconds),
        "Did this happen?",
        (motor,),
    )


def _gentle(subject: TableUnderTest, motor: str) -> int:
    """The drive of a motor without end switches, permille; the full one if it has no other."""
    config = subject.table.channel(motor)
    return FULL if isinstance(config, MotorChannel) and config.full_only else GENTLE


async def _turn(subject: TableUnderTest, motor: str, seconds: float) -> str:
    """Run a motor slowly for this time; returns the evidence."""
    value = _gentle(subject, motor)
    ended = await subject.board(motor).drive(motor, value, Elapsed(), seconds)
    if ended.reason is not Reason.TIME:
        raise DisagreementError(f"{motor} ended by {ended.reason.name} after {ended.seconds:.1f} s")
    return "no sensor shows the effect"
