"""A claimed win on the floor: whether it stands, in which class, and who pays whom what."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from rules.errors import RulesError
from rules.games.wenzhou.caishen import Caishen
from rules.games.wenzhou.hand import DOUBLE, By, Claim, NoWin, Win, judged
from rules.games.wenzhou.parameters import Parameters
from rules.games.wenzhou.position import ALIKE
from rules.games.wenzhou.score import Stakes, false_win, won
from rules.games.wenzhou.sets_down import set_down
from rules.games.wenzhou.setup import SEATS, WENZHOU
from rules.geometry import Seat
from rules.judge_registry import Verdict
from rules.tiles import Face


@dataclass(frozen=True)
class Rival:
    """Another seat that called a win on the same tile."""

    seat: Seat
    hand: tuple[Face, ...]
    melds: tuple[tuple[Face, ...], ...] = ()


@dataclass(frozen=True)
class Case:
    """What lies on the table.

    `hand` are the concealed tiles, with or without the winning `tile`; `melds` the sets laid down.
    `first_turn`: the dealer's dealt hand, or a win on his first discard; `undisturbed`: no call
    came before it. `claims` are the others who called on the same tile; then `discarder` is needed.
    """

    indicator: Face
    hand: tuple[Face, ...]
    seat: Seat
    tile: Face | None = None
    by: By = "self"
    melds: tuple[tuple[Face, ...], ...] = ()
    dealer: Seat = 0
    streak: int = 1
    discarder: Seat | None = None
    first_turn: bool = False
    undisturbed: bool = True
    claims: tuple[Rival, ...] = ()
    parameters: Parameters = field(default_factory=Parameters)

    def __post_init__(self) -> None:
        seats = [self.seat, self.dealer, *(rival.seat for rival in self.claims)]
        for seat in (*seats, *(() if self.discarder is None else (self.discarder,))):
            if not 0 <= seat < SEATS:
                raise RulesError(f"There is no seat {seat}; seats are 0 to {SEATS - 1}.")
        if self.streak < 1:
            raise RulesError(f"The dealer's first hand in a row is 1, not {self.streak}.")
        if self.by in ("discard", "robbing") and self.tile is None:
            raise RulesError("A win on another's tile names it: give the tile.")
        if self.discarder == self.seat and self.by in ("discard", "robbing"):
            raise RulesError(f"Seat {self.seat} cannot win on a tile of his own.")


def judge(case: Case) -> Verdict:
    """The verdict on the claim of `case.seat`; raises RulesError for tiles that cannot be."""
    _require_tiles(case)
    stakes = Stakes(case.dealer, case.streak, case.parameters)
    win = judged(_claim(case, Rival(case.seat, case.hand, case.melds)), case.parameters)
    if isinstance(win, NoWin):
        penalty = false_win(case.seat, stakes, win.sentence)
        return Verdict(
            legal=False, name=penalty.name, payments=penalty.payments, reasons=penalty.reasons
        )
    winner, best = _one_winner(case, win)
    settlement = won(winner, best, stakes)
    reasons = settlement.reasons
    if winner != case.seat:
        rule = "a double win comes first (W27)" if best.multiplier == DOUBLE else "is nearer (W26)"
        reasons = (f"Seat {winner} wins instead of seat {case.seat}: {rule}.", *reasons)
    return Verdict(
        legal=winner == case.seat,
        win=winner == case.seat,
        name=best.name,
        multiplier=best.multiplier,
        payments=settlement.payments,
        reasons=reasons,
    )


def _one_winner(case: Case, win: Win) -> tuple[Seat, Win]:
    """The one whose win counts: a double first, then the nearest in turn (W26, W27, E18)."""
    won_by = {case.seat: win}
    for rival in case.claims:
        other = judged(_claim(case, rival), case.parameters)
        if isinstance(other, Win):
            won_by[rival.seat] = other
    if len(won_by) == 1:
        return case.seat, win
    discarder = case.discarder
    if discarder is None:
        raise RulesError("Several seats win: give the discarder, from whom turns are counted.")
    return min(
        won_by.items(),
        key=lambda one: (one[1].multiplier != DOUBLE, (one[0] - discarder) % SEATS),
    )


def _claim(case: Case, rival: Rival) -> Claim:
    caishen = Caishen(case.indicator)
    hand, tile = list(rival.hand), case.tile
    if tile is None or len(hand) % 3 == 2:
        tile = hand[-1] if tile is None and hand else tile
        if tile not in hand:
            raise RulesError(f"The hand of seat {rival.seat} has not the winning tile, '{tile}'.")
        hand.remove(tile)
    return Claim(
        caishen=caishen,
        hand=tuple(hand),
        tile=tile,
        by=case.by,
        melds=tuple(set_down(faces, caishen) for faces in rival.melds),
        first_turn=case.first_turn,
        undisturbed=case.undisturbed,
    )


def _require_tiles(case: Case) -> None:
    shown = [case.indicator]
    if case.tile is not None and len(case.hand) % 3 != 2:
        shown.append(case.tile)
    for laid in (Rival(case.seat, case.hand, case.melds), *case.claims):
        shown += [*laid.hand, *(face for meld in laid.melds for face in meld)]
    for face, number in Counter(shown).items():
        WENZHOU.tiles.require(face)
        if number > ALIKE:
            raise RulesError(f"There are only {ALIKE} '{face}', the indicator included.")
