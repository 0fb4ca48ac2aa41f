"""A hand of Wenzhou mahjong in progress (W14-W36): draws, discards, claims, kongs, win, end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from rules.errors import RulesError
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
from rules.games.wenzhou.discard_check import Given, Taken
from rules.games.wenzhou.ending import ended, put_back, settled, show_tiles, won_by
from rules.games.wenzhou.legal import each, to_act, to_add, why_not_any
from rules.games.wenzhou.listing import claimants
from rules.games.wenzhou.match import WenzhouMatch
from rules.games.wenzhou.score import Stakes, drawn, false_win
from rules.games.wenzhou.setup import SEATS
from rules.games.wenzhou.state import (
    ALIKE,
    DealtPosition,
    Position,
    SeatHand,
    Stage,
    after,
    in_order,
    is_kept,
    noted,
    noted_discard,
    put_in,
    win_of,
    with_hand,
)
from rules.games.wenzhou.tiles import Caishen, set_down
from rules.games.wenzhou.wins import DOUBLE, NoWin
from rules.geometry import LOWER, Place, Seat, WallPlace
from rules.play import LegalActions, Settlement, Tiles, tiles_of
from rules.playing.known_tiles import known_tiles
from rules.setup import Setup
from rules.tiles import Face
from rules.values import changed


def start(
    setup: Setup, tiles: Tiles | None = None, match: WenzhouMatch | None = None
) -> WenzhouPlay:
    """Begins a play from a finished set-up: the dealer has 17 tiles and acts first.

    Raises RulesError for a set-up that is not finished, or tiles that one set cannot have.
    """
    ready = setup.ready
    if ready is None or not isinstance(ready.indicator, WallPlace):
        raise RulesError("The set-up is not finished; turn up the indicator before the play.")
    known = known_tiles(setup, tiles)
    beneath = WallPlace(ready.indicator.owner, ready.indicator.column, LOWER)
    dealer = setup.seating.dealer
    deal = DealtPosition(
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
    """A hand in progress: its state (`position`) and its legal actions."""

    position: Position

    @property
    def to_act(self) -> tuple[Seat, ...]:
        return to_act(self.position)

    @property
    def legal_actions(self) -> LegalActions[WenzhouAction]:
        # Cached, so that `apply` recognises an action that was picked from the list.
        known: LegalActions[WenzhouAction] | None = self.__dict__.get("_legal")
        if known is None:
            known = LegalActions(partial(why_not_any, self.position), partial(each, self.position))
            self.__dict__["_legal"] = known
        return known

    @property
    def settlement(self) -> Settlement | None:
        """The settlement; None until the hand is over and all tiles are shown (W35, E16)."""
        return settled(self.position)

    @property
    def kongs(self) -> int:
        """The number of kongs of all seats; it decides who deals after a drawn hand (W34)."""
        return self.position.kongs

    @property
    def source(self) -> Place | None:
        """The place of the tile that is drawn next; None if no draw is pending."""
        return self.position.source

    def apply(self, action: WenzhouAction) -> WenzhouPlay:
        """Returns the play after an action; this value is unchanged. Raises IllegalActionError."""
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
            return won_by(position, action)
        case FalseWin(seat):
            return _false_win(position, seat)
        case Show(seat, caishen, tiles):
            face = position.deal.caishen.face
            return show_tiles(position, seat, tiles or (face,) * caishen, all_shown=not tiles)
    return _answer(position, action)


def _draw(position: Position, seat: Seat, face: Face | None) -> Position:
    """Draws a tile, or a replacement tile (W23); ends the seat's lock on pongs (W20)."""
    assert position.source is not None
    tile = face or position.deal.tiles.get(position.source)
    hand = position.seats[seat]
    replaced = position.stage is Stage.REPLACE
    tail = replaced and position.deal.parameters.kong_source == "tail"
    held = hand.with_drawn(tile, position.deal.caishen)
    if is_kept(position):
        position = noted(position, Taken(seat, tile))
    return changed(
        position,
        seats=with_hand(position, seat, held),
        stage=Stage.ACT,
        tile=tile,
        by="replacement" if replaced else "self",
        drawn=position.drawn + (not tail),
        replaced=position.replaced + tail,
    )


def _discard(position: Position, seat: Seat, face: Face) -> Position:
    """Discards a tile; its kind counts as discarded even if the tile is claimed (W17, E13)."""
    hand = position.seats[seat]
    caishen, thrown = position.deal.caishen, position.thrown
    if not caishen.is_caishen(face):
        kind = caishen.kind_of(face)
        thrown = thrown if kind in thrown else thrown | {kind}
    discarded = changed(
        noted_discard(position, seat, face),
        seats=with_hand(position, seat, hand.with_discarded(face, caishen)),
        stage=Stage.CLAIM,
        tile=face,
        thrown=thrown,
        discarded=position.discarded + 1,
    )
    return _offered(discarded)


def _kong(position: Position, seat: Seat, face: Face) -> Position:
    """Lays down four tiles, or adds the fourth tile to a pong, which can be robbed (E19)."""
    hand = position.seats[seat]
    if to_add(position, seat, face):
        rest = hand.with_discarded(face, position.deal.caishen)
        seats = with_hand(position, seat, rest)
        given = noted(position, Given(seat, (face,)))
        return _offered(changed(given, seats=seats, stage=Stage.ROB, tile=face))
    four = (face,) * ALIKE
    meld = set_down(four, position.deal.caishen, concealed=True)
    laid = replace(hand, tiles=hand.less(four), melds=(*hand.melds, meld))
    return _kong_made(noted(position, Given(seat, four)), laid)


