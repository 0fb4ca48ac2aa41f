"""The judge case of a recorded hand: the tiles on the table when its winner declared the win."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.filipino.actions import Act
from rules.games.filipino.legality.legal import declared
from rules.games.filipino.play import FilipinoPlay
from rules.games.filipino.position.table import FilipinoTable
from rules.games.filipino.wins import Declared
from rules.geometry import Seat
from rules.judging.judge_registry import RecordedAct, no_case
from rules.steps import Facts


def recorded_case(
    acts: Sequence[RecordedAct], play: FilipinoPlay, seat: Seat | None = None
) -> Facts:
    """The keys of the case of a hand's win; `seat` has no effect. Raises RulesError.

    A hand without a win has no case, and neither has a win with unknown tiles.
    """
    settlement = play.table.settlement
    if settlement is None or settlement.winner is None:
        raise no_case("no seat has won it")
    before, action = acts[-1]
    table: FilipinoTable = before.table
    offer = table.offer
    answers = (*(offer.answers if offer is not None else ()), action)
    wins = {act.seat: act for act in answers if act.verb == "win"}
    shown = _declared(table, wins[settlement.winner])
    if table.joker is None:
        raise no_case("the tile turned up is not recorded")
    facts: Facts = {
        "joker": table.joker,
        "hand": list(shown.concealed),
        "seat": settlement.winner,
        "by": "self" if offer is None else "robbing" if offer.added else "discard",
        "melds": _melds(shown),
        "flores": len(table.hands[settlement.winner].flores),
        "dealer": table.roller,
    }
    if shown.tile is not None:
        facts["tile"] = shown.tile
    if table.stakes > 1:
        facts["doubled"] = True
    if offer is not None:
        facts["discarder"] = offer.by
        facts["claims"] = [
            {
                "seat": rival,
                "hand": list(_declared(table, win).concealed),
                "melds": _melds(_declared(table, win)),
                "flores": len(table.hands[rival].flores),
            }
            for rival, win in wins.items()
            if rival != settlement.winner
        ]
    return facts


def _declared(table: FilipinoTable, win: Act) -> Declared:
    """The tiles of a declared win. Raises RulesError if they are not recorded."""
    shown = declared(table, win, table.offer)
    if not isinstance(shown, Declared) or None in shown.concealed:
        raise no_case(f"tiles of seat {win.seat} are not recorded")
    return shown


def _melds(shown: Declared) -> list[list[str]]:
    """The sets laid down, as their tiles. Raises RulesError for a set that was not read."""
    if not all(meld.tiles for meld in shown.melds):
        raise no_case("the tiles of a set laid down are not recorded")
    return [list(meld.tiles) for meld in shown.melds]
