"""The judge of pai gow: a comparison of hands, the cuts that the house offers, the next banker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from rules.errors import NotationError, RulesError
from rules.games.pai_gow.actions import SetHand
from rules.games.pai_gow.cuts import CUTS, HANDS, find_cut
from rules.games.pai_gow.house_ways import find_house_way
from rules.games.pai_gow.match import PaiGowMatch
from rules.games.pai_gow.play import Hand, PaiGowPlay
from rules.games.pai_gow.ranking import Split, parse_split
from rules.games.pai_gow.settle import compare, settle
from rules.games.pai_gow.setup import MOST_STAKED, Parameters
from rules.geometry import Seat, around
from rules.judging import RecordedAct, Verdict, check_range, check_seats, no_case, refuse
from rules.play import IllegalActionError
from rules.steps import Facts
from rules.tiles import Face, tile_set

TILES = 4
"""The number of tiles of a hand (4.2)."""


@dataclass(frozen=True)
class Case:
    """One player's four tiles against the banker's four tiles.

    Raises RulesError for a case that contradicts itself.
    """

    player: tuple[Face, ...]
    """The player's four tiles."""
    banker: tuple[Face, ...]
    """The banker's four tiles."""
    player_set: str | None = None
    """The player's split, the high hand first: `6-6 5-4 / 1-1 3-1`. If left out, the house way
    sets the tiles (4.3).
    """
    banker_set: str | None = None
    """The banker's split. If left out, the house way sets the tiles."""
    bet: int = 1
    """The player's stake."""
    seat: Seat = 1
    """The player's seat."""
    dealer: Seat = 0
    """The seat of the bank."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_seats({"seat": self.seat, "dealer": self.dealer}, HANDS))
        refuse(_check_bet(self))
        refuse(_check_tiles(self))
        for field_name, seat, tiles, text in (
            ("player_set", self.seat, self.player, self.player_set),
            ("banker_set", self.dealer, self.banker, self.banker_set),
        ):
            refuse(_check_split(field_name, seat, tiles, text))


def judge(case: Case) -> Verdict:
    """The verdict on the player's bet."""
    player, player_reason = _split(case, case.seat, case.player, case.player_set)
    banker, banker_reason = _split(case, case.dealer, case.banker, case.banker_set)
    by_way = (*player_reason, *banker_reason)
    wrong = _why_illegal(case, {case.seat: player, case.dealer: banker})
    if wrong:
        return Verdict(legal=False, name="set wrongly", reasons=(*wrong, *by_way))

    house = case.parameters
    result = compare(player, banker, house).result
    settlement = settle(
        replace(house, bank_commission=False),
        case.dealer,
        [case.bet] * HANDS,
        {case.seat: result},
        {case.seat: player, case.dealer: banker},
    )
    reasons = [*settlement.reasons, *by_way]
    if result == "win" and house.commission:
        reasons.append(f"The house takes {house.commission * 100:g} % of the win (4.2).")
    if result == "lose" and house.bank_commission:
        reasons.append("The bank pays its commission on its net win from the whole table (4.2).")
    return Verdict(
        legal=True,
        win=result == "win",
        name=result,
        payments=settlement.payments,
        reasons=tuple(reasons),
    )


def _split(
    case: Case, seat: Seat, tiles: tuple[Face, ...], text: str | None
) -> tuple[Split, tuple[str, ...]]:
    """A hand as it was set; or as the house way sets it, with a sentence about it."""
    if text is None:
        way = find_house_way(case.parameters.house_way)
        split = way.set(tiles, case.parameters.ranking)
        return split, (f"The house way {way.name} sets seat {seat}'s hand: {split} (4.3).",)
    return parse_split(text), ()


def _why_illegal(case: Case, splits: dict[Seat, Split]) -> tuple[str, ...]:
    """A sentence for each hand that is set illegally (4.2, 4.3)."""
    table = PaiGowPlay(
        parameters=replace(case.parameters, banker_sets_last=False),
        banker=case.dealer,
        hands=tuple(
            Hand(splits[seat].tiles if seat in splits else (None,) * 4) for seat in range(HANDS)
        ),
        stakes=(case.bet,) * HANDS,
    )
    wrong = []
    for seat, split in splits.items():
        try:
            table.legal_actions.require(SetHand(seat, split))
        except IllegalActionError as error:
            wrong.append(f"Seat {seat} cannot set its hand in this way: {error}")
    return tuple(wrong)


def _check_bet(case: Case) -> Iterator[str]:
    if case.seat == case.dealer:
        yield f"seat: Seat {case.seat} is the bank, which cannot bet against itself (4.2)."
    if case.bet <= 0:
        yield f"bet: The stake must be more than 0, not {case.bet}."
    highest = case.parameters.most_staked
    if case.bet > MOST_STAKED:
        yield f"bet: The stake must be at most {MOST_STAKED} units, not {case.bet} (section 5)."
    elif case.bet > highest:
        yield f"bet: The stake must be at most {highest} in this house, not {case.bet} (section 5)."


