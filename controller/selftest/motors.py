"""Trials of everything that moves: axes, parts between two switches, chain, pushers, motors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from config.schema import AxisChannel, ChainModule, HeadsModule, MotorChannel
from controller.selftest.naming import named
from controller.selftest.subject import Subject
from controller.selftest.trial import DisagreementError, Trial
from controller.stations.chain import ChainStation
from controller.stations.switched import FULL, Switched
from firmware_bridge.board import Edges, Elapsed, Reason

MOMENT = 0.5
"""How long a motor without end switches turns, seconds (ours)."""
GENTLE = 500
"""Its drive value, in permille of full drive."""
TRAVEL = 0.05
"""How far an axis is moved from its home, metres."""
NEAR = 0.001
"""Tolerance of the position that it reports, metres."""


def axes(subject: Subject) -> Iterator[Trial]:
    """Trials of the gantry's axes; z first, because it must be up before the others move."""
    gantry = subject.table.modules.gantry
    for axis in (gantry.z, gantry.x, gantry.y) if gantry else ():
        yield Trial(
            "gantry",
            axis,
            (axis,),
            f"Watch {axis}: it looks for its switch, goes {TRAVEL * 100:g} cm, and back."
            " Keep the field clear.",
            f"home of {axis}, then {TRAVEL:g} m and back",
            partial(_home_and_away, subject, axis),
            "Did it?",
            (axis,),
        )


async def _home_and_away(subject: Subject, axis: str) -> str:
    board, config = subject.board(axis), subject.table.channel(axis)
    assert isinstance(config, AxisChannel)
    ended = await board.home(axis)
    if ended.reason is not Reason.DONE:
        raise DisagreementError(f"{config.home_switch} was not found; ended by {ended.reason.name}")
    away = config.home + (TRAVEL if config.home_end == "low" else -TRAVEL)
    for target in (away, config.home):
        ended = await board.move({axis: target})
        there = await board.read(axis) / 1e6
        if ended.reason is not Reason.DONE or abs(there - target) > NEAR:
            raise DisagreementError(
                f"{axis} stands at {there:.3f} m, not {target:.3f}; {ended.reason.name}"
            )
    return f"{config.home_switch} was found; it came to {away:.3f} m and back"


def travellers(subject: Subject) -> Iterator[Trial]:
    """Trials of parts between two switches: away from the home position, and back."""
    for part in subject.travellers():
        motor = part.motor.channel
        yield Trial(
            part.part,
            motor,
            (motor, part.forth, part.back),
            f"{_first(subject, motor)}Watch the {part.part}: it goes to {part.forth} and back to"
            f" {part.back}. Keep your hands away.",
            f"{motor} to {part.forth}, then to {part.back}",
            partial(_there_and_back, part),
            "Did it?",
            (motor,),
        )


def _first(subject: Subject, motor: str) -> str:
    """Request to the person before a part moves that turns tiles; empty for any other."""
    modules = subject.table.modules
    if modules.flipper and motor == modules.flipper.motor:
        return "Lay a tile over the flipper. "
    if modules.gantry and motor == modules.gantry.turner:
        return "Hold a tile between the jaws until it is turned. "
    return ""


async def _there_and_back(part: Switched) -> str:
    await part.go_forth()
    await part.go_back()
    return f"{part.forth} and {part.back} became active in turn"


def chain(subject: Subject) -> Iterator[Trial]:
    """The chain of a single-port table, by its own sensors."""
    config, station = subject.table.modules.chain, subject.rig.chain
    if config and station:
        yield Trial(
            "chain",
            config.motor,
            (config.motor, config.zero, config.corner),
            "Watch the chain: it goes to its zero, and on by one side. Keep your hands away.",
            f"{config.motor} to {config.zero}, then one {config.corner}, and back",
            partial(_round, config, station),
            "Did it?",
            (config.motor,),
        )


async def _round(config: ChainModule, station: ChainStation) -> str:
    await station.to_zero()
    await station.to_side(1)
    await station.to_zero()
    return f"{config.zero} and {config.corner} became active in turn"


def turning(subject: Subject) -> Iterator[Trial]:
    """Motors without end switches: pushers by their vanes, the others for a moment."""
    modules = subject.table.modules
    tried = {part.motor.channel for part in subject.travellers()}
    if modules.chain:
        tried.add(modules.chain.motor)
    vanes = {head.pusher: head.vane for head in subject.heads()}
    for channel, part, what in named(subject.table):
        config = subject.table.channel(channel)
        if channel in tried or not isinstance(config, MotorChannel):
            continue
        vane = vanes.get(channel)
        if vane is not None and modules.heads is not None:
            yield _pusher(subject, channel, part, vane, _longest(config, modules.heads))
        else:
            yield _plain(subject, channel, part, what, min(MOMENT, config.max_on / 2))


def _longest(pusher: MotorChannel, heads: HeadsModule) -> float:
    """How long a pusher may look for its vane, seconds."""
    return min(2 * heads.push + MOMENT, pusher.max_on)


def _pusher(subject: Subject, pusher: str, part: str, vane: str, limit: float) -> Trial:
    return Trial(
        part,
        "pusher",
        (pusher, vane),
        f"Lay two tiles before the pusher of {part} ({pusher}): it pushes them on."
        " Keep your hands away.",
        f"{pusher} until {vane} sees its vane once",
        partial(_to_its_vane, subject, pusher, vane, limit),
        "Did it, and does it stand at its start?",
        (pusher,),
    )


async def _to_its_vane(subject: Subject, pusher: str, vane: str, limit: float) -> str:
    ended = await subject.board(pusher).drive(pusher, FULL, Edges(vane, 1), limit)
    if ended.reason is not Reason.EDGES:
        raise DisagreementError(
            f"{vane} gave no edge in {ended.seconds:.1f} s; {ended.reason.name}"
        )
    return f"{vane} saw its vane after {ended.seconds:.2f} s"


def _plain(subject: Subject, motor: str, part: str, what: str, seconds: float) -> Trial:
    return Trial(
        part,
        what,
        (motor,),
        f"Watch {what} of {part} ({motor}): it turns for {seconds:g} s. Keep your hands away.",
        f"{motor} at {GENTLE / 10:g} % for {seconds:g} s",
        partial(_turn, subject, motor, seconds),
        "Did it?",
        (motor,),
    )


async def _turn(subject: Subject, motor: str, seconds: float) -> str:
    ended = await subject.board(motor).drive(motor, GENTLE, Elapsed(), seconds)
    if ended.reason is not Reason.TIME:
        raise DisagreementError(f"{motor} ended by {ended.reason.name} after {ended.seconds:.1f} s")
    return "no sensor tells"
