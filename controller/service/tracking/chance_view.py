"""The status of the random choices, from the daemon of the present run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controller.service.status import ChanceStatus, CycleStatus, PlayerShareStatus

if TYPE_CHECKING:
    from controller.run.chance.records import CycleRecord
    from controller.run.daemon import Daemon


def chance_of(daemon: Daemon | None) -> ChanceStatus:
    """The cycles that are not revealed yet; empty without a daemon."""
    if daemon is None:
        return ChanceStatus()
    return ChanceStatus(next=_cycle(daemon.chances.next), playing=_cycle(_playing(daemon)))


def chance_of_round(daemon: Daemon | None) -> dict[str, object] | None:
    """The record of the set on the table, with its commitment and without its share."""
    record = None if daemon is None else _playing(daemon)
    return None if record is None else record.facts()


def chance_of_shuffle(daemon: Daemon | None) -> dict[str, object] | None:
    """The record of the last shuffle, with its commitment and without its share."""
    record = None if daemon is None else daemon.chances.last_drawn
    return None if record is None else record.facts()


def _playing(daemon: Daemon) -> CycleRecord | None:
    on_top = daemon.run_state.ledger.on_top
    return None if on_top is None else daemon.chances.of_set(on_top)


def _cycle(record: CycleRecord | None) -> CycleStatus | None:
    if record is None:
        return None
    shares = (
        PlayerShareStatus(seat=each.seat, share=each.text, code=code)
        for each, code in zip(record.player_shares, record.codes, strict=True)
    )
    return CycleStatus(
        cycle=record.cycle, commitment=record.commitment, player_shares=tuple(shares)
    )
