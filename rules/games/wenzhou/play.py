"""Wenzhou mahjong in play (W14-W36): draws, discards, claims, kongs, the one winner, the end."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.errors import RulesError
from rules.games.wenzhou.actions import (
    Chow,
    Discard,
    Draw,
    Kong,
    Pass,
    Pong,
    Show,
    WenzhouAction,
    Win,
)
from rules.games.wenzhou.caishen import Caishen
from rules.games.wenzhou.claims import strongest
from rules.games.wenzhou.hand import NoWin
from rules.games.wenzhou.legal import each, may_claim, to_act, to_add, why_refused, win_of
from rules.games.wenzhou.match import WenzhouMatch
from rules.games.wenzhou.position import (
    ALIKE,
    Deal,
    Position,
    SeatHand,
    Stage,
    after,
    in_order,
)
from rules.games.wenzhou.score import Stakes, caishen_money, drawn, won
from rules.games.wenzhou.sets_down import set_down
from rules.games.wenzhou.setup import SEATS
from rules.geometry import LOWER, Place, Seat, WallPlace
from rules.play import LegalActions, Settlement, Tiles, tiles_of
from rules.setup import Setup
from rules.tiles import Face


def start(
    setup: Setup, tiles: Tiles | None = None, match: WenzhouMatch | None = None
) -> WenzhouPlay:
    """The play from a finished set-up: the dealer has 17 tiles and acts.

    Raises RulesError for a set-up that is not finished.
    """
    ready = setup.ready
    if ready is None or not isinstance(ready.indicator, WallPlace):
        raise RulesError("The set-up is not finished; a hand begins when its indicator lies open.")
    known = dict(tiles or {})
    beneath = WallPlace(ready.indicator.owner, ready.indicator.column, LOWER)
    dealer = setup.seating.dealer
    deal = Deal(
        caishen=Caishen(ready.shows or known.get(ready.indicator)),
        stakes=Stakes(dealer, match.streak if match else 1, setup.parameters),
        draws=ready.draws,
        replacements=ready.replacements,
        before_indicator=ready.draws.index(beneath),
        tiles=known,
    )
    hands = tuple(SeatHand(in_order(tiles_of(setup, known, seat))) for seat in range(SEATS))
    last = tiles_of(setup, known, dealer)[-1]
    return WenzhouPlay(Position(deal, hands, Stage.ACT, dealer, last))


@dataclass(frozen=True)
class WenzhouPlay:
    """A hand in progress. `position` is all that is to be seen; this adds what may be done."""

    position: Position

    @property
    def to_act(self) -> tuple[Seat, ...]:
        return to_act(self.position)

    @property
    def legal_actions(self) -> LegalActions[WenzhouAction]:
        return LegalActions(
            lambda action: why_refused(self.position, action), lambda: each(self.position)
        )

    @property
    def settlement(self) -> Settlement | None:
        """Once the hand is over, and all caishen that are paid have been shown (W35)."""
        position = self.position
        if position.settlement is None or position.stage is Stage.SHOW:
            return None
        money = caishen_money(_caishen_held(position), position.deal.parameters)
        settled = position.settlement
        return replace(settled, payments=(*settled.payments, *money))

    @property
    def kongs(self) -> int:
        """Kongs so far, by anyone: they decide who deals after a drawn hand (W34)."""
        return self.position.kongs

    @property
    def source(self) -> Place | None:
        """The place that the pending draw takes its tile from, if a draw is pending."""
        return self.position.source

    def apply(self, action: WenzhouAction) -> WenzhouPlay:
        """The play after this action. Raises IllegalAction; this value stays."""
        return WenzhouPlay(_after(self.position, self.legal_actions.require(action)))


def _after(position: Position, action: WenzhouAction) -> Position:
    match action:
        case Draw(seat, face):
            return _draw(position, seat, face)
        case Discard(seat, face):
            return _discard(position, seat, face)
        case Kong(seat, str(face)):
            return _kong(position, seat, face)
        case Win() if position.stage is Stage.ACT:
            return _won(position, action)
        case Show(seat, caishen):
            return _show(position, seat, caishen)
    return _answer(position, action)


def _draw(position: Position, seat: Seat, face: Face | None) -> Position:
    """The next tile, or a replacement from the wall's end (W23); a lock on pongs ends (W20)."""
    assert position.source is not None
    tile = face or position.deal.tiles.get(position.source)
    hand = position.seats[seat]
    replaced = position.stage is Stage.REPLACE
    tail = replaced and position.deal.parameters.kong_source == "tail"
    return replace(
        position,
        seats=_with(position, seat, SeatHand(in_order((*hand.tiles, tile)), hand.melds)),
        stage=Stage.ACT,
        tile=tile,
        by="replacement" if replaced else "self",
        drawn=position.drawn + (not tail),
        replaced=position.replaced + tail,
    )


