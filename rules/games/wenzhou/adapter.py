"""The `Rules` of Wenzhou mahjong, for callers that select games by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rules.dice import Dice
from rules.games.wenzhou.actions import Discard, Draw, Pass, Show, WenzhouAction, Win, parse
from rules.games.wenzhou.bot import sensible
from rules.games.wenzhou.discard_check import Taken, is_fined
from rules.games.wenzhou.match import WenzhouMatch, begin
from rules.games.wenzhou.play import WenzhouPlay, start
from rules.games.wenzhou.setup import SEATS, WENZHOU, draw_seats, east_seat
from rules.games.wenzhou.state import Position, SeatHand, Stage, after
from rules.geometry import Seat, counter_clockwise
from rules.open_tiles import ClaimedDiscards, OpenSet
from rules.play import Drawing, Handed, Held, Reseated, Rules
from rules.setup import Setup, choose, throw
from rules.steps import Packet, Replace
from rules.tiles import Face

EAST_THROW = "throw for the east seat"
FIRST_THROW = "throw for the first wind"
WINDS_THROW = "draw of the winds"


def hands_over(setup: Setup, before: WenzhouPlay, after: WenzhouPlay) -> Handed:
    """The tile drawn, from the replacement end for a kong if the house has one (W23)."""
    seat, place = before.position.turn, before.source
    if after.position.replaced > before.position.replaced and place is not None:
        return (Replace(seat, place),)
    if after.position.drawn > before.position.drawn and place is not None:
        return (Packet(seat, (place,)),)
    return ()


def held(play: WenzhouPlay) -> Held:
    """The concealed tiles, the sets laid down, then a tile just added to one of them.

    The added tile belongs to its player until another seat robs the kong.
    """
    position = play.position
    return tuple(
        (
            *hand.tiles,
            *(face for meld in hand.melds for face in meld.faces),
            *((position.tile,) if (position.stage, position.turn) == (Stage.ROB, seat) else ()),
        )
        for seat, hand in enumerate(position.seats)
    )


def view(play: WenzhouPlay, seat: Seat) -> WenzhouPlay:
    """The play with the wall and the concealed tiles of the other seats unknown.

    While a tile is on offer, every other seat could have a claim, as far as this seat can know. The
    hand of a winner is open.
    """
    position = play.position
    settlement = position.settlement
    winner = None if settlement is None else settlement.winner
    seats = tuple(
        hand if owner in (seat, winner) else _hidden(hand)
        for owner, hand in enumerate(position.seats)
    )
    own_turn = position.turn == seat or position.stage in (Stage.CLAIM, Stage.ROB)
    return WenzhouPlay(
        replace(
            position,
            deal=replace(position.deal, tiles={}),
            seats=seats,
            tile=position.tile if own_turn else None,
            asked=_asked(position, seat),
            trail=tuple(
                Taken(event.seat) if isinstance(event, Taken) and event.seat != seat else event
                for event in position.trail
            ),
        )
    )


def _hidden(hand: SeatHand) -> SeatHand:
    return replace(hand, tiles=(None,) * len(hand.tiles))


def _asked(position: Position, seat: Seat) -> tuple[Seat, ...]:
    """The seats that could still answer, as far as the viewing seat can know."""
    if position.stage not in (Stage.CLAIM, Stage.ROB):
        return position.asked
    answered = {answer.seat for answer in position.answers}
    order = (after(position.turn, step) for step in range(1, SEATS))
    return tuple(
        other
        for other in order
        if other in position.asked
        or (other not in answered and other != seat and not position.seats[other].dead)
    )


def _discarded(action: WenzhouAction) -> tuple[Face, ...]:
    return (action.face,) if isinstance(action, Discard) else ()


def _is_on_offer(play: WenzhouPlay) -> bool:
    return play.position.stage is Stage.CLAIM


def _melds(play: WenzhouPlay) -> tuple[tuple[OpenSet, ...], ...]:
    """The sets by seat; a kong of four own tiles lies open as well, because it is named."""
    return tuple(
        tuple(
            OpenSet(seat, f"{'concealed ' * meld.concealed}{meld.what}", meld.faces)
            for meld in hand.melds
        )
        for seat, hand in enumerate(play.position.seats)
    )


def _others(play: WenzhouPlay) -> tuple[OpenSet, ...]:
    """A tile that is being added to a pong, and the winner's hand."""
    position, winner = play.position, _winner(play)
    added = position.tile if position.stage is Stage.ROB else None
    return (
        *((OpenSet(position.turn, "added", (added,)),) if added is not None else ()),
        *((OpenSet(winner, "hand", position.seats[winner].tiles),) if winner is not None else ()),
    )


def _winner(play: WenzhouPlay) -> Seat | None:
    settlement = play.position.settlement
    return None if settlement is None else settlement.winner


