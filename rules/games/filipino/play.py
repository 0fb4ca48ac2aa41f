"""Filipino mahjong as a play: from mano's first discard to the payments (F18-F38).

`legal` decides which actions are legal; this module has their effects on the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from rules.games.filipino import legal, score
from rules.games.filipino.actions import Act, Verb, bare, face_under
from rules.games.filipino.hand import Hand, Meld, MeldName
from rules.games.filipino.legal import claimants, declared
from rules.games.filipino.listing import with_drawn
from rules.games.filipino.match import FilipinoMatch
from rules.games.filipino.parameters import SEATS, Parameters
from rules.games.filipino.score import Won
from rules.games.filipino.table import (
    FilipinoTable,
    Offer,
    Phase,
    WallTile,
    after_turn,
    laid_table,
    source_of,
)
from rules.games.filipino.wins import Declared, winning_hand
from rules.geometry import Place, Seat, clockwise, counter_clockwise
from rules.play import LegalActions, Settlement, Tiles
from rules.playing.known_tiles import known_tiles
from rules.setup import Setup
from rules.tiles import Face
from rules.values import changed

RANKS: dict[Verb, int] = {"win": 0, "kong": 1, "pong": 1, "chow": 2}


@dataclass(frozen=True)
class FilipinoPlay:
    """A hand in progress; `table` is its whole state.

    A false win is legal for any seat that can show its tiles, even if the seat is not in `to_act`.
    `legal_actions` accepts it but does not list it.
    """

    table: FilipinoTable

    @property
    def to_act(self) -> tuple[Seat, ...]:
        return self.table.to_act

    @property
    def legal_actions(self) -> LegalActions[Act]:
        # Cached, so that `apply` recognises an action that was picked from the list.
        known: LegalActions[Act] | None = self.__dict__.get("_legal")
        if known is None:
            table = self.table
            known = LegalActions(partial(legal.why_not, table), partial(legal.each, table))
            self.__dict__["_legal"] = known
        return known

    @property
    def settlement(self) -> Settlement | None:
        return self.table.settlement

    @property
    def chips(self) -> tuple[int, ...]:
        """Each seat's chips, including those of this hand once it is over (F34)."""
        return self.table.chips

    @property
    def next_draw(self) -> Place | None:
        """The tile that the next draw takes, None if the wall is used up."""
        draws = self.table.wall.draws
        return draws[0][0] if draws else None

    @property
    def next_replacement(self) -> Place | None:
        """The tile that the next flores or kong takes, None if the wall is used up."""
        replacements = self.table.wall.replacements
        return replacements[0][0] if replacements else None

    def apply(self, action: Act) -> FilipinoPlay:
        """Returns the play after an action; this value is unchanged. Raises IllegalActionError."""
        return FilipinoPlay(after(self.table, self.legal_actions.require(action)))


def start(
    setup: Setup, tiles: Tiles | None = None, match: FilipinoMatch | None = None
) -> FilipinoPlay:
    """Begins a play from a finished set-up; tiles that are not given are unknown.

    Raises IllegalSetupError for a set-up that is not finished, or whose tiles contradict it.
    """
    chips = (match or FilipinoMatch()).chips
    return FilipinoPlay(laid_table(setup, known_tiles(setup, tiles), chips))


def after(table: FilipinoTable, act: Act) -> FilipinoTable:
    """Returns the table after an action. The caller checks that the action is legal."""
    if act.verb == "false win":
        return _false_win(table, act.seat)
    if table.offer is not None:
        return _answered(table, table.offer, act)
    return _EFFECTS[act.verb](table, act)


def _draw(table: FilipinoTable, act: Act) -> FilipinoTable:
    """Draws a tile from the end of the wall where the deal ended (F20)."""
    return _taking(table, act.seat, table.wall.draws[0], phase="turn")


def _flores(table: FilipinoTable, act: Act) -> FilipinoTable:
    """Lays a flores out, and takes a tile from the replacement end (F20, F21)."""
    seat = act.seat
    face = act.tiles[0] if act.tiles else None
    hand = table.hands[seat].laying_out(face)
    assert hand is not None
    paid = score.flores_in_play(seat, len(hand.flores), table.house, table.stakes)
    return _replaced(_paid(table.with_hand(seat, hand), paid), seat)


def _discard(table: FilipinoTable, act: Act) -> FilipinoTable:
    """Discards a tile into the middle and offers it to the seats that can claim it (F19, F22)."""
    face = act.tiles[0] if act.tiles else None
    discarded = changed(
        table,
        hands=table.hands_with(act.seat, _rest(table.hands[act.seat], (face,))),
        middle=(*table.middle, face),
        phase="claim",
    )
    return _offered(discarded, Offer(face, act.seat))


