"""The status of the random choices, from the daemon of the present run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controller.service.status import ChanceStatus, CycleStatus, PlayerShareStatus

if TYPE_CHECKING:
    from controller.chance.records import CycleRecord
    from controller.daemon import Daemon


def chance_of(daemon: Daemon | None) -> ChanceStatus:
    """The cycles that are not revealed yet; empty without a daemon."""
    if daemon is None:
        return ChanceStatus()
    chances, on_top = daemon.chances, daemon.run_state.ledger.on_top
    playing = None if on_top is None else chances.of_set(on_top)
    return ChanceStatus(next=_cycle(chances.next), playing=_cycle(playing))


def _cycle(record: CycleRecord | None) -> CycleStatus | None:
    if record is None:
        return None
    shares = (PlayerShareStatus(seat=each.seat, share=each.text) for each in record.player_shares)
    return CycleStatus(
        cycle=record.cycle, commitment=record.commitment, player_shares=tuple(shares)
    )