def _discard(position: Position, seat: Seat, face: Face) -> Position:
    """A tile into the middle; its kind counts as discarded, claimed or not (W17, E13)."""
    hand = position.seats[seat]
    caishen = position.deal.caishen
    kind = set() if caishen.is_caishen(face) else {caishen.kind_of(face)}
    thrown = replace(
        position,
        seats=_with(position, seat, replace(hand, tiles=hand.less((face,)))),
        stage=Stage.CLAIM,
        tile=face,
        thrown=position.thrown | kind,
        discarded=position.discarded + 1,
    )
    return _asked(thrown)


def _kong(position: Position, seat: Seat, face: Face) -> Position:
    """Four of the hand laid down, or a pong's fourth added, which may be robbed (E19)."""
    hand = position.seats[seat]
    if to_add(position, seat, face):
        tiles = hand.less((face,))
        seats = _with(position, seat, replace(hand, tiles=tiles))
        return _asked(replace(position, seats=seats, stage=Stage.ROB, tile=face))
    four = (face,) * ALIKE
    meld = set_down(four, position.deal.caishen, concealed=True)
    laid = replace(hand, tiles=hand.less(four), melds=(*hand.melds, meld))
    return _kong_made(position, laid)


def _kong_made(position: Position, laid: SeatHand) -> Position:
    return replace(
        position,
        seats=_with(position, position.turn, laid),
        stage=Stage.REPLACE,
        tile=None,
        answers=(),
        calls=position.calls + 1,
        kongs=position.kongs + 1,
    )


def _asked(position: Position) -> Position:
    """Everybody who may claim is asked; if nobody may, the hand goes on."""
    asked = replace(position, asked=may_claim(position), answers=())
    return asked if asked.asked else _decided(asked)


def _answer(position: Position, action: WenzhouAction) -> Position:
    """One claim or pass more; the last one lets the arbiter decide."""
    seat = action.seat
    answered = replace(
        position,
        seats=_with(position, seat, _locked(position, seat))
        if isinstance(action, Pass)
        else position.seats,
        asked=tuple(other for other in position.asked if other != seat),
        answers=(*position.answers, action),
    )
    return answered if answered.asked else _decided(answered)


def _locked(position: Position, seat: Seat) -> SeatHand:
    """A hand that has passed: where that locks pongs, of this kind until its next turn (W20)."""
    hand, tile, caishen = position.seats[seat], position.tile, position.deal.caishen
    if not position.deal.parameters.pong_pass_lock or tile is None or caishen.is_caishen(tile):
        return hand
    return replace(hand, passed=hand.passed | {caishen.kind_of(tile)})


def _decided(position: Position) -> Position:
    """What the claims come to: the strongest one, or the hand goes on."""
    claim = strongest(position)
    match claim:
        case Win():
            return _won(position, claim)
        case Pong() | Kong() | Chow():
            return _claimed(position, claim)
    return _kong_completed(position) if position.stage is Stage.ROB else _next(position)


