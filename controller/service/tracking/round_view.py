"""The round on the table, its open tiles and its random choices as parts of the status.

They are derived from the run itself and not from events: a run that resumes emits no event for the
steps that it replays. The open tiles exist for those who see all of them and for players.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from controller.service.status import (
    ChanceStatus,
    CycleStatus,
    OpenFactStatus,
    OpenSetStatus,
    OpenTilesStatus,
    PlayedTileStatus,
    PlayerShareStatus,
    PlayersPicture,
    RoundStatus,
    SceneStatus,
    ThrowStatus,
)
from controller.service.status.players_view import places_of_tiles
from controller.service.tracking.event_words import step_in_words
from rules.games import rules_of
from rules.open_tiles import OpenFact, OpenSet, OpenTiles, mixed, tiles_before
from rules.steps import Choose, Throw, TurnUp

if TYPE_CHECKING:
    from controller.run.chance.records import CycleRecord
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


class OpenTilesView:
    """Converts the open tiles of the hand in play, once for each change."""

    def __init__(self) -> None:
        self._last: tuple[OpenTiles | None, OpenTilesStatus | None] = (None, None)

    def status(self, tiles: OpenTiles | None) -> OpenTilesStatus | None:
        """The open tiles for the status; None if the table follows no hand."""
        if self._last[0] is not tiles:
            self._last = tiles, None if tiles is None else _status(tiles)
        return self._last[1]


def _status(tiles: OpenTiles) -> OpenTilesStatus:
    return OpenTilesStatus(
        played=tuple(
            PlayedTileStatus(seat=each.seat, face=each.face or "", joined=each.joined)
            for each in tiles.played
        ),
        sets=tuple(map(_set, tiles.sets)),
        facts=tuple(map(_fact, tiles.facts)),
    )


def _set(each: OpenSet) -> OpenSetStatus:
    return OpenSetStatus(
        seat=each.seat,
        name=each.name,
        faces=tuple(face or "" for face in each.faces),
        claimed=each.claimed,
        source=each.source,
    )


def _fact(each: OpenFact) -> OpenFactStatus:
    return OpenFactStatus(name=each.name, text=each.text, seat=each.seat)


def players_picture(daemon: Daemon | None, scene: SceneStatus) -> PlayersPicture | None:
    """The values that players receive in place of some parts of the status.

    None if they may see all: if the discards do not lie mixed, or the table follows no hand.
    """
    if daemon is None or (hand := daemon.hand) is None or not hand.mixes_discards:
        return None
    number, deal = daemon.run_state.ledger.on_top, daemon.deal
    if number is None or deal is None:
        return None
    hands = daemon.run_state.ledger.sets[number].hands
    before = tiles_before(hand.open_tiles, {seat: len(places) for seat, places in hands.items()})
    gone = {str(place) for places in hands.values() for place in places}
    dealt = {
        seat: [str(place) for place in places if str(place) in gone]
        for seat, places in deal.setup.hands.items()
    }
    known = {place for places in dealt.values() for place in places}
    drawn = [str(place) for place in hand.drawn if str(place) in gone]
    # Tiles that came otherwise, such as flores that were turned up for mano, are in no action.
    other = sorted(gone - known - set(drawn))
    values = places_of_tiles(dealt, [*other, *drawn], before, hand.to_act)
    shown = {at: value for at, value in scene.places.items() if not value.startswith("seat ")}
    tiles = mixed(hand.open_tiles)
    return PlayersPicture(
        open_tiles=OpenTilesStatus(
            pool=tuple(face or "" for face in tiles.pool),
            sets=tuple(map(_set, tiles.sets)),
            facts=tuple(map(_fact, tiles.facts)),
        ),
        places=dict(sorted({**values, **shown}.items())),
        tiles=before,
    )


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
