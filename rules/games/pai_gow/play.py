"""A hand of pai gow from the dealt tiles to the settlement (4.2, 4.3).

Every player sets four tiles as a high and a low hand, in any order of seats; then the banker does.
A seat of the house can set only by the house way. A hand with unknown tiles is set without faces;
later it is shown, or the floor calls its result. Hands of empty positions are dead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import get_args

from rules.errors import IllegalSetupError
from rules.games.pai_gow.actions import Action, Call, SetHand, Show
from rules.games.pai_gow.cuts import HANDS
from rules.games.pai_gow.house_ways import find_house_way
from rules.games.pai_gow.optimum import four_tile_hands
from rules.games.pai_gow.ranking import Split, is_legal, settings
from rules.games.pai_gow.settle import RESULTS, Result, compare, settle
from rules.games.pai_gow.setup import Parameters, stakes_of
from rules.geometry import Seat, around
from rules.play import Amount, LegalActions, Settlement, Tiles, tiles_of
from rules.playing.known_tiles import known_tiles
from rules.setup import Setup
from rules.tiles import Face, tile_set
from rules.well_typed import why_ill_typed

_CLASSES = get_args(Action)


@dataclass(frozen=True)
class Hand:
    """The four tiles of a seat, None for each unknown tile, and their split.

    `called` is the result that the floor called, if the tiles are unknown.
    """

    tiles: tuple[Face | None, ...]
    is_set: bool = False
    split: Split | None = None
    called: Result | None = None

    @property
    def known(self) -> tuple[Face, ...]:
        return tuple(face for face in self.tiles if face is not None)

    @property
    def is_known(self) -> bool:
        return None not in self.tiles


@dataclass(frozen=True)
class PaiGowPlay:
    """A hand in progress: `hands` and `stakes` by seat, including the banker's.

    `dead` are the hands of empty positions, if the house shows them (A14).
    """

    parameters: Parameters
    banker: Seat
    hands: tuple[Hand, ...]
    stakes: tuple[Amount, ...]
    dead: tuple[Hand, ...] = ()

    @cached_property
    def players(self) -> tuple[Seat, ...]:
        """Every seat that bets against the bank, in the order of settlement."""
        return players_against(self.banker, len(self.hands), self.parameters)

    @cached_property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats that can act: first those that set hands, later those without a result."""
        setting = tuple(seat for seat in self.players if not self.hands[seat].is_set)
        if not self.hands[self.banker].is_set and not (
            setting and self.parameters.banker_sets_last
        ):
            setting += (self.banker,)
        if setting:
            return setting
        opening = tuple(seat for seat in self.players if self.result(seat) is None)
        if opening and self.hands[self.banker].split is None:
            return (*opening, self.banker)
        return opening

    def result(self, seat: Seat) -> Result | None:
        """The result of a player, None while it is open."""
        mine, banks = self.hands[seat], self.hands[self.banker]
        if mine.split is None or banks.split is None or not (mine.is_set and banks.is_set):
            return mine.called
        return compare(mine.split, banks.split, self.parameters).result

    @property
    def legal_actions(self) -> LegalActions[Action]:
        return LegalActions(self._why_not, self._each)

    @property
    def settlement(self) -> Settlement | None:
        """The payments and reasons; None until every player has a result."""
        if self.to_act:
            return None
        results = {seat: self.result(seat) for seat in self.players}
        splits = {seat: hand.split for seat, hand in enumerate(self.hands)}
        return settle(self.parameters, self.banker, self.stakes, results, splits)

    def apply(self, action: Action) -> PaiGowPlay:
        """Returns the play after an action; this value is unchanged. Raises IllegalActionError."""
        self.legal_actions.require(action)
        hand = self.hands[action.seat]
        match action:
            case SetHand():
                hand = replace(hand, is_set=True, split=action.split)
            case Show():
                hand = replace(hand, tiles=action.split.tiles, split=action.split)
            case Call():
                hand = replace(hand, called=action.result)
        hands = (*self.hands[: action.seat], hand, *self.hands[action.seat + 1 :])
        return replace(self, hands=hands)

    def house_split(self, tiles: Iterable[Face]) -> Split:
        """Four tiles as the house way of this house sets them (4.3)."""
        return house_split(self.parameters, tiles)

    def _why_not(self, action: Action) -> str | None:
        wrong = why_ill_typed(action, _CLASSES, "pai gow")
        if wrong is not None:
            return wrong
        seat = action.seat
        if seat not in self.to_act:
            return f"Seat {seat} cannot act now; {self._awaited()}."
        match action:
            case SetHand():
                return self._why_not_set(seat, action.split)
            case Show():
                return self._why_not_show(seat, action.split)
        if not self.hands[seat].is_set:
            return f"Seat {seat} has not set its hand; set it before its result is called."
        if seat == self.banker:
            return f"Seat {seat} is the bank, which has no result; call the results of the players."
        if action.result not in RESULTS:
            return f"'{action.result}' is not a result; call one of {', '.join(RESULTS)}."
        return None

    def _why_not_set(self, seat: Seat, split: Split | None) -> str | None:
        hand = self.hands[seat]
        if hand.is_set:
            return f"Seat {seat} has already set its hand, which cannot be changed."
        if not hand.is_known:
            if split is None:
                return None
            return f"The tiles of seat {seat} are not all known; write 'set' without tiles."
        if split is None:
            return f"Seat {seat} holds {' '.join(hand.known)}; name the high and the low hand."
        if sorted(split.tiles) != sorted(hand.known):
            return f"'{split}' are not the tiles of seat {seat}, which are {' '.join(hand.known)}."
        return why_split_illegal(self.parameters, seat, split)

    def _why_not_show(self, seat: Seat, split: Split) -> str | None:
        hand = self.hands[seat]
        if not hand.is_set or hand.split is not None:
            state = "is already open" if hand.is_set else "is not set yet"
            return f"The hand of seat {seat} {state}, so it cannot be shown."
        if Counter(hand.known) - Counter(split.tiles):
            return f"Seat {seat} holds {' '.join(hand.known)}, which '{split}' does not contain."
        beyond = Counter(split.tiles) - self._tiles_left(seat)
        if beyond:
            return (
                f"Seat {seat} cannot hold {' '.join(beyond)}, which is seen elsewhere; read the"
                " tiles again."
            )
        return why_split_illegal(self.parameters, seat, split)

    def _each(self) -> Iterator[Action]:
        for seat in self.to_act:
            hand = self.hands[seat]
            if not hand.is_set:
                yield from self._settings(seat, hand)
                continue
            if hand.split is None:
                yield from self._shows(seat, hand)
            if seat != self.banker:
                yield from (Call(seat, result) for result in RESULTS)

    def _settings(self, seat: Seat, hand: Hand) -> Iterator[SetHand]:
        if not hand.is_known:
            yield SetHand(seat)
        else:
            yield from (SetHand(seat, split) for split in self._legal_splits(seat, hand.known))

    def _shows(self, seat: Seat, hand: Hand) -> Iterator[Show]:
        left, known = _digits(self._tiles_left(seat).elements()), _digits(hand.known)
        for tiles, digits in _hands_as_digits():
            if _contains(left, digits) and _contains(digits, known):
                yield from (Show(seat, split) for split in self._legal_splits(seat, tiles))

    def _legal_splits(self, seat: Seat, tiles: tuple[Face, ...]) -> tuple[Split, ...]:
        if seat in self.parameters.house_seats:
            return (self.house_split(tiles),)
        return settings(tiles, self.parameters.ranking)

    def _tiles_left(self, seat: Seat) -> Counter[Face]:
        """The tiles of the set that are not known to be in other hands."""
        others = (*self.hands[:seat], *self.hands[seat + 1 :], *self.dead)
        return _the_set() - Counter(face for hand in others for face in hand.known)

    def _awaited(self) -> str:
        if not self.to_act:
            return "the hand is settled"
        return f"it is the turn of seat {', '.join(map(str, self.to_act))}"


