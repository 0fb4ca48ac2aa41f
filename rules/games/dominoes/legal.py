"""The legal actions of a hand of dominoes, and the objection to an illegal action.

An unknown tile can be any tile that has not been seen elsewhere. For a hidden hand every action is
legal that is legal for some hand of such tiles. A known tile that fits binds its holder as usual.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, Protocol, get_args

from rules.games.dominoes.actions import Call, DominoAction, Draw, Go, Lay, Show
from rules.games.dominoes.layout import Tableau, why_it_does_not_fit
from rules.games.dominoes.setup import can_set
from rules.games.dominoes.variants import Parameters
from rules.geometry import Seat
from rules.tiles import Face
from rules.well_typed import why_ill_typed

_CLASSES = get_args(DominoAction)
Hand = tuple[Face | None, ...]
"""A seat's tiles; None is an unknown tile."""
Ended = Literal["", "out", "blocked", "target"]
"""How a hand ended; empty while it is in progress."""


class Party(NamedTuple):
    """The values that stay constant through a hand.

    They are the game's title, its parameters, the scores before the hand (`opening`), for each seat
    the seat that plays next (`following`, C8), and whether a tile can score when it is laid.
    """

    title: str
    parameters: Parameters
    opening: tuple[int, ...]
    following: tuple[Seat, ...]
    scores_in_play: bool

    @property
    def players(self) -> int:
        return len(self.opening)


class Position(Protocol):
    """The parts of a hand in progress that decide which actions are legal; see `DominoPlay`."""

    @property
    def party(self) -> Party: ...

    @property
    def parameters(self) -> Parameters: ...

    @property
    def tableau(self) -> Tableau: ...

    @property
    def hands(self) -> tuple[Hand, ...]: ...

    @property
    def boneyard(self) -> Hand: ...

    @property
    def turn(self) -> Seat | None: ...

    @property
    def claim(self) -> int: ...

    @property
    def ended(self) -> Ended: ...

    @property
    def to_act(self) -> tuple[Seat, ...]: ...

    @property
    def to_show(self) -> tuple[Seat, ...]: ...

    @property
    def unseen(self) -> tuple[Face, ...]: ...


def each(play: Position) -> list[DominoAction]:
    """Every legal action."""
    seat, tableau = play.turn, play.tableau
    if seat is None or play.ended or not tableau.ends:
        return _before_and_after(play)
    hand, lays = play.hands[seat], tableau.lays[seat]
    actions: list[DominoAction] = []
    for tile in hand:
        if tile in lays:
            actions += lays[tile]
    able, hidden = bool(actions), None in hand
    if hidden:
        actions += [lay for tile in play.unseen for lay in lays.get(tile, ())]
    if _can_draw(play, able):
        actions.append(Draw(seat))
    if _can_go(play, able, hidden):
        actions.append(Go(seat))
    if play.claim:
        actions += map(Call, play.to_act)
    return actions


def _before_and_after(play: Position) -> list[DominoAction]:
    """The legal actions before the first tile and after the end of the hand.

    After the end the last points can be called, and unknown tiles are shown.
    """
    actions: list[DominoAction] = []
    if not play.ended:
        for seat in play.to_act:
            actions += _sets(play, seat)
    elif play.claim and play.turn is not None:
        actions.append(Go(play.turn))
    else:
        actions += [Show(seat, tile) for seat in play.to_show for tile in play.unseen]
    if play.claim:
        actions += map(Call, play.to_act)
    return actions


def _sets(play: Position, seat: Seat) -> Iterator[Lay]:
    hand = play.hands[seat]
    tiles = [tile for tile in hand if tile is not None]
    lays = play.tableau.lays[seat]
    for tile in (*tiles, *(play.unseen if None in hand else ())):
        if can_set(tile, hand, play.parameters, not play.boneyard):
            yield from lays[tile]


def why_not(play: Position, action: object) -> str | None:
    """The objection to an action, or None if it is legal."""
    wrong = why_ill_typed(action, _CLASSES, play.party.title)
    if wrong is not None:
        return wrong
    if type(action) is Lay:
        return _why_lay_illegal(play, action)
    assert isinstance(action, Draw | Go | Call | Show)
    if not 0 <= action.seat < play.party.players:
        return _no_seat(play, action.seat)
    match action:
        case Call():
            return None if play.claim else _nothing_to_call(play)
        case Show(seat, tile):
            return _why_show_illegal(play, seat, tile)
    if play.ended:
        if isinstance(action, Go) and play.claim and action.seat == play.turn:
            return None
        return _over(play)
    if not play.tableau.ends:
        return "No seat can draw or go before the first tile is set; set a tile."
    if action.seat != play.turn:
        return f"It is seat {play.turn}'s turn, not seat {action.seat}'s."
    able, hidden = is_able(play, action.seat), None in play.hands[action.seat]
    if isinstance(action, Draw):
        return None if _can_draw(play, able) else _why_draw_illegal(play)
    return None if _can_go(play, able, hidden) else _why_go_illegal(play, able)