def _shown(action: WenzhouAction) -> tuple[Face, ...]:
    return action.tiles if isinstance(action, Show) else ()


def announced(full_play: WenzhouPlay, play: WenzhouPlay, action: WenzhouAction) -> WenzhouAction:
    """The action as the table receives it: a draw without a face, a win with the tiles to show."""
    match action:
        case Draw(seat):
            return Draw(seat)
        case Win(seat):
            return Win(seat, _tiles_to_show(full_play, play, seat))
    return action


def catch_up(full_play: WenzhouPlay, play: WenzhouPlay, seat: Seat) -> Pass | Show:
    """A pass, or after the hand the tiles that decide a payment."""
    if play.position.stage is not Stage.SHOW:
        return Pass(seat)
    if is_fined(play.position.deal.parameters):
        return Show(seat, tiles=_unseen_of(full_play, play, seat))
    caishen = play.position.deal.caishen.face
    held, seen = (each.position.seats[seat].tiles.count(caishen) for each in (full_play, play))
    return Show(seat, held - seen)


def _unseen_of(full_play: WenzhouPlay, play: WenzhouPlay, seat: Seat) -> tuple[Face, ...]:
    return play.position.seats[seat].lacks(full_play.position.seats[seat].known)


def _tiles_to_show(full_play: WenzhouPlay, play: WenzhouPlay, seat: Seat) -> tuple[Face, ...]:
    """A winner's concealed tiles that the table has not seen, the drawn tile last.

    The table assumes that the last tile is the drawn one (`claim_of`).
    """
    tiles = list(full_play.position.seats[seat].known)
    drawn = full_play.position.tile
    if full_play.position.stage is Stage.ACT and drawn is not None:
        tiles.remove(drawn)
        tiles.append(drawn)
    for seen in play.position.seats[seat].known:
        tiles.remove(seen)
    return tuple(tiles)


def to_draw(match: WenzhouMatch) -> WenzhouMatch:
    """Returns the match with a draw for seats before its next hand (W2)."""
    return replace(match, reseating=True)


def before_hand(match: WenzhouMatch) -> Drawing | None:
    """The script of the draw for seats before the next hand (W2, W33); None if the seats stay."""
    return _drawing(match) if match.reseating else None


def _drawing(match: WenzhouMatch) -> Drawing:
    """The script: asks for the eldest player, who throws; then the winds are drawn.

    Two throws decide the EAST seat and the player who takes the first of the four winds. The wind
    tiles can be inside the machine, so the winds are drawn with dice too: each face decides which
    of the remaining winds goes to the next seat. Every order of the winds is equally likely.
    """
    parameters = match.parameters
    eldest = yield from choose(match.dealer, "eldest", range(SEATS), match.dealer)
    first = sum((yield from throw(eldest, 2, EAST_THROW)))
    _, again = east_seat(eldest, first, parameters)
    second = sum((yield from throw(again, 2, FIRST_THROW)))
    east, taker = draw_seats(eldest, first, second, parameters)
    winds = winds_drawn(taker, (yield from throw(taker, 2, WINDS_THROW, times=2)))
    moves = tuple((east + wind) % SEATS for wind in winds)
    return Reseated(moves, match.seated(east, moves))


def winds_drawn(taker: Seat, dice: Dice) -> tuple[int, ...]:
    """The wind of each seat (0 is EAST, then counter-clockwise), drawn with four dice.

    The parities of the first two dice choose one of four winds, the third die one of three, the
    fourth die one of two; the last seat gets the remaining wind.
    """
    one, two, three, four = (face - 1 for face in dice)
    left = list(range(SEATS))
    takes = (one % 2 * 2 + two % 2, three % 3, four % 2, 0)
    winds = [left.pop(take) for take in takes]
    drawn = dict(zip(counter_clockwise(taker, SEATS), winds, strict=True))
    return tuple(drawn[seat] for seat in range(SEATS))


OPEN_TILES: Final = ClaimedDiscards(
    discarded=_discarded,
    on_offer=_is_on_offer,
    melds=_melds,
    others=_others,
    winner=_winner,
    shown=_shown,
)
"""The tiles that all see, from the plays of a hand."""
WENZHOU_RULES: Final = Rules(
    game=WENZHOU.name,
    start=start,
    parse=parse,
    sensible=sensible,
    match=begin,
    held=held,
    open_tiles=OPEN_TILES,
    mixes_discards=lambda house: bool(house.discards == "mixed"),
    view=view,
    hands_over=hands_over,
    announced=announced,
    catch_up=catch_up,
    declarations=("win", "false win"),
    before_hand=before_hand,
    to_draw=to_draw,
)
"""The rules of play of Wenzhou mahjong."""
