"""The judge of Wenzhou mahjong: whether a claimed win is valid, its class, and who pays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from rules.games.wenzhou.case import Case, Rival, concealed, laid_down, recorded_case
from rules.games.wenzhou.discard_order import why_not_discard
from rules.games.wenzhou.match import WenzhouMatch
from rules.games.wenzhou.score import FALSE_WIN, Stakes, false_win, won
from rules.games.wenzhou.setup import SEATS, TILES_AFTER_THE_DEAL, WENZHOU, Parameters
from rules.games.wenzhou.state import ALIKE, SeatHand
from rules.games.wenzhou.tiles import Caishen, set_down
from rules.games.wenzhou.wins import DOUBLE, SETS, Claim, NoWin, WinReading, judged
from rules.geometry import Seat
from rules.judging import Verdict, check_range, check_seats, check_takers, refuse
from rules.play import Settlement
from rules.tiles import Face

__all__ = ["QUESTIONS", "Case", "judge", "recorded_case"]


def judge(case: Case) -> Verdict:
    """The verdict on the claim of `case.seat`."""
    own = case.claimants[0]
    stakes = Stakes(case.dealer, case.streak, case.parameters)
    win = judged(claimed_hand(case, own), case.parameters)
    if isinstance(win, NoWin):
        penalty = false_win(case.seat, stakes, win.sentence)
        wins, payments, reasons = _wins(case), penalty.payments, penalty.reasons
        who = None
        if wins and case.parameters.after_false_win == "ends":
            reasons += ("A false win ends the hand in this house; no other claim wins (W36).",)
        elif wins:
            who, best = _first_winner(case, wins)
            settlement = won(who, best, stakes)
            name = f"{best.name}, x{best.multiplier}"
            reasons += (f"Seat {who} wins on this tile: {name} (W26).", *settlement.reasons)
            payments += settlement.payments
        return Verdict(
            legal=False,
            name=penalty.name,
            multiplier=penalty.multiplier,
            payments=payments,
            reasons=reasons,
            winner=who,
        )
    winner, best = _first_winner(case, {case.seat: win, **_wins(case)})
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
        winner=winner,
    )


def _wins(case: Case) -> dict[Seat, WinReading]:
    """The valid claims of the other seats."""
    judgements = {
        rival.seat: judged(claimed_hand(case, rival), case.parameters) for rival in case.claims
    }
    return {seat: win for seat, win in judgements.items() if isinstance(win, WinReading)}


def _first_winner(case: Case, wins: dict[Seat, WinReading]) -> tuple[Seat, WinReading]:
    """The winner with priority: a double first, then the nearest in turn (W26, W27, E18).

    Only a tile of a discarder can have several claims.
    """
    discarder = case.discarder or 0
    return min(
        wins.items(),
        key=lambda one: (one[1].multiplier != DOUBLE, (one[0] - discarder) % SEATS),
    )


def claimed_hand(case: Case, rival: Rival) -> Claim:
    """The hand that a seat of a case shows for a win."""
    caishen = Caishen(case.indicator)
    hand, tile = concealed(case, rival)
    return Claim(
        caishen=caishen,
        hand=hand,
        tile=tile,
        by=case.by,
        melds=laid_down(rival, caishen),
        first_turn=case.first_turn,
        undisturbed=case.undisturbed,
    )


MOST_KONGS: Final = SEATS * SETS
"""More kongs than this cannot lie on the table: five sets of each seat."""


@dataclass(frozen=True)
class Discard:
    """Whether a seat may discard a tile (W16, W17, W22; cases WZ-30 and WZ-31)."""

    indicator: Face
    """The tile turned up (W14)."""
    hand: tuple[Face, ...]
    """The seat's concealed tiles, including the tile to be discarded."""
    tile: Face
    """The tile to be discarded."""
    discarded: tuple[Face, ...] = ()
    """The tiles that any seat has discarded before, claimed ones included (E13)."""
    melds: tuple[tuple[Face, ...], ...] = ()
    """The sets that the seat has laid down, each as its tiles."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        for face in (self.indicator, self.tile, *self.hand, *self.discarded):
            WENZHOU.tiles.require(face)
        refuse(self._wrong())

    def _wrong(self) -> Iterator[str]:
        if self.tile not in self.hand:
            yield f"tile: '{self.tile}' is not in the hand; it has {' '.join(self.hand)}."
        tiles = len(self.hand) + 3 * len(self.melds)
        if tiles != 3 * SETS + 2:
            yield (
                f"hand: A seat that discards has {3 * SETS + 2} tiles, each set counted as three,"
                f" not {tiles} (W9)."
            )
        seen = [self.indicator, *self.hand, *self.discarded]
        seen += [face for meld in self.melds for face in meld]
        for face, number in Counter(seen).items():
            if number > ALIKE + (face in self.discarded and bool(self.melds)):
                yield f"hand: The set has only {ALIKE} '{face}'; the case shows {number} (W1)."

    def verdict(self) -> Verdict:
        """The verdict, valid if the discard is allowed."""
        caishen = Caishen(self.indicator)
        hand = SeatHand(self.hand, tuple(set_down(meld, caishen) for meld in self.melds))
        thrown = frozenset(caishen.kind_of(face) for face in self.discarded)
        why = why_not_discard(self.tile, hand, caishen, thrown, self.parameters)
        if why is not None:
            return Verdict(legal=False, name="not allowed", reasons=(why,))
        reason = f"'{self.tile}' may be discarded (W16, W17, W22)."
        return Verdict(legal=True, name="discard", reasons=(reason,))


@dataclass(frozen=True)
class DrawnHand:
    """Whether the hand ends without a winner when a tile is to be drawn (W29, E3; WZ-05, WZ-06)."""

    second_throw: int
    """The sum of the second roller's two dice (W6)."""
    left: int
    """The number of tiles in the wall, including the indicator."""
    replaced: int = 0
    """The number of replacement tiles that were taken for kongs (W23)."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_range("second_throw", self.second_throw, 2, 12, "W6"))
        refuse(check_range("left", self.left, 0, TILES_AFTER_THE_DEAL, "W29"))
        most = min(MOST_KONGS, TILES_AFTER_THE_DEAL - self.left)
        refuse(check_range("replaced", self.replaced, 0, most, "W23"))

    def verdict(self) -> Verdict:
        """The verdict, valid if the hand is drawn now."""
        tail = self.replaced if self.parameters.kong_source == "tail" else 0
        last = max(self.parameters.reserve, 1, 2 * self.second_throw + 2 - tail)
        drawn = self.left <= last
        reason = f"{self.left} tiles are left; the hand is drawn at {last} (W29, E3)."
        name = "drawn hand" if drawn else "the hand goes on"
        return Verdict(legal=drawn, name=name, reasons=(reason,))


@dataclass(frozen=True)
class NextDealer:
    """Who deals the next hand, and with which figure (W32 to W34; cases WZ-28 and WZ-29)."""

    dealer: Seat
    """The dealer of the hand that is over."""
    streak: int = 1
    """The number of the dealer's hands in a row, including this one (W31)."""
    winner: Seat | None = None
    """The seat that has won; left out for a drawn hand."""
    kongs: int = 0
    """The number of kongs of all seats in the hand (W34)."""
    false_win: bool = False
    """The hand ended with a false win (W36)."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_seats({"dealer": self.dealer, "winner": self.winner}, SEATS))
        refuse(check_range("streak", self.streak, 1, len(self.parameters.dealer_scale), "W31"))
        refuse(check_range("kongs", self.kongs, 0, MOST_KONGS, "W34"))
        if self.false_win and self.winner is not None:
            refuse(["winner: A hand that ends with a false win has no winner (W36)."])

    def verdict(self) -> Verdict:
        """The verdict, whose reasons name the next dealer."""
        match = WenzhouMatch(self.parameters, self.dealer, self.streak)
        over = Settlement(FALSE_WIN if self.false_win else "", winner=self.winner)
        after = match.settled(over, kongs=self.kongs)
        stays = after.dealer == self.dealer
        rule = (
            "W36"
            if self.false_win
            else ("W34" if self.winner is None else "W33" if self._is_last else "W32")
        )
        who = f"Seat {after.dealer} deals next, with the figure {after.stakes.figure} ({rule})."
        if after.reseating:
            who = "The seats are drawn again before the next hand (W33)."
        return Verdict(legal=True, name="same dealer" if stays else "new dealer", reasons=(who,))

    @property
    def _is_last(self) -> bool:
        return self.winner == self.dealer and self.streak >= len(self.parameters.dealer_scale)


@dataclass(frozen=True)
class RankedClaim:
    """A seat's claim on a discard; several claims form one question (W26 to W28)."""

    seat: Seat
    """The seat that claims the discard."""
    what: Literal["win", "double win", "kong", "pong", "chow"]
    """What it claims; a double win is one of the class double (W27)."""