def start(
    setup: Setup,
    tiles: Tiles | None = None,
    match: object = None,
) -> PaiGowPlay:
    """Begins a play after a finished set-up; the dealer of the set-up is the banker (S1).

    The stakes are the answers given before the cut (5), so that a record of the set-up contains
    them. Raises IllegalSetupError for an unfinished set-up, or tiles that one set cannot have.
    """
    if setup.ready is None:
        raise IllegalSetupError("The set-up is not finished; deal all eight hands before the play.")
    seats, parameters = range(setup.seating.players), setup.parameters
    seen = known_tiles(setup, tiles)
    hands = tuple(Hand(tiles_of(setup, seen, seat)) for seat in seats)
    empty = (seat for seat in sorted(setup.hands) if seat not in seats)
    shown = tuple(
        Hand(tiles_of(setup, seen, seat)) for seat in empty if parameters.dead_hand == "shown"
    )
    return PaiGowPlay(
        parameters=parameters,
        banker=setup.seating.dealer,
        hands=hands,
        stakes=stakes_of(setup),
        dead=shown,
    )


def players_against(banker: Seat, seats: int, parameters: Parameters) -> tuple[Seat, ...]:
    """The seats that bet against this banker, in the order of settlement."""
    order = around(banker, HANDS, parameters.deal_direction)
    return tuple(seat for seat in order[1:] if seat < seats)


def house_split(parameters: Parameters, tiles: Iterable[Face]) -> Split:
    """Four tiles as the house way of this house sets them (4.3)."""
    return find_house_way(parameters.house_way).set(tiles, parameters.ranking)


def why_split_illegal(parameters: Parameters, seat: Seat, split: Split) -> str | None:
    """The objection to a split, or None: high below low, or not the house way of a house seat."""
    ranking = parameters.ranking
    if not is_legal(split, ranking):
        return (
            f"'{split}' has {ranking.rank(split.high)} high and {ranking.rank(split.low)} low;"
            f" the high hand cannot be the weaker one (4.2). Exchange them: {split.exchanged()}."
        )
    if seat in parameters.house_seats and split != house_split(parameters, split.tiles):
        return (
            f"Seat {seat} belongs to the house, which sets by its house way"
            f" {parameters.house_way}: {house_split(parameters, split.tiles)} (4.3)."
        )
    return None


def _the_set() -> Counter[Face]:
    return Counter(tile_set("pai_gow_32").faces)


def _digits(tiles: Iterable[Face]) -> int:
    """The counts of the faces as one number with an octal digit for each face."""
    return sum(map(_digit_of().__getitem__, tiles))


@cache
def _digit_of() -> Mapping[Face, int]:
    return {face: 1 << 3 * at for at, face in enumerate(_the_set())}


@cache
def _hands_as_digits() -> tuple[tuple[tuple[Face, ...], int], ...]:
    """Every different hand of four tiles, with its counts as `_digits`."""
    return tuple((tiles, _digits(tiles)) for tiles in four_tile_hands())


_SPARE = sum(4 << 3 * at for at in range(21))
"""The highest bit of each of the 21 octal digits; a count of 0 to 2 leaves it 0."""


def _contains(more: int, fewer: int) -> bool:
    """Whether no digit of `fewer` is above that of `more`: no spare bit is borrowed from."""
    return (more | _SPARE) - fewer & _SPARE == _SPARE
