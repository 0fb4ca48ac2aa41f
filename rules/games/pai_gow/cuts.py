"""The cuts of pai gow: which places of the pile form hands 1 to 8, and how a cut is announced.

A cut is written in a shorthand: `3` is the whole third column from the operator's right, top tile
first, `3u` its upper two levels, `3l` its lower two, `3.1` its top tile. REVERSE exchanges left and
right, BOTTOM the two halves of every block (S6, A5). The order within a hand is that of the rules'
tables (A6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from rules.errors import NotationError, RulesError
from rules.geometry import Pile, PilePlace, parse_place
from rules.steps import Arrange

PILE = Pile(8, 4)
HANDS = 8
EACH = 4

Hand = tuple[PilePlace, ...]


@dataclass(frozen=True)
class Cut:
    """Eight hands of four places, the moves that announce the cut, and the options it offers.

    `joins` are the moves between hands, each with the number of the hand before which it is made.
    """

    name: str
    title: str
    hands: tuple[Hand, ...]
    announcing: tuple[Arrange, ...] = ()
    joins: tuple[tuple[int, Arrange], ...] = ()
    offers_reverse: bool = False
    offers_bottom: bool = False

    def mirrored(self) -> Cut:
        """The cut with left and right exchanged, in hands and moves."""
        return replace(
            self,
            hands=_each_place(self.hands, _mirror),
            announcing=tuple(_mirror_move(move) for move in self.announcing),
            joins=tuple((hand, _mirror_move(move)) for hand, move in self.joins),
        )

    def from_the_bottom(self) -> Cut:
        """The cut with the lower two levels of every block first (A5); its moves are the same."""
        return replace(self, hands=_each_place(self.hands, _other_half))

    def before(self, hand: int) -> tuple[Arrange, ...]:
        """The moves that bring stacks together before that hand can be taken."""
        return tuple(move for number, move in self.joins if number == hand)


@dataclass(frozen=True)
class UserCut:
    """A cut of the house's own: eight hands of four place texts (`p2.3`), all 32 places once.

    Raises RulesError for a place that is missing, named twice, or not in the pile.
    """

    name: str
    hands: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "hands", tuple(tuple(hand) for hand in self.hands))
        if not self.name or "+" in self.name or self.name in CUTS:
            raise RulesError(
                f"'{self.name}' cannot be the name of a cut of the house; choose a name without '+'"
                " that is not one of the eight cuts'."
            )
        if len(self.hands) != HANDS:
            raise RulesError(f"The cut '{self.name}' has {len(self.hands)} hands; give {HANDS}.")
        for number, hand in enumerate(self.hands, 1):
            if len(hand) != EACH:
                raise RulesError(
                    f"Hand {number} of the cut '{self.name}' has {len(hand)} places; give {EACH}."
                )
        _require_partition(self.name, self.cut.hands)

    @property
    def cut(self) -> Cut:
        """The cut as a `Cut`; it is announced by its name, without moves."""
        hands = tuple(tuple(_pile_place(self.name, text) for text in hand) for hand in self.hands)
        return Cut(self.name, self.name, hands)


def cut(name: str, reverse: bool = False, bottom: bool = False) -> tuple[Hand, ...]:
    """The places of hands 1 to 8. Raises RulesError for an unknown cut or option."""
    return find_cut(cut_choice(name, reverse, bottom)).hands


def setup_moves(name: str, reverse: bool = False, bottom: bool = False) -> tuple[Arrange, ...]:
    """The moves that announce the cut, in order (S5). Raises as `cut` does."""
    return find_cut(cut_choice(name, reverse, bottom)).announcing


def cut_choice(name: str, reverse: bool = False, bottom: bool = False) -> str:
    """The text of a cut and its options: `cup_say+reverse+bottom`."""
    return name + "+reverse" * reverse + "+bottom" * bottom


def cut_choices(
    names: Sequence[str], *, combine: bool = True, user_cuts: Sequence[UserCut] = ()
) -> tuple[str, ...]:
    """Every cut that a banker can name: these cuts with all their options, then the house's own.

    `combine` allows REVERSE and BOTTOM together (A3).
    """
    options = [(False, False), (True, False), (False, True), *([(True, True)] if combine else [])]
    return tuple(
        cut_choice(name, reverse, bottom)
        for name in names
        for reverse, bottom in options
        if _known(name).offers_reverse >= reverse and _known(name).offers_bottom >= bottom
    ) + tuple(own.name for own in user_cuts)


def find_cut(choice: str, user_cuts: Sequence[UserCut] = ()) -> Cut:
    """The cut of that text (see `cut_choice`), with its options applied.

    Raises RulesError for an unknown cut, or an option that the cut does not offer (PG-14).
    """
    name, *options = choice.split("+")
    for own in user_cuts:
        if own.name == choice:
            return own.cut
    found = _known(name)
    for option in options:
        match option:
            case "reverse":
                _require_option(found, "REVERSE", lambda cut: cut.offers_reverse)
                found = found.mirrored()
            case "bottom":
                _require_option(found, "BOTTOM", lambda cut: cut.offers_bottom)
                found = found.from_the_bottom()
            case _:
                raise RulesError(
                    f"'{option}' is not an option of a cut; the options are reverse and bottom."
                )
    return found


def _known(name: str) -> Cut:
    if name not in CUTS:
        raise RulesError(f"There is no cut '{name}'; choose one of {', '.join(CUTS)}.")
    return _of_the_eight(name)


def _require_option(wanted: Cut, option: str, offers: Callable[[Cut], bool]) -> None:
    if not offers(wanted):
        able = ", ".join(name for name in CUTS if offers(_of_the_eight(name)))
        raise RulesError(f"{wanted.name} has no option {option}; the cuts {able} have it.")


def _require_partition(name: str, hands: tuple[Hand, ...]) -> None:
    places = [place for hand in hands for place in hand]
    twice = [str(place) for place in PILE.places if places.count(place) > 1]
    missing = [str(place) for place in PILE.places if place not in places]
    if twice or missing:
        raise RulesError(
            f"The cut '{name}' must name each of the {PILE.count} places once; named more than"
            f" once: {', '.join(twice) or 'none'}; missing: {', '.join(missing) or 'none'}."
        )


def _pile_place(cut: str, text: str) -> PilePlace:
    try:
        place = parse_place(text)
    except NotationError:
        place = None
    if not isinstance(place, PilePlace) or place not in PILE.places:
        raise RulesError(
            f"'{text}' in the cut '{cut}' is not a place of the pile; write p1.1 to p8.4."
        )
    return place


def _each_place(
    hands: tuple[Hand, ...], change: Callable[[PilePlace], PilePlace]
) -> tuple[Hand, ...]:
    return tuple(tuple(change(place) for place in hand) for hand in hands)


def _mirror(place: PilePlace) -> PilePlace:
    return PilePlace(PILE.columns + 1 - place.column, place.level)


def _other_half(place: PilePlace) -> PilePlace:
    return PilePlace(place.column, (place.level + 1) % PILE.levels + 1)


def _mirror_move(move: Arrange) -> Arrange:
    return replace(
        move,
        tiles=tuple(_mirror(tile) for tile in move.tiles if isinstance(tile, PilePlace)),
        to=tuple(map(_mirror_to, move.to)),
    )


def _mirror_to(to: str) -> str:
    """A column or a direction with left and right exchanged."""
    if to[1:].isdigit():
        return f"p{PILE.columns + 1 - int(to[1:])}"
    return {"left": "right", "right": "left"}.get(to, to)


_LEVELS = {"": (1, 2, 3, 4), "u": (1, 2), "l": (3, 4)}


def _tiles(shorthand: str) -> Hand:
    places: list[PilePlace] = []
    for word in shorthand.split():
        column, dot, level = word.partition(".")
        levels = (int(level),) if dot else _LEVELS[word[1:]]
        places += [PilePlace(int(column[0]), each) for each in levels]
    return tuple(places)


def _hands(shorthand: str) -> tuple[Hand, ...]:
    return tuple(_tiles(hand) for hand in shorthand.split("/"))


def _move(verb: str, tiles: str, to: str) -> Arrange:
    return Arrange(verb, _tiles(tiles), tuple(to.split()))


def _join(hand: int, tiles: str) -> tuple[int, Arrange]:
    return hand, Arrange("join", _tiles(tiles), ("middle",), announces=False)


@cache
def _of_the_eight(name: str) -> Cut:
    """One of the eight cuts, parsed from its shorthand on first use."""
    written = _EIGHT[name]
    return Cut(
        name,
        written.title,
        _hands(written.hands),
        announcing=tuple(_move(*move) for move in written.announcing),
        joins=tuple(_join(*join) for join in written.joins),
        offers_reverse=written.offers_reverse,
        offers_bottom=written.offers_bottom,
    )


class _Written(NamedTuple):
    """A cut in the shorthand of this module; see `Cut`."""

    title: str
    hands: str
    announcing: tuple[tuple[str, str, str], ...] = ()
    joins: tuple[tuple[int, str], ...] = ()
    offers_reverse: bool = False
    offers_bottom: bool = False


_EIGHT: Mapping[str, _Written] = {
    "one_stack": _Written(
        "Yat Dong Dong, one stack",
        "1 / 2 / 3 / 4 / 5 / 6 / 7 / 8",
        announcing=(("push", "1", "forward"),),
        offers_reverse=True,
    ),
    "cup_say": _Written(
        "Cup Say",
        "1u 2u / 1l 2l / 3u 4u / 3l 4l / 5u 6u / 5l 6l / 7u 8u / 7l 8l",
        announcing=(("push", "1 2", "forward"),),
        offers_reverse=True,
        offers_bottom=True,
    ),
    "chee_yee": _Written(
        "Chee Yee, both ends",
        "1u 8u / 1l 8l / 2u 7u / 2l 7l / 3u 6u / 3l 6l / 4u 5u / 4l 5l",
        announcing=(("push", "1", "forward"), ("push", "8", "forward")),
        joins=((1, "1 8"), (3, "2 7"), (5, "3 6")),
        offers_bottom=True,
    ),
    "dai_pin": _Written(
        "Dai Pin, one level",
        "1.1 2.1 3.1 4.1 / 5.1 6.1 7.1 8.1 / 1.2 2.2 3.2 4.2 / 5.2 6.2 7.2 8.2 /"
        "1.3 2.3 3.3 4.3 / 5.3 6.3 7.3 8.3 / 1.4 2.4 3.4 4.4 / 5.4 6.4 7.4 8.4",
        announcing=(("lay", "1.1", "p2 p3 p4"),),
        offers_reverse=True,
    ),
    "jung_quat": _Written(
        "Jung Quat, the centre",
        "4u 5u / 4l 5l / 3u 6u / 3l 6l / 2u 7u / 2l 7l / 1u 8u / 1l 8l",
        announcing=(("push", "4 5", "forward"),),
        joins=((3, "3 6"), (5, "2 7"), (7, "1 8")),
        offers_bottom=True,
    ),
    "dragon_head": _Written(
        "Long Tau Fong May, dragon head and phoenix tail",
        "1u 2u / 8.1 7.1 6.1 5.1 / 1l 2l / 8.2 7.2 6.2 5.2 /"
        "3u 4u / 8.3 7.3 6.3 5.3 / 3l 4l / 8.4 7.4 6.4 5.4",
        announcing=(
            ("lift", "1 2", "p3 p4"),
            ("slide", "5 6 7 8", "left"),
            ("lay", "8.1", "p7 p6 p5"),
        ),
        offers_reverse=True,
    ),
    "hong_kong_bank": _Written(
        "Wui Fung, Hong Kong Bank",
        "2l 7l / 1u 8u / 1l 8l / 4u 5u / 4l 5l / 3u 6u / 3l 6l / 2u 7u",
        announcing=(
            ("lift", "1", "p4"),
            ("lift", "8", "p5"),
            ("lift", "2", "p4"),
            ("lift", "7", "p5"),
            ("wing", "2u", "right"),
            ("wing", "7u", "left"),
        ),
        joins=((6, "3 6"), (8, "2u 7u")),
    ),
    "four_across": _Written(
        "Four across",
        "1.1 2.1 7.1 8.1 / 1.2 2.2 7.2 8.2 / 1.3 2.3 7.3 8.3 / 1.4 2.4 7.4 8.4 /"
        "3.1 4.1 5.1 6.1 / 3.2 4.2 5.2 6.2 / 3.3 4.3 5.3 6.3 / 3.4 4.4 5.4 6.4",
        announcing=(("lift", "1 2", "p3 p4"), ("lift", "8 7", "p6 p5")),
    ),
}

CUTS: tuple[str, ...] = tuple(_EIGHT)
"""The names of the eight cuts, in the order of the rules."""