def _kong_made(position: Position, laid: SeatHand) -> Position:
    return changed(
        position,
        seats=with_hand(position, position.turn, laid),
        stage=Stage.REPLACE,
        tile=None,
        answers=(),
        calls=position.calls + 1,
        kongs=position.kongs + 1,
    )


def _offered(position: Position) -> Position:
    """Offers the tile to the seats that can claim it; if none can, the hand continues at once."""
    asked = claimants(position)
    return changed(position, asked=asked) if asked else _decided(position)


def _answer(position: Position, action: WenzhouAction) -> Position:
    """Adds a claim or a pass; after the last answer the claims are decided."""
    seat = action.seat
    answered = changed(
        position,
        seats=with_hand(position, seat, _locked(position, seat))
        if isinstance(action, Pass)
        else position.seats,
        asked=tuple(other for other in position.asked if other != seat),
        answers=(*position.answers, action),
    )
    return answered if answered.asked else _decided(answered)


def _locked(position: Position, seat: Seat) -> SeatHand:
    """The hand of a seat that has passed; `pong_pass_lock` locks pongs of this kind (W20)."""
    hand, tile, caishen = position.seats[seat], position.tile, position.deal.caishen
    if not position.deal.parameters.pong_pass_lock or tile is None or caishen.is_caishen(tile):
        return hand
    return replace(hand, passed=hand.passed | {caishen.kind_of(tile)})


def _decided(position: Position) -> Position:
    """Applies the granted claim; without a claim the hand continues."""
    claim = granted_claim(position) if position.answers else None
    match claim:
        case Win():
            return won_by(position, claim)
        case Pong() | Kong() | Chow():
            return _claimed(position, claim)
    return _kong_completed(position) if position.stage is Stage.ROB else _next(position)


def granted_claim(position: Position) -> Win | Pong | Kong | Chow | None:
    """The claim that is granted among the answers to a tile, or None if all seats have passed.

    Of several wins only one counts: the nearest in turn after the seat that offered the tile (W26).
    A double win comes before any other, and the nearest of several doubles first (W27, E18).
    """
    claims = [claim for claim in position.answers if isinstance(claim, Win | Pong | Kong | Chow)]
    return min(claims, key=lambda claim: _rank(position, claim), default=None)


def _rank(position: Position, claim: Win | Pong | Kong | Chow) -> tuple[int, int]:
    distance = (claim.seat - position.turn) % SEATS
    match claim:
        case Win(seat, shows):
            win = win_of(position, seat, shows)
            double = not isinstance(win, NoWin) and win.multiplier == DOUBLE
            return (0 if double else 1), distance
        case Pong() | Kong():
            return 2, distance
    return 3, distance


def _claimed(position: Position, claim: Pong | Kong | Chow) -> Position:
    """Lays the claimed set; its seat discards next, or draws a replacement for a kong."""
    assert position.tile is not None
    own = claim.own if isinstance(claim, Chow) else (position.tile,) * _own(claim)
    hand = position.seats[claim.seat]
    caishen = position.deal.caishen
    faces = tuple(sorted((*own, position.tile), key=caishen.kind_of))
    laid = SeatHand(hand.less(own), (*hand.melds, set_down(faces, caishen)))
    position = noted(position, Given(claim.seat, own))
    if isinstance(claim, Kong):
        return _kong_made(changed(position, turn=claim.seat), laid)
    return changed(
        position,
        seats=with_hand(position, claim.seat, laid),
        stage=Stage.DISCARD,
        turn=claim.seat,
        tile=None,
        answers=(),
        calls=position.calls + 1,
    )


def _own(claim: Pong | Kong) -> int:
    return 2 if isinstance(claim, Pong) else 3


def _kong_completed(position: Position) -> Position:
    """Adds the fourth tile to its pong after all seats have passed."""
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
    """Moves the unclaimed tile to the discards; the next seat draws if the wall allows it (E4)."""
    assert position.tile is not None
    following = changed(
        position,
        stage=Stage.DRAW,
        turn=after(position.turn),
        tile=None,
        answers=(),
        discards=put_in(position.discards, position.tile),
    )
    if following.can_draw:
        return following
    reserve = following.deal.parameters.reserve
    why = (
        f"No seat has won and {following.left} tiles are left (W29)."
        if following.left <= max(reserve, 1)
        else f"The tile before the indicator has been taken; {following.left} are left (W29)."
    )
    return ended(following, drawn(why))


def _false_win(position: Position, seat: Seat) -> Position:
    """The seat pays every other seat; then its hand is dead, or the hand is over (W36).

    For a seat that was asked for a claim, the false win counts as a pass.
    """
    stakes, hand = position.deal.stakes, position.seats[seat]
    fine = false_win(seat, stakes, f"Seat {seat} declared a win with a hand that does not win.")
    if position.deal.parameters.after_false_win == "ends":
        return ended(put_back(position), fine)
    dead = changed(
        position,
        seats=with_hand(position, seat, replace(hand, dead=True)),
        penalties=(*position.penalties, *fine.payments),
    )
    claiming = position.stage in (Stage.CLAIM, Stage.ROB)
    return _answer(dead, Pass(seat)) if claiming and seat in position.asked else dead
