"""A claimed win on the floor: whether it stands, as what, and who pays whom what (F24-F38)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from rules.errors import RulesError
from rules.games.filipino.actions import bare
from rules.games.filipino.hand import Meld, MeldName, defect
from rules.games.filipino.parameters import SEATS, Parameters
from rules.games.filipino.score import How, Won, false_win, price
from rules.games.filipino.setup import FILIPINO
from rules.games.filipino.wins import Declared, WinningHand, winning_hand
from rules.geometry import Seat
from rules.judge_registry import Verdict
from rules.tiles import Face

ALIKE = 4
"""Tiles of a kind in the set; of each flower there is one (F3)."""
By = Literal["discard", "self", "replacement", "robbing"]


@dataclass(frozen=True)
class Rival:
    """Another seat that declared a win on the same tile."""

    seat: Seat
    hand: tuple[Face, ...]
    melds: tuple[tuple[Face, ...], ...] = ()
    flores: int = 0


@dataclass(frozen=True)
class Case:
    """What lies on the table.

    `hand` are the concealed tiles, with or without the winning `tile`; `melds` the sets laid down,
    a joker in them starred (`5m*`). `flores` is how many the winner has laid out (F30). `claims`
    are the others who declared on the same tile. `dealer` and `streak` change nothing here.
    """

    joker: Face
    hand: tuple[Face, ...]
    seat: Seat
    tile: Face | None = None
    by: By = "self"
    melds: tuple[tuple[Face, ...], ...] = ()
    flores: int = 1
    discarder: Seat | None = None
    dealer: Seat = 0
    streak: int = 1
    claims: tuple[Rival, ...] = ()
    parameters: Parameters = field(default_factory=Parameters)

    def __post_init__(self) -> None:
        seats = [self.seat, self.dealer, *(rival.seat for rival in self.claims)]
        for seat in (*seats, *(() if self.discarder is None else (self.discarder,))):
            if not 0 <= seat < SEATS:
                raise RulesError(f"There is no seat {seat}; seats are 0 to {SEATS - 1}.")
        if self.taken and (self.tile is None or self.discarder is None):
            raise RulesError("A win on another's tile names it and its seat: tile and discarder.")
        if self.taken and self.discarder == self.seat:
            raise RulesError(f"Seat {self.seat} cannot win on a tile of his own.")

    @property
    def taken(self) -> bool:
        """Whether the tile came from another seat."""
        return self.by in ("discard", "robbing")


def judge(case: Case) -> Verdict:
    """The verdict on the claim of `case.seat`; raises RulesError for tiles that cannot be."""
    _require_tiles(case)
    own = Rival(case.seat, case.hand, case.melds, case.flores)
    hand = winning_hand(_declared(case, own), case.parameters)
    if hand is None:
        return Verdict(
            legal=False,
            name="false win",
            payments=false_win(case.seat, case.parameters),
            reasons=("These tiles are no five sets and a pair, nor seven pairs and a set (F26).",),
        )
    winner, best = _first(case, own, hand)
    how: How = case.by if case.by in ("discard", "robbing") else "self"
    source = case.discarder if case.taken else None
    told = price(Won(winner.seat, best, how, source, winner.flores), case.parameters)
    reasons = (*told.reasons, f"The winner takes {told.chips} chips (F34).")
    if winner is not own:
        before = f"Seat {winner.seat} comes before seat {case.seat} on this tile (F33)."
        reasons = (before, *reasons)
    return Verdict(
        legal=winner is own,
        win=winner is own,
        name=told.name,
        payments=told.payments,
        reasons=reasons,
    )


def _first(case: Case, own: Rival, hand: WinningHand) -> tuple[Rival, WinningHand]:
    """The one of several winners whose win counts (F33, A2)."""
    winners = [(own, hand)]
    for rival in case.claims:
        other = winning_hand(_declared(case, rival), case.parameters)
        if other is not None:
            winners.append((rival, other))
    if len(winners) == 1 or case.discarder is None:
        return own, hand
    way = -1 if case.parameters.multi_win == "upper_seat_first" else 1
    discarder = case.discarder
    return min(winners, key=lambda one: way * (one[0].seat - discarder) % SEATS)


def _declared(case: Case, rival: Rival) -> Declared:
    tiles = list(rival.hand)
    complete = len(tiles) % 3 == 2
    if case.tile is not None and not complete:
        tiles.append(case.tile)
    if len(tiles) + 3 * len(rival.melds) != 17:
        raise RulesError(
            f"Seat {rival.seat} shows {len(tiles)} tiles and {len(rival.melds)} sets; a winning"
            " hand has 17 tiles, a set laid down counted as three."
        )
    if case.tile is not None and case.tile not in tiles:
        raise RulesError(f"The hand of seat {rival.seat} has not the winning tile, '{case.tile}'.")
    return Declared(
        concealed=tuple(tiles),
        joker=case.joker,
        tile=case.tile,
        taken=case.taken,
        melds=tuple(_laid(tiles, case.joker) for tiles in rival.melds),
    )


def _laid(tiles: tuple[Face, ...], joker: Face) -> Meld:
    """A set laid down. Raises RulesError for tiles that are none."""
    faces = {bare(tile) for tile in tiles}
    name: MeldName = "chow" if len(faces) > 1 else "kong" if len(tiles) == 4 else "pong"
    if not 3 <= len(tiles) <= 4 or (name == "chow" and len(tiles) > 3):
        raise RulesError(f"'{' '.join(tiles)}' is no set; three or four tiles are.")
    wrong = defect(name, tiles, joker)
    if wrong is not None:
        raise RulesError(wrong)
    return Meld(name, tiles)


def _require_tiles(case: Case) -> None:
    """All tiles are of the set, and none is there too often, the one turned up included."""
    shown = [case.joker]
    if case.tile is not None and len(case.hand) % 3 != 2:
        shown.append(case.tile)
    for laid in (Rival(case.seat, case.hand, case.melds), *case.claims):
        shown += laid.hand
        for meld in laid.melds:
            shown += [case.joker if tile.endswith("*") else tile for tile in meld]
    for face, number in Counter(shown).items():
        FILIPINO.tiles.require(face)
        most = 1 if face.endswith("f") else ALIKE
        if number > most:
            raise RulesError(f"There are only {most} '{face}', the one turned up included.")