def _own_kong(table: FilipinoTable, act: Act) -> FilipinoTable:
    """Lays a kong from the seat's own hand: it is paid at once and one tile is taken (F23)."""
    kong = Meld("kong", act.tiles, concealed=True, secret=act.verb == "secret")
    hand = table.hands[act.seat].laying(kong, _own_faces(table, act, None))
    assert hand is not None
    return _kong_made(table.with_hand(act.seat, hand), act.seat)


def _add(table: FilipinoTable, act: Act) -> FilipinoTable:
    """Adds a fourth tile to a pong; other seats can first win on the tile (F32)."""
    (face,) = _own_faces(table, act, None) if act.tiles else (None,)
    return _offered(changed(table, phase="claim"), Offer(face, act.seat, added=act))


def _win(table: FilipinoTable, act: Act) -> FilipinoTable:
    return _settled_win(table, act, None)


def _offered(table: FilipinoTable, offer: Offer) -> FilipinoTable:
    """Offers a tile to every seat that can claim it; if none can, the hand continues at once."""
    asked = claimants(table, offer)
    if not asked:
        return _unclaimed(table, offer)
    return changed(table, offer=Offer(offer.face, offer.by, offer.added, asked))


def _answered(table: FilipinoTable, offer: Offer, act: Act) -> FilipinoTable:
    """Adds an answer; after the last answer the claims are decided (F24, F33)."""
    offer = Offer(offer.face, offer.by, offer.added, offer.asked, (*offer.answers, act))
    if offer.awaited:
        return changed(table, offer=offer)
    granted = granted_claim(offer.answers, offer.by, table.house)
    if granted is None:
        return _unclaimed(table, offer)
    if granted.verb == "win":
        return _settled_win(table, granted, offer)
    return _claimed(table, offer, granted)


def granted_claim(answers: Iterable[Act], by: Seat, house: Parameters) -> Act | None:
    """The claim that is granted on the tile of seat `by`; None if all seats passed.

    Of several wins, that of the upper seat of `by` comes first, then that of the opposite seat; or
    the next in turn, depending on the house (F33, A2). With jokers, two seats can pong the same
    tile; the next in turn gets it.
    """
    claims = [answer for answer in answers if answer.verb in RANKS]
    return min(
        claims,
        key=lambda claim: (RANKS[claim.verb], _order(claim, by, house).index(claim.seat)),
        default=None,
    )


def _order(claim: Act, by: Seat, house: Parameters) -> tuple[Seat, ...]:
    if claim.verb == "win" and house.multi_win == "upper_seat_first":
        return clockwise(by, SEATS)
    return counter_clockwise(by, SEATS)


def _unclaimed(table: FilipinoTable, offer: Offer) -> FilipinoTable:
    """The table after all passes: the next seat draws, or the added tile completes its kong."""
    if offer.added is not None:
        return _added(changed(table, offer=None, phase="turn"), offer.added)
    if table.wall.left <= table.house.exhaust_reserve:
        return _exhausted(changed(table, offer=None))
    return changed(table, offer=None, phase="draw", turn=after_turn(offer.by), drawn=None)


def _claimed(table: FilipinoTable, offer: Offer, act: Act) -> FilipinoTable:
    """Lays the claimed set; its seat discards next, or takes a tile for a kong (F22, F23)."""
    names: dict[Verb, MeldName] = {"chow": "chow", "pong": "pong", "kong": "kong"}
    meld = Meld(names[act.verb], act.tiles)
    hand = table.hands[act.seat].laying(meld, _own_faces(table, act, offer))
    assert hand is not None
    table = changed(
        table,
        hands=table.hands_with(act.seat, hand),
        middle=table.middle[:-1],
        offer=None,
        turn=act.seat,
        phase="turn" if meld.name == "kong" else "discard",
        drawn=None,
        drew=False,
    )
    return _kong_made(table, act.seat) if meld.name == "kong" else table


def _added(table: FilipinoTable, act: Act) -> FilipinoTable:
    """Replaces a pong by the kong with the added tile (F32)."""
    hand = table.hands[act.seat]
    at = _pong_for(hand, act)
    pong = hand.melds[at]
    tiles = (*pong.tiles, *act.tiles) if pong.tiles and act.tiles else ()
    kong = Meld("kong", tuple(sorted(tiles)))
    rest = _rest(hand, _own_faces(table, act, None) if act.tiles else (None,))
    rest = replace(rest, melds=(*hand.melds[:at], kong, *hand.melds[at + 1 :]))
    return _kong_made(table.with_hand(act.seat, rest), act.seat)