def _claimed(position: Position, claim: Pong | Kong | Chow) -> Position:
    """A discard into a set of its claimant, who then discards, or draws a replacement."""
    assert position.tile is not None
    own = claim.own if isinstance(claim, Chow) else (position.tile,) * _own(claim)
    hand = position.seats[claim.seat]
    caishen = position.deal.caishen
    faces = tuple(sorted((*own, position.tile), key=caishen.kind_of))
    laid = SeatHand(hand.less(own), (*hand.melds, set_down(faces, caishen)))
    if isinstance(claim, Kong):
        return _kong_made(replace(position, turn=claim.seat), laid)
    return replace(
        position,
        seats=_with(position, claim.seat, laid),
        stage=Stage.DISCARD,
        turn=claim.seat,
        tile=None,
        answers=(),
        calls=position.calls + 1,
    )


def _own(claim: Pong | Kong) -> int:
    return 2 if isinstance(claim, Pong) else 3


def _kong_completed(position: Position) -> Position:
    """A fourth tile that nobody robbed joins its pong."""
    hand, face = position.seats[position.turn], position.tile
    assert face is not None
    melds = tuple(
        set_down((*meld.faces, face), position.deal.caishen)
        if meld.what == "pong" and meld.faces[0] == face
        else meld
        for meld in hand.melds
    )
    return _kong_made(position, replace(hand, melds=melds))


def _next(position: Position) -> Position:
    """The unclaimed tile lies among the discards; the next seat draws, if the wall lets it (E4)."""
    assert position.tile is not None
    lies = replace(
        position,
        stage=Stage.DRAW,
        turn=after(position.turn),
        tile=None,
        answers=(),
        discards=tuple(sorted((*position.discards, position.tile), key=lambda face: face[::-1])),
    )
    if lies.may_draw:
        return lies
    reserve = lies.deal.parameters.reserve
    why = (
        f"Nobody has won and {lies.left} tiles are left (W29)."
        if lies.left <= max(reserve, 1)
        else f"The tile before the indicator has been taken, {lies.left} are left (W29)."
    )
    return _ended(lies, drawn(why))


def _won(position: Position, action: Win) -> Position:
    """The winner's hand lies open, the winning tile in it; all others pay."""
    win = win_of(position, action.seat, action.shows)
    assert not isinstance(win, NoWin)
    hand = position.seats[action.seat]
    claimed = () if position.stage is Stage.ACT else (position.tile,)
    tiles = in_order((*hand.known, *action.shows, *claimed))
    over = replace(
        position,
        seats=_with(position, action.seat, replace(hand, tiles=tiles)),
        tile=None,
        answers=(),
    )
    return _ended(over, won(action.seat, win, position.deal.stakes))


def _ended(position: Position, settlement: Settlement) -> Position:
    """The hand is over; where caishen are paid, unseen hands first show theirs (W35)."""
    pays = position.deal.parameters.caishen_money and position.deal.caishen.face is not None
    unseen = tuple(seat for seat, hand in enumerate(position.seats) if hand.hidden)
    asked = unseen if pays else ()
    stage = Stage.SHOW if asked else Stage.OVER
    return replace(position, stage=stage, asked=asked, settlement=settlement)


def _show(position: Position, seat: Seat, caishen: int) -> Position:
    """So many of a seat's unseen tiles are caishen; the last seat to show ends the hand."""
    hand, face = position.seats[seat], position.deal.caishen.face
    rest = hand.less((None,) * caishen)
    shown = replace(hand, tiles=in_order((*rest, *(face,) * caishen)))
    asked = tuple(other for other in position.asked if other != seat)
    stage = Stage.SHOW if asked else Stage.OVER
    return replace(position, seats=_with(position, seat, shown), stage=stage, asked=asked)


def _caishen_held(position: Position) -> tuple[int, ...]:
    """How many caishen each seat holds (W35)."""
    caishen = position.deal.caishen
    return tuple(sum(map(caishen.is_caishen, hand.tiles)) for hand in position.seats)


def _with(position: Position, seat: Seat, hand: SeatHand) -> tuple[SeatHand, ...]:
    return (*position.seats[:seat], hand, *position.seats[seat + 1 :])