def is_able(play: Position, seat: Seat) -> bool:
    """Whether a tile fits that is known to be in that hand."""
    lays = play.tableau.lays[seat]
    return any(tile in lays for tile in play.hands[seat])


def _why_lay_illegal(play: Position, lay: Lay) -> str | None:
    """The objection to laying a tile: checks turn, hand, end and first tile, in this order."""
    seat, tile = lay.seat, lay.tile
    if seat != play.turn and (play.turn is not None or not 0 <= seat < play.party.players):
        if not 0 <= seat < play.party.players:
            return _no_seat(play, seat)
        return _over(play) if play.ended else f"It is seat {play.turn}'s turn, not seat {seat}'s."
    if play.ended:
        return _over(play)
    hand = play.hands[seat]
    if tile not in hand:
        if None not in hand:
            return f"Seat {seat} does not hold {tile}."
        if tile not in play.unseen:
            return f"Seat {seat} cannot hold {tile}; it has been seen elsewhere."
    if lay not in play.tableau:
        return why_it_does_not_fit(play.tableau, lay).cited
    if not play.tableau.ends and not can_set(tile, hand, play.parameters, not play.boneyard):
        what = "a doublet" if play.parameters.set_tile == "doublet" else "its heaviest"
        return f"Seat {seat} cannot set {tile}: it has to set {what} (section 2)."
    return None


def _can_draw(play: Position, able: bool) -> bool:
    """Whether a seat can draw: it cannot play, and the boneyard exceeds its reserve (C3, C4)."""
    parameters = play.parameters
    if parameters.draw == "none" or len(play.boneyard) <= parameters.boneyard_reserve:
        return False
    return not able or parameters.draw_when_able


def _why_draw_illegal(play: Position) -> str:
    parameters, left = play.parameters, len(play.boneyard)
    if parameters.draw == "none":
        return f"There is no drawing at {play.party.title}; go instead."
    if left <= parameters.boneyard_reserve:
        tiles = "1 tile is" if left == 1 else f"{left or 'no'} tiles are"
        return f"No tile can be drawn: {tiles} left in the boneyard; lay a tile or go (C4)."
    return f"Seat {play.turn} can play, so it cannot draw; lay a tile (2.2)."


def _can_go(play: Position, able: bool, hidden: bool) -> bool:
    """Whether a seat can go: it can neither play nor draw (C4), or at Sniff at any time (2.9)."""
    parameters = play.parameters
    if able or (hidden and parameters.pass_when_able):
        return parameters.pass_when_able
    return parameters.draw != "until_able" or len(play.boneyard) <= parameters.boneyard_reserve


def _why_go_illegal(play: Position, able: bool) -> str:
    if able:
        return f"Seat {play.turn} can play, so it cannot go; lay a tile."
    return (
        f"Seat {play.turn} has to draw before it can go: {len(play.boneyard)} tiles are in the"
        f" boneyard, of which {play.parameters.boneyard_reserve} stay (C4)."
    )


def _why_show_illegal(play: Position, seat: Seat, tile: Face) -> str | None:
    if seat not in play.to_show:
        return f"Seat {seat} has no tile to show: only unknown tiles are shown, after the hand."
    if tile not in play.unseen:
        return f"Seat {seat} cannot show {tile}; it has been seen elsewhere."
    return None


def _nothing_to_call(play: Position) -> str:
    if not play.parameters.muggins_call:
        return f"No points are called at {play.party.title}."
    return f"There are no points to call: the open ends total {play.tableau.total} (2.5)."


def _over(play: Position) -> str:
    if play.claim:
        return f"The last tile is laid; call its points, or let seat {play.turn} go (2.5)."
    return "The hand is over; show the unknown tiles, or begin the next hand."


def _no_seat(play: Position, seat: Seat) -> str:
    return f"There is no seat {seat}; seats are 0 to {play.party.players - 1}."