def _pong_for(hand: Hand, act: Act) -> int:
    """The index of the pong to which a tile is added: one of its face, or one that was not read."""
    pongs = [at for at, meld in enumerate(hand.melds) if meld.name == "pong"]
    read = [at for at in pongs if act.tiles and bare(act.tiles[0]) in hand.melds[at].reads]
    unread = [at for at in pongs if not hand.melds[at].tiles]
    return (read or unread or pongs)[0]


def _kong_made(table: FilipinoTable, seat: Seat) -> FilipinoTable:
    return _replaced(_paid(table, score.kong(seat, table.house, table.stakes)), seat)


def _replaced(table: FilipinoTable, seat: Seat) -> FilipinoTable:
    """Takes a tile from the replacement end; the hand is over if there is none (F20, F37)."""
    if not table.wall.left:
        return _exhausted(table)
    return _taking(table, seat, table.wall.replacements[0])


def _taking(
    table: FilipinoTable, seat: Seat, tile: WallTile, phase: Phase | None = None
) -> FilipinoTable:
    """Moves a tile from the wall into a hand; without `phase` the phase does not change."""
    place, face = tile
    return changed(
        table,
        hands=table.hands_with(seat, with_drawn(table, table.hands[seat], face)),
        phase=phase or table.phase,
        wall=table.wall.without(tile),
        turn=seat,
        drawn=face,
        drew=True,
        taken=(*table.taken, (seat, place)),
    )


def _false_win(table: FilipinoTable, seat: Seat) -> FilipinoTable:
    """The seat pays every other seat; then its hand is dead, or the hand is over (F35)."""
    paid = _paid(table, score.false_win(seat, table.house, table.stakes))
    if table.house.after_false_win == "ends":
        return _over(paid, score.ended_by_false_win(seat, paid.payments))
    dead = paid.with_hand(seat, replace(paid.hands[seat], dead=True))
    if dead.offer is not None and seat in dead.offer.awaited:
        return _answered(dead, dead.offer, Act(seat, "pass"))
    return dead


def _settled_win(table: FilipinoTable, act: Act, offer: Offer | None) -> FilipinoTable:
    """Pays the winner, gives him his chips, and makes him the next roller (F5, F29-F34)."""
    shown = declared(table, act, offer)
    assert isinstance(shown, Declared)
    hand = winning_hand(shown, table.house)
    assert hand is not None
    source = None if offer is None else offer.by
    won = Won(act.seat, hand, source_of(offer), source, len(table.hands[act.seat].flores))
    paid, chips = score.price_with_chips(won, table.chips, table.house, table.stakes)
    settlement = score.won_hand(act.seat, paid, table.payments)
    laid = _moved(table, act.seat, shown, offer)
    return _over(changed(laid, chips=chips, turn=act.seat), settlement)


def _moved(table: FilipinoTable, seat: Seat, shown: Declared, offer: Offer | None) -> FilipinoTable:
    """Opens the winner's tiles, and moves the winning tile to them."""
    open_hand = replace(table.hands[seat], concealed=shown.concealed, unknown=0)
    table = changed(table.with_hand(seat, open_hand), offer=None)
    if offer is None:
        return table
    if offer.added is None:
        return changed(table, middle=table.middle[:-1])
    return table.with_hand(offer.by, _rest(table.hands[offer.by], (offer.face,)))


def _exhausted(table: FilipinoTable) -> FilipinoTable:
    """Ends a hand without a winner: no more payments; the same roller throws again (F37)."""
    return _over(table, score.exhausted(table.payments))


def _over(table: FilipinoTable, settlement: Settlement) -> FilipinoTable:
    """Ends the hand with this settlement, which has all its payments."""
    return changed(
        table, phase="over", offer=None, payments=settlement.payments, settlement=settlement
    )


def _paid(table: FilipinoTable, payments: score.Payments) -> FilipinoTable:
    return changed(table, payments=(*table.payments, *payments)) if payments else table


def _rest(hand: Hand, faces: tuple[Face | None, ...]) -> Hand:
    rest = hand.without(faces)
    assert rest is not None
    return rest


def _own_faces(table: FilipinoTable, act: Act, offer: Offer | None) -> tuple[Face | None, ...]:
    """The tiles that leave the hand for a set: all tiles of the set except the one on offer."""
    if not act.tiles:
        return (None,) * ((4 if act.verb in ("kong", "secret") else 3) - (offer is not None))
    tiles = list(act.tiles)
    if offer is not None and offer.face is not None:
        tiles.remove(offer.face)
    return tuple(face_under(tile, table.joker) for tile in tiles)


_EFFECTS: dict[Verb, Callable[[FilipinoTable, Act], FilipinoTable]] = {
    "draw": _draw,
    "flores": _flores,
    "discard": _discard,
    "kong": _own_kong,
    "secret": _own_kong,
    "add": _add,
    "win": _win,
}
