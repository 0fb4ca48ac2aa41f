"""The round on the table as a part of the status.

It is derived from the run itself and not from events: a run that resumes emits no event for the
steps that it replays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from controller.service.status import RoundStatus, ThrowStatus
from controller.service.tracking.event_words import step_in_words
from controller.service.tracking.open_tiles import OpenTilesView
from rules.games import rules_of
from rules.steps import Choose, Throw, TurnUp

if TYPE_CHECKING:
    from controller.run.daemon import Daemon
    from controller.run.rounds.deal import Deal

OVER = ("collecting", "clear")
"""States of the region `top` in which a round is over or has not begun."""


class RoundView:
    """Builds the status of the round. `throw` is the last throw in the play, if any."""

    def __init__(self) -> None:
        self._open_tiles = OpenTilesView()

    def status(
        self,
        daemon: Daemon | None,
        number: int,
        thrown: ThrowStatus | None,
        in_words: Callable[[str], str],
    ) -> RoundStatus | None:
        """The round on the table; None while there is none. `number` is that of the session.

        `in_words` puts the players' names into a sentence.
        """
        if daemon is None or (deal := deal_on_table(daemon)) is None:
            return None
        setup, hand = deal.setup, daemon.hand
        tile_set = daemon.run_state.ledger.on_top
        turned = [(step, face) for step, face in setup.done if isinstance(step, TurnUp)]
        throws = [
            ThrowStatus(by=step.by, dice=dice, why=step.why)
            for step, dice in setup.done
            if isinstance(step, Throw) and isinstance(dice, tuple)
        ]
        return RoundStatus(
            set=tile_set or 0,
            hand=number,
            dealer=setup.seating.dealer,
            phase=daemon.run_state.machine.top,
            step="" if setup.pending is None else in_words(step_in_words(setup.pending.facts())),
            throw=thrown or (throws[-1] if throws else None),
            choices={
                step.what: answer
                for step, answer in setup.done
                if isinstance(step, Choose) and isinstance(answer, int | str)
            },
            indicator=str(turned[-1][0].place) if turned else "",
            indicator_face=str(turned[-1][1] or "") if turned else "",
            acts=0 if hand is None else hand.acts,
            to_act=() if hand is None else hand.to_act,
            open_tiles=self._open_tiles.status(None if hand is None else hand.open_tiles),
            mixed_discards=rules_of(setup.game.name).mixes_discards(setup.parameters),
            over=hand is not None and hand.is_over,
        )


def deal_on_table(daemon: Daemon) -> Deal | None:
    """The deal of the round whose set is on the table; None while there is none."""
    run_state = daemon.run_state
    machine = run_state.machine
    if run_state.ledger.on_top is None or machine.above != "running" or machine.top in OVER:
        return None
    return daemon.deal


def turned_up(deal: Deal) -> Mapping[str, str]:
    """The places whose tiles were turned up in the set-up, as the picture shows them."""
    return {
        str(step.place): f"up {face or '?'}"
        for step, face in deal.setup.done
        if isinstance(step, TurnUp)
    }
