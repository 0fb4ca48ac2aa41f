"""The end of a hand: the win, the tiles shown after it, the sum of the payments (W30-W36)."""

from __future__ import annotations

from rules.games.wenzhou.actions import Win
from rules.games.wenzhou.discard_check import Breach, Taken, breaches, is_fined
from rules.games.wenzhou.score import broken_order, with_extras, won
from rules.games.wenzhou.state import Position, Stage, in_order, noted, put_in, win_of, with_hand
from rules.games.wenzhou.wins import NoWin
from rules.geometry import Seat
from rules.play import Settlement
from rules.tiles import Face
from rules.values import changed


def settled(position: Position) -> Settlement | None:
    """The settlement with all payments; None until all tiles that decide a payment are shown."""
    settlement = position.settlement
    if settlement is None or position.stage is Stage.SHOW:
        return None
    return with_extras(
        settlement,
        position.deal.parameters,
        penalties=position.penalties,
        caishen=caishen_held(position),
        fines=_fines(position),
    )


def won_by(position: Position, action: Win) -> Position:
    """The position after a win: the winner's hand is open and contains the winning tile."""
    win = win_of(position, action.seat, action.shows)
    assert not isinstance(win, NoWin)
    hand = position.seats[action.seat]
    claimed = () if position.stage is Stage.ACT else (position.tile,)
    tiles = in_order((*hand.known, *action.shows, *claimed))
    over = changed(
        noted(position, *(Taken(action.seat, tile) for tile in claimed)),
        seats=with_hand(position, action.seat, hand.with_tiles(tiles)),
        tile=None,
        answers=(),
    )
    return ended(over, won(action.seat, win, position.deal.stakes))


def ended(position: Position, settlement: Settlement) -> Position:
    """Ends the hand; hidden hands are shown first if they decide a payment (W35, E16)."""
    parameters = position.deal.parameters
    decides = parameters.caishen_money or is_fined(parameters)
    unseen = tuple(seat for seat, hand in enumerate(position.seats) if hand.hidden)
    asked = unseen if decides and position.deal.caishen.face is not None else ()
    stage = Stage.SHOW if asked else Stage.OVER
    return changed(position, stage=stage, tile=None, answers=(), asked=asked, settlement=settlement)


def show_tiles(
    position: Position, seat: Seat, tiles: tuple[Face | None, ...], *, all_shown: bool
) -> Position:
    """Shows unknown tiles of a seat; the hand ends when no seat has tiles to show."""
    hand = position.seats[seat]
    rest = hand.less((None,) * len(tiles))
    shown = hand.with_tiles(in_order((*rest, *tiles)))
    finished = all_shown or not shown.hidden
    asked = tuple(other for other in position.asked if other != seat or not finished)
    stage = Stage.SHOW if asked else Stage.OVER
    return changed(position, seats=with_hand(position, seat, shown), stage=stage, asked=asked)


def put_back(position: Position) -> Position:
    """Puts the tile on offer away: a discard to the middle, an added tile back into the hand."""
    seat, tile = position.turn, position.tile
    if position.stage is Stage.CLAIM and tile is not None:
        return changed(position, discards=put_in(position.discards, tile))
    if position.stage is Stage.ROB:
        hand = position.seats[seat]
        back = hand.with_tiles(hand.plus(tile))
        return changed(noted(position, Taken(seat, tile)), seats=with_hand(position, seat, back))
    return position


def _fines(position: Position) -> tuple[Settlement, ...]:
    """The fine for each discard of a hidden hand against the order (W16, W17, E16)."""
    return tuple(
        broken_order(
            breach.seat,
            position.deal.stakes,
            f"Seat {breach.seat} discarded '{breach.face}' against the order ({breach.rule}, E16).",
        )
        for breach in breaches_found(position)
    )


def breaches_found(position: Position) -> tuple[Breach, ...]:
    """The discards of hidden hands against the order, after all hands are shown (E16)."""
    hands = [hand.known for hand in position.seats]
    return breaches(position.trail, hands, position.deal.caishen)


def caishen_held(position: Position) -> tuple[int, ...]:
    """The number of caishen of each seat (W35)."""
    caishen = position.deal.caishen
    return tuple(sum(map(caishen.is_caishen, hand.tiles)) for hand in position.seats)