def _check_tiles(case: Case) -> Iterator[str]:
    pile = tile_set("pai_gow_32")
    for name, tiles in (("player", case.player), ("banker", case.banker)):
        for face in tiles:
            if face not in pile:
                yield f"{name}: '{face}' is not a tile of the set; write one as 6-4 (4.1)."
        if len(tiles) != TILES:
            yield f"{name}: A hand has {TILES} tiles (4.2), not {len(tiles)}."
    for face, number in Counter(case.player + case.banker).items():
        if number > pile.faces.count(face):
            yield (
                f"player: '{face}' is named {number} times, but the set has"
                f" {pile.faces.count(face)} (4.1); read the tiles again."
            )


def _check_split(name: str, seat: Seat, tiles: tuple[Face, ...], text: str | None) -> Iterator[str]:
    if text is None:
        return
    try:
        split = parse_split(text)
    except NotationError as error:
        yield f"{name}: {error}"
        return
    if sorted(split.tiles) != sorted(tiles):
        yield f"{name}: '{text}' are not the tiles of seat {seat}, which are {' '.join(tiles)}."


def recorded_case(acts: Sequence[RecordedAct], play: PaiGowPlay, seat: Seat | None = None) -> Facts:
    """The keys of the case of one player's bet; without `seat`, of the first player who bet.

    Raises RulesError for a seat without a bet, and for a hand that was not shown.
    """
    betting = [player for player in play.players if play.stakes[player] > 0]
    if seat is None and betting:
        seat = betting[0]
    if seat not in betting:
        who = "no seat" if seat is None else f"seat {seat}"
        raise no_case(f"{who} has bet against the bank at seat {play.banker}")
    bet = play.stakes[seat]
    if bet != int(bet):
        raise no_case(f"the bet of {bet} is not a whole number")
    player, banker = (_shown(play.hands[each], each) for each in (seat, play.banker))
    return {
        "player": list(player.tiles),
        "banker": list(banker.tiles),
        "player_set": str(player),
        "banker_set": str(banker),
        "bet": int(bet),
        "seat": seat,
        "dealer": play.banker,
    }


def _shown(hand: Hand, seat: Seat) -> Split:
    if hand.split is None:
        raise no_case(f"the tiles of seat {seat} were not shown")
    return hand.split


@dataclass(frozen=True)
class CutCalled:
    """Whether a banker may call a cut in this house, and which tiles form each hand (S3, 4.1)."""

    cut: str
    """The cut as it is called, such as `cup_say` or `cup_say+reverse`."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        if len(self.cut) > 80:
            refuse(["cut: The name of a cut has at most 80 characters."])

    def verdict(self) -> Verdict:
        """The verdict, valid if the house offers the cut."""
        house = self.parameters
        if self.cut not in house.cuts:
            names = ", ".join((*house.allowed_cuts, *(own.name for own in house.user_cuts)))
            known = self.cut.partition("+")[0] in CUTS
            why = "is not offered in this house" if known else "is not a cut"
            reason = f"'{self.cut}' {why}; the house offers {names} (S3)."
            return Verdict(legal=False, name="not allowed", reasons=(reason,))
        try:
            cut = find_cut(self.cut, house.user_cuts)
        except RulesError as error:
            return Verdict(legal=False, name="not allowed", reasons=(str(error),))
        hands = tuple(
            f"Hand {number}: {' '.join(map(str, places))}."
            for number, places in enumerate(cut.hands, 1)
        )
        return Verdict(
            legal=True, name=self.cut, reasons=(f"'{self.cut}' is offered (S3).", *hands)
        )


@dataclass(frozen=True)
class NextBanker:
    """Who is offered the bank next (4.3)."""

    banker: Seat
    """The banker of the hand that is over."""
    players: int
    """The number of players."""
    banked: int = 1
    """The number of hands in a row that the banker has banked, including this one."""
    declined: tuple[Seat, ...] = ()
    """The seats that have declined the bank since, in order."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_range("players", self.players, 2, HANDS, "4.3"))
        refuse(check_seats({"banker": self.banker}, self.players))
        refuse(check_range("banked", self.banked, 1, self.parameters.hands_as_bank, "4.3"))
        for seat in self.declined:
            refuse(check_seats({"declined": seat}, self.players))

    def verdict(self) -> Verdict:
        """The verdict, whose reasons name the next banker."""
        house = self.parameters
        keeps = self.banked < house.hands_as_bank
        ring = around(self.banker, HANDS, house.bank_direction)
        others = [seat for seat in ring if seat < self.players][1:]
        match = PaiGowMatch(house, self.banker if keeps else others[0], (0,) * self.players)
        for seat in self.declined:
            if seat != match.dealer:
                why = f"Seat {seat} is not offered the bank; seat {match.dealer} is (4.3)."
                return Verdict(legal=False, name="not allowed", reasons=(why,))
            try:
                match = match.decline()
            except RulesError as error:
                return Verdict(legal=False, name="not allowed", reasons=(str(error),))
        if match.over:
            reason = "Every player has declined and the house plays no seat; the match is over."
            return Verdict(legal=True, name="no banker", reasons=(reason,))
        reason = f"Seat {match.dealer} is offered the bank (4.3)."
        return Verdict(legal=True, name="next banker", reasons=(reason,))


QUESTIONS: Final = {"cut": CutCalled, "banker": NextBanker}
"""The questions besides a comparison of hands, by the value of `ask`."""
