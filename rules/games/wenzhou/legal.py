"""The legal actions of a Wenzhou hand, and the objection to an illegal action (W16-W29)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import get_args

from rules.games.wenzhou import listing
from rules.games.wenzhou.actions import (
    Chow,
    Discard,
    Draw,
    FalseWin,
    Kong,
    Pass,
    Pong,
    Show,
    WenzhouAction,
    Win,
)
from rules.games.wenzhou.discard_check import is_fined
from rules.games.wenzhou.discard_order import why_not_discard
from rules.games.wenzhou.setup import SEATS, WENZHOU
from rules.games.wenzhou.state import ALIKE, Position, Stage, after, claim_of, win_of
from rules.games.wenzhou.tiles import CAISHEN, is_run
from rules.games.wenzhou.wins import NoWin, is_complete
from rules.geometry import Seat
from rules.melds import KINDS, face_of
from rules.tiles import Face
from rules.well_typed import why_ill_typed

_CLASSES = get_args(WenzhouAction)


def to_act(position: Position) -> tuple[Seat, ...]:
    """The seats that can act: the seat on turn, or all seats that still have to answer."""
    stage = position.stage
    if stage is Stage.CLAIM or stage is Stage.ROB or stage is Stage.SHOW:
        return position.asked
    return () if stage is Stage.OVER else (position.turn,)


def why_not_any(position: Position, action: object) -> str | None:
    """The objection to any value, or None if it is a legal action."""
    wrong = why_ill_typed(action, _CLASSES, "Wenzhou mahjong")
    return wrong or why_not(position, action)  # type: ignore[arg-type] # its class was checked


def why_not(position: Position, action: WenzhouAction) -> str | None:
    """The objection to a well-typed action, or None if it is legal."""
    if isinstance(action, FalseWin):
        return _why_not_false_win(position, action.seat)
    if action.seat not in to_act(position):
        return _why_not_now(position, action)
    match position.stage:
        case Stage.DRAW | Stage.REPLACE:
            if isinstance(action, Draw):
                return _why_not_draw(position, action)
        case Stage.ACT | Stage.DISCARD:
            return _why_not_turn(position, action)
        case Stage.CLAIM | Stage.ROB:
            return _why_not_answer(position, action)
        case Stage.SHOW:
            if isinstance(action, Show):
                return _why_not_show(position, action)
    return _waits_for(position, action)


def _why_not_now(position: Position, action: WenzhouAction) -> str:
    """The objection to an action of a seat that cannot act; a claim gets its own reason."""
    acting = to_act(position)
    claiming = position.stage in (Stage.CLAIM, Stage.ROB) and action.seat != position.turn
    if claiming and 0 <= action.seat < SEATS and action.seat not in acting:
        sentence = _why_not_answer(position, action)
        if sentence is not None:
            return sentence
    turn = f": seat {', '.join(map(str, acting))}" if acting else ""
    return f"Seat {action.seat} cannot act; the hand waits for {position.stage.value}{turn}."


def each(position: Position) -> Iterable[WenzhouAction]:
    """Every legal action, except false wins and the wins of hands with unknown tiles.

    There are too many of those wins. Tiles that are shown after the hand are listed one by one.
    """
    found: tuple[WenzhouAction, ...] = ()
    for seat in to_act(position):
        if position.seats[seat].is_hidden or position.stage is Stage.SHOW:
            return checked_candidates(position)
        found += listing.listed(position, seat)
    return found


def checked_candidates(position: Position) -> Iterator[WenzhouAction]:
    """The same actions as `each`, by checking every candidate against the rules."""
    for seat in to_act(position):
        for action in _candidates(position, seat):
            if why_not(position, action) is None:
                yield action


def has(position: Position, seat: Seat, *faces: Face) -> bool:
    """Whether a seat has these tiles, or can have them among its unknown tiles."""
    hand = position.seats[seat]
    lacking = hand.lacks(faces)
    return len(lacking) <= hand.hidden and all(
        position.unseen(face) >= lacking.count(face) for face in set(lacking)
    )


def _candidates(position: Position, seat: Seat) -> Iterator[WenzhouAction]:
    match position.stage:
        case Stage.DRAW | Stage.REPLACE:
            yield Draw(seat)
        case Stage.CLAIM | Stage.ROB:
            yield Pass(seat)
            yield from _claims(position, seat)
        case Stage.ACT | Stage.DISCARD:
            faces = _possible(position, seat)
            yield from (Discard(seat, face) for face in faces)
            if position.stage is Stage.ACT:
                yield from (Kong(seat, face) for face in faces)
                yield Win(seat)
        case Stage.SHOW if is_fined(position.deal.parameters):
            yield from (Show(seat, tiles=(face,)) for face in map(face_of, range(KINDS)))
        case Stage.SHOW:
            yield from (Show(seat, caishen) for caishen in range(CAISHEN + 1))


def _claims(position: Position, seat: Seat) -> Iterator[WenzhouAction]:
    yield Win(seat)
    if position.stage is Stage.CLAIM:
        yield Pong(seat)
        yield Kong(seat)
        yield from _chows(position, seat)


def _chows(position: Position, seat: Seat) -> Iterator[Chow]:
    caishen, tile = position.deal.caishen, position.tile
    if seat != after(position.turn) or tile is None or caishen.is_caishen(tile):
        return
    kind = caishen.kind_of(tile)
    for low in range(kind - 2, kind + 1):
        run = [low, low + 1, low + 2]
        if low >= 0 and is_run(run):
            one, other = (caishen.face_of(own) for own in run if own != kind)
            yield Chow(seat, (one, other))


def _possible(position: Position, seat: Seat) -> tuple[Face, ...]:
    hand = position.seats[seat]
    if hand.hidden:
        return tuple(map(face_of, range(KINDS)))
    return tuple(dict.fromkeys(hand.known))


def _why_not_draw(position: Position, action: Draw) -> str | None:
    if action.face is None:
        return None
    assert position.source is not None
    seen = position.deal.tiles.get(position.source)
    if seen is None and action.face in WENZHOU.tiles and position.unseen(action.face):
        return None
    if seen == action.face:
        return None
    return f"The tile drawn is not '{action.face}': " + (
        f"it is '{seen}'." if seen else f"all four '{action.face}' are elsewhere; read it again."
    )


def _why_not_turn(position: Position, action: WenzhouAction) -> str | None:
    seat, deal = action.seat, position.deal
    match action:
        case Discard(_, face):
            if face not in WENZHOU.tiles or not has(position, seat, face):
                return f"Seat {seat} has no '{face}', so it cannot discard it."
            return why_not_discard(
                face, position.seats[seat], deal.caishen, position.thrown, deal.parameters
            )
        case Kong() | Win() if position.seats[seat].dead:
            return _dead(seat)
        case Kong(_, face) if position.stage is Stage.ACT:
            return _why_not_own_kong(position, seat, face)
        case Win(_, shows) if position.stage is Stage.ACT:
            return _why_not_win(position, seat, shows)
    return _waits_for(position, action)


def _why_not_own_kong(position: Position, seat: Seat, face: Face | None) -> str | None:
    if face is None:
        return "A kong from the hand needs its tile; write it as 'kong 3s'."
    if position.deal.caishen.is_caishen(face):
        return f"'{face}' is a caishen and cannot be in a kong (W21)."
    own = (face,) if to_add(position, seat, face) else (face,) * ALIKE
    if face not in WENZHOU.tiles or not has(position, seat, *own):
        return f"Seat {seat} has neither four '{face}' nor a pong of it and the fourth tile."
    return None if position.can_replace else _NO_REPLACEMENT


def to_add(position: Position, seat: Seat, face: Face) -> bool:
    """Whether a seat has a pong of that face, to which a fourth tile can be added."""
    return any(meld.what == "pong" and meld.faces[0] == face for meld in position.seats[seat].melds)


def _why_not_answer(position: Position, action: WenzhouAction) -> str | None:
    seat, tile, caishen = action.seat, position.tile, position.deal.caishen
    assert tile is not None
    match action:
        case Pass():
            return None
        case _ if position.seats[seat].dead:
            return _dead(seat)
        case Win(_, shows):
            return _why_not_win(position, seat, shows)
        case Pong() | Kong() | Chow() if position.stage is Stage.CLAIM:
            if caishen.is_caishen(tile):
                return f"'{tile}' is a caishen and cannot be claimed for a set (W21, E20)."
        case _:
            return _waits_for(position, action)
    match action:
        case Pong():
            if caishen.kind_of(tile) in position.seats[seat].passed:
                return (
                    f"Seat {seat} has passed a pong of '{tile}' and cannot pong it before its next"
                    " turn (W20)."
                )
            own: tuple[Face, ...] = (tile, tile)
        case Kong(_, None):
            if not position.can_replace:
                return _NO_REPLACEMENT
            own = (tile, tile, tile)
        case Chow(_, own):
            sentence = _why_no_chow(position, seat, own)
            if sentence is not None:
                return sentence
        case _:
            return f"A claimed kong always uses the discard, '{tile}'; write 'kong' without a tile."
    if not has(position, seat, *own):
        return f"Seat {seat} does not have {' '.join(own)}, which the claim of '{tile}' needs."
    return None


def _why_no_chow(position: Position, seat: Seat, own: tuple[Face, ...]) -> str | None:
    caishen = position.deal.caishen
    assert position.tile is not None
    if seat != after(position.turn):
        return f"Seat {seat} cannot chow: only the discarder's right neighbour can (W19)."
    for face in own:
        if face not in WENZHOU.tiles:
            return (
                f"'{face}' is not a tile of Wenzhou mahjong; name two tiles of seat {seat}'s hand."
            )
        if caishen.is_caishen(face):
            return f"'{face}' is a caishen and cannot be in a chow (W21)."
    if not is_run(sorted(map(caishen.kind_of, (*own, position.tile)))):
        return f"{' '.join(own)} and '{position.tile}' are not a run."
    return None


def _why_not_win(position: Position, seat: Seat, shows: tuple[Face, ...]) -> str | None:
    if sentence := _why_not_unseen(position, seat, shows):
        return sentence
    claim = claim_of(position, seat, shows)
    if claim is not None and position.deal.caishen.face is not None:
        counts, wild = claim.parted
        if not is_complete(counts, wild, len(claim.melds)):
            return _NO_SHAPE
    judgement = win_of(position, seat, shows)
    return judgement.sentence if isinstance(judgement, NoWin) else None


def _why_not_unseen(position: Position, seat: Seat, shows: tuple[Face, ...]) -> str | None:
    for face in set(shows):
        if face not in WENZHOU.tiles or position.unseen(face) < shows.count(face):
            return f"'{face}' cannot be among the unknown tiles of seat {seat}; read it again."
    return None


def _why_not_false_win(position: Position, seat: Seat) -> str | None:
    """The objection to a false win, or None.

    Any seat can declare one at any time of the hand, but only once (W36).
    """
    if not 0 <= seat < SEATS:
        return f"There is no seat {seat}; seats are 0 to {SEATS - 1}."
    hand = position.seats[seat]
    if position.stage in (Stage.SHOW, Stage.OVER):
        return f"Seat {seat} cannot declare a win now: the hand is over."
    if hand.dead:
        return f"Seat {seat} has already paid for a false win in this hand (W36)."
    if any(answer.seat == seat for answer in position.answers):
        return f"Seat {seat} has already answered; wait for the answers of the other seats."
    claiming = position.stage in (Stage.CLAIM, Stage.ROB) and seat != position.turn
    drawing = position.stage is Stage.ACT and seat == position.turn
    if not hand.hidden and (claiming or drawing) and _why_not_win(position, seat, ()) is None:
        return f"Seat {seat} does win; write 'win'."
    return None


def _why_not_show(position: Position, action: Show) -> str | None:
    """The objection to shown tiles that the seat cannot have, or None (W35, E16)."""
    seat, tiles = action.seat, action.tiles
    if is_fined(position.deal.parameters):
        hidden = position.seats[seat].hidden
        if not tiles or action.caishen:
            return f"Seat {seat} shows its {hidden} unknown tiles; write them as 'show 1m 2m'."
        if len(tiles) > hidden:
            return f"Seat {seat} has {hidden} unknown tiles to show, not {len(tiles)}."
        return _why_not_unseen(position, seat, tiles)
    if tiles:
        return f"Seat {seat} shows only its number of caishen; write it as 'show 2'."
    face = position.deal.caishen.face
    assert face is not None
    most = min(position.seats[action.seat].hidden, position.unseen(face))
    if 0 <= action.caishen <= most:
        return None
    return (
        f"Seat {action.seat} cannot have {action.caishen} caishen among its unknown tiles; show 0"
        f" to {most}."
    )


def _waits_for(position: Position, action: WenzhouAction) -> str:
    return f"'{action}' is not possible now: the hand waits for {position.stage.value}."


def _dead(seat: Seat) -> str:
    return f"Seat {seat} has declared a false win: it can neither win nor lay down a set (W36)."


_NO_REPLACEMENT = "A kong is not possible: the wall has no replacement tile (E5)."
_NO_SHAPE = "The hand is neither five sets and a pair, nor eight pairs, nor three caishen (W24)."
