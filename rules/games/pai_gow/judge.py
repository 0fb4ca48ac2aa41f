"""A bet at pai gow on the floor: are both hands set as they may be, who takes them, who pays?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from rules.errors import RulesError
from rules.games.pai_gow.actions import SetHand
from rules.games.pai_gow.compare import compare
from rules.games.pai_gow.cuts import HANDS
from rules.games.pai_gow.house_ways import find_house_way, require_four
from rules.games.pai_gow.play import Hand, PaiGowPlay
from rules.games.pai_gow.settle import settle
from rules.games.pai_gow.setup import Parameters
from rules.games.pai_gow.split import Split, parse_split
from rules.geometry import Seat
from rules.judge_registry import Verdict
from rules.play import IllegalAction
from rules.tiles import Face, tile_set


@dataclass(frozen=True)
class Case:
    """What lies on the table: one player's four tiles against the banker's.

    `player_set` and `banker_set` say how they were set, the high hand first: `6-6 5-4 / 1-1 3-1`;
    without one, the house way sets them (4.3). `dealer` is the seat of the bank, `bet` what the
    player at `seat` has staked.
    """

    player: tuple[Face, ...]
    banker: tuple[Face, ...]
    player_set: str | None = None
    banker_set: str | None = None
    bet: int = 1
    seat: Seat = 1
    dealer: Seat = 0
    parameters: Parameters = field(default_factory=Parameters)

    def __post_init__(self) -> None:
        for seat in (self.seat, self.dealer):
            if not 0 <= seat < HANDS:
                raise RulesError(f"There is no seat {seat}; seats are 0 to {HANDS - 1}.")
        if self.seat == self.dealer:
            raise RulesError(f"Seat {self.seat} is the bank, which does not bet against itself.")
        if self.bet <= 0:
            raise RulesError(f"A stake of {self.bet} is no bet; give more than 0.")


def judge(case: Case) -> Verdict:
    """The verdict on the player's bet; raises RulesError for tiles that cannot be."""
    _require_tiles(case)
    player, told = _laid(case, case.seat, case.player, case.player_set)
    banker, also = _laid(case, case.dealer, case.banker, case.banker_set)
    by_way = (*told, *also)
    wrong = _against(case, {case.seat: player, case.dealer: banker})
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
        reasons.append("The bank's commission is on its net win from the whole table (4.2).")
    return Verdict(
        legal=True,
        win=result == "win",
        name=result,
        payments=settlement.payments,
        reasons=tuple(reasons),
    )


def _laid(
    case: Case, seat: Seat, tiles: tuple[Face, ...], said: str | None
) -> tuple[Split, tuple[str, ...]]:
    """A hand as it was set, or as the house way sets it, and the sentence that says so."""
    if said is None:
        way = find_house_way(case.parameters.house_way)
        split = way.set(tiles, case.parameters.ranking)
        return split, (f"The house way {way.name} sets seat {seat}'s hand: {split} (4.3).",)
    split = parse_split(said)
    if sorted(split.tiles) != sorted(tiles):
        raise RulesError(f"'{said}' is not what seat {seat} holds, which is {' '.join(tiles)}.")
    return split, ()


def _against(case: Case, splits: dict[Seat, Split]) -> tuple[str, ...]:
    """The sentences against hands that are set as they may not be (4.2, 4.3)."""
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
        except IllegalAction as error:
            wrong.append(f"Seat {seat} may not set so: {error}")
    return tuple(wrong)


def _require_tiles(case: Case) -> None:
    pile = tile_set("pai_gow_32")
    for tiles in (case.player, case.banker):
        for face in tiles:
            pile.require(face)
        require_four(tiles)
    for face, number in Counter(case.player + case.banker).items():
        if number > pile.faces.count(face):
            raise RulesError(
                f"'{face}' lies there {number} times, the set has {pile.faces.count(face)};"
                " look at the tiles again."
            )
