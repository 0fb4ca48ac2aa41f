"""A bet at pai gow on the floor: are both hands set as they may be, who takes them, who pays?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rules.errors import NotationError
from rules.games.pai_gow.actions import SetHand
from rules.games.pai_gow.compare import compare
from rules.games.pai_gow.cuts import HANDS
from rules.games.pai_gow.house_ways import find_house_way
from rules.games.pai_gow.play import Hand, PaiGowPlay
from rules.games.pai_gow.settle import settle
from rules.games.pai_gow.setup import Parameters
from rules.games.pai_gow.split import Split, parse_split
from rules.geometry import Seat
from rules.judge_checks import about_seats, refuse
from rules.judge_registry import Verdict
from rules.play import IllegalActionError
from rules.tiles import Face, tile_set

TILES = 4
"""Tiles of a hand (4.2)."""


@dataclass(frozen=True)
class Case:
    """What lies on the table: one player's four tiles against the banker's.

    Raises RulesError for a case that contradicts itself.
    """

    player: tuple[Face, ...]
    """The player's four tiles."""
    banker: tuple[Face, ...]
    """The banker's four tiles."""
    player_set: str | None = None
    """How the player has set them, the high hand first: `6-6 5-4 / 1-1 3-1`. Left out, the
    house way sets them (4.3).
    """
    banker_set: str | None = None
    """How the banker has set them. Left out, the house way sets them."""
    bet: int = 1
    """What the player has staked."""
    seat: Seat = 1
    """The player's seat."""
    dealer: Seat = 0
    """The seat of the bank."""
    parameters: Parameters = field(default_factory=Parameters)
    """What this house plays differently."""

    def __post_init__(self) -> None:
        refuse(about_seats({"seat": self.seat, "dealer": self.dealer}, HANDS))
        refuse(_about_the_bet(self))
        refuse(_about_tiles(self))
        for field_name, seat, tiles, text in (
            ("player_set", self.seat, self.player, self.player_set),
            ("banker_set", self.dealer, self.banker, self.banker_set),
        ):
            refuse(_about_a_set(field_name, seat, tiles, text))


def judge(case: Case) -> Verdict:
    """The verdict on the player's bet."""
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
    return parse_split(said), ()


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
        except IllegalActionError as error:
            wrong.append(f"Seat {seat} may not set so: {error}")
    return tuple(wrong)


def _about_the_bet(case: Case) -> Iterator[str]:
    if case.seat == case.dealer:
        yield f"seat: Seat {case.seat} is the bank, which does not bet against itself (4.2)."
    if case.bet <= 0:
        yield f"bet: A stake of {case.bet} is no bet; give more than 0."
    highest = case.parameters.highest_stake
    if 1 < highest < case.bet:
        yield f"bet: A stake of {case.bet} is more than this house allows, {highest} (section 5)."


def _about_tiles(case: Case) -> Iterator[str]:
    pile = tile_set("pai_gow_32")
    for name, tiles in (("player", case.player), ("banker", case.banker)):
        for face in tiles:
            if face not in pile:
                yield f"{name}: '{face}' is no tile of the set; write one as 6-4 (4.1)."
        if len(tiles) != TILES:
            yield f"{name}: A hand has {TILES} tiles (4.2), not {len(tiles)}."
    for face, number in Counter(case.player + case.banker).items():
        if number > pile.faces.count(face):
            yield (
                f"player: '{face}' lies there {number} times, the set has"
                f" {pile.faces.count(face)} (4.1); look at the tiles again."
            )


def _about_a_set(name: str, seat: Seat, tiles: tuple[Face, ...], text: str | None) -> Iterator[str]:
    if text is None:
        return
    try:
        split = parse_split(text)
    except NotationError as error:
        yield f"{name}: {error}"
        return
    if sorted(split.tiles) != sorted(tiles):
        yield f"{name}: '{text}' is not what seat {seat} holds, which is {' '.join(tiles)}."