@dataclass(frozen=True)
class WhoGetsIt:
    """Which of several claims on a discard counts (W19, W26 to W28; case WZ-32)."""

    discarder: Seat
    """The seat that discarded the tile."""
    claims: tuple[RankedClaim, ...]
    """The claims of the other seats, each valid by itself."""

    def __post_init__(self) -> None:
        refuse(check_seats({"discarder": self.discarder}, SEATS))
        refuse(self._wrong())

    def _wrong(self) -> Iterator[str]:
        named = [(each.seat, each.what) for each in self.claims]
        yield from check_takers(self.discarder, named, SEATS, "W19")
        sets = [each for each in self.claims if each.what in ("pong", "kong")]
        if len(sets) > 1:
            yield "claims: Only one seat can have two or three more of the same tile (W1)."

    def verdict(self) -> Verdict:
        """The verdict, which names the claim that counts."""
        order = ("double win", "win", "kong", "pong", "chow")

        def before(each: RankedClaim) -> tuple[int, int]:
            rank = min(order.index(each.what), 3) if each.what != "chow" else 4
            return rank, (each.seat - self.discarder) % SEATS

        first = min(self.claims, key=before)
        wins = first.what.endswith("win")
        reason = f"Seat {first.seat} gets the tile for its {first.what} (W26, W27, W28)."
        return Verdict(
            legal=True,
            name=f"{first.what} of seat {first.seat}",
            reasons=(reason,),
            winner=first.seat if wins else None,
        )


QUESTIONS: Final = {
    "discard": Discard,
    "drawn": DrawnHand,
    "dealer": NextDealer,
    "claims": WhoGetsIt,
}
"""The questions besides a win, by the value of `ask`."""
