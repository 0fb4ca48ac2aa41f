"""What is legal now, as sentences against what is not.

`why_not` judges any act; `each` lists those that a player can want. A false win is legal but never
listed, and neither are the wins of a hand that the play does not know: there are too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from rules.games.filipino import listing
from rules.games.filipino.actions import Act, Verb, bare, face_under, malformed
from rules.games.filipino.candidates import candidates
from rules.games.filipino.hand import Hand, MeldName, defect, in_order
from rules.games.filipino.parameters import SEATS
from rules.games.filipino.score import others
from rules.games.filipino.table import FilipinoTable, Offer, Phase, after_turn
from rules.games.filipino.wins import Declared, wins
from rules.geometry import Seat
from rules.tiles import Face
from rules.well_typed import why_ill_typed

_VERBS: dict[Phase, tuple[Verb, ...]] = {
    "draw": ("draw",),
    "turn": ("discard", "win", "flores", "secret", "kong", "add"),
    "discard": ("discard", "flores"),
    "claim": ("pass", "win", "kong", "pong", "chow"),
    "over": (),
}
Sentence = str


def each(table: FilipinoTable) -> Iterable[Act]:
    """Every legal act of those awaited, but for false wins and wins of unknown hands."""
    found: tuple[Act, ...] = ()
    for seat in table.to_act:
        if not _is_known(table, seat, table.offer):
            return by_trying(table)
        found += listing.listed(table, seat)
    return found


def by_trying(table: FilipinoTable) -> Iterator[Act]:
    """The same by asking the rules about every act that the tiles suggest."""
    for seat in table.to_act:
        for act in candidates(table, seat):
            if _against(table, act) is None:
                yield act


def may_claim(table: FilipinoTable, offer: Offer) -> tuple[Seat, ...]:
    """The seats that have to be asked: those with a claim, or with unknown tiles."""
    if offer.face is not None:
        return listing.asked(table, offer)
    return tuple(seat for seat in others(offer.by) if _may_claim_unread(table, seat, offer))


def _may_claim_unread(table: FilipinoTable, seat: Seat, offer: Offer) -> bool:
    """Whether a seat might claim a tile that nobody read."""
    hand = table.hands[seat]
    if hand.dead or hand.unknown:
        return not hand.dead
    return any(
        act.verb != "pass" and _against_claim(table, act, offer) is None
        for act in candidates(table, seat, offer)
    )


def _is_known(table: FilipinoTable, seat: Seat, offer: Offer | None) -> bool:
    """Whether the table sees a seat's tiles, and the tile on offer if there is one."""
    return not table.hands[seat].unknown and (offer is None or offer.face is not None)


def why_not(table: FilipinoTable, act: object) -> Sentence | None:
    """The sentence against an act, or None if it is legal."""
    wrong = why_ill_typed(act, (Act,), "Filipino mahjong")
    if wrong is not None:
        return wrong
    assert isinstance(act, Act)
    wrong = malformed(act)
    if wrong is not None:
        return wrong
    if act.seat not in range(SEATS):
        return f"There is no seat {act.seat}; seats are 0 to {SEATS - 1}."
    if table.phase == "over":
        return f"The hand is over, so seat {act.seat} cannot {act}; set up the next one."
    if act.verb == "false win":
        return _against_false_win(table, act.seat)
    if act.seat not in table.to_act:
        seats = " and ".join(map(str, table.to_act))
        return f"Seat {act.seat} cannot {act} now; seat {seats} may act."
    return _against(table, act)


def _against(table: FilipinoTable, act: Act) -> Sentence | None:
    """Against an act, well formed, of a seat that is awaited."""
    if act.verb not in _VERBS[table.phase]:
        verbs = ", ".join(_VERBS[table.phase])
        return f"Seat {act.seat} cannot {act} now; he may: {verbs}."
    if table.offer is not None:
        return _against_claim(table, act, table.offer)
    if act.verb in ("draw", "flores"):
        return _AGAINST[act.verb](table, act)
    for face in table.hands[act.seat].concealed:
        if table.house.is_flores(face):
            return f"Seat {act.seat} has the flores {face} in hand; he lays it out first."
    return _AGAINST[act.verb](table, act)


def declared(table: FilipinoTable, act: Act, offer: Offer | None) -> Declared | Sentence:
    """The tiles of somebody who declares a win, or why they cannot be what he shows (F35)."""
    hand = table.hands[act.seat]
    shown = act.tiles
    lying = None if offer is None else offer.face
    held = hand.size + (offer is not None and lying is None)
    if hand.unknown == 0 and (lying is not None or offer is None):
        if shown and Counter(shown) != Counter(hand.concealed):
            return f"Seat {act.seat} has other tiles than {' '.join(shown)}; he declares 'win'."
        tile = lying if offer is not None else table.drawn
        all_tiles = hand.concealed if lying is None else (*hand.concealed, lying)
    else:
        if len(shown) != held:
            return (
                f"Seat {act.seat} shows {len(shown)} tiles of {held}: his hand is not known, so a"
                " win names every concealed tile, the one won last unless it lies on the table."
            )
        lacking = _not_held(table, hand, shown[: hand.size])
        if lacking is not None:
            return lacking
        tile = lying or table.drawn or (shown[-1] if table.drew or offer else None)
        all_tiles = shown if lying is None else (*shown, lying)
    return Declared(in_order(all_tiles), table.joker, tile, offer is not None, hand.melds)


def _against_claim(table: FilipinoTable, act: Act, offer: Offer) -> Sentence | None:
    """Against an answer to a discard or to a tile added to a pong (F22, F25, F32)."""
    hand = table.hands[act.seat]
    if act.verb == "pass":
        return None
    if hand.dead:
        return f"Seat {act.seat} showed a false win this hand and can only pass (F35)."
    joker_lies = offer.face is not None and offer.face == table.joker
    if joker_lies and table.house.joker_discard == "dead":
        return f"A discarded joker lies dead here; seat {act.seat} can only pass (F25)."
    if act.verb == "win":
        return _against_winning(table, declared(table, act, offer), act)
    if offer.added is not None:
        return f"The tile that seat {offer.by} adds to his pong can be won, not taken (F32)."
    if act.verb == "chow" and act.seat != after_turn(offer.by):
        return f"Seat {act.seat} cannot chow from seat {offer.by}, only from his upper seat (F22)."
    return _against_set(table, act, offer)


def _against_set(table: FilipinoTable, act: Act, offer: Offer | None) -> Sentence | None:
    """Against laying down a set of the own tiles, and of the one on offer if there is one."""
    name = _meld_name(act.verb)
    hand = table.hands[act.seat]
    if name == "kong" and not table.wall.left:
        return "No tile is left in the wall to replace a kong's fourth tile (F23)."
    own = (4 if name == "kong" else 3) - (offer is not None)
    if not act.tiles:
        if hand.unknown < own:
            return f"Seat {act.seat}'s tiles are known; name those of his {name}."
        return None
    wrong = _against_tiles(table, act, name)
    if wrong is not None:
        return wrong
    held = list(act.tiles)
    if offer is not None:
        if offer.face is None:
            return f"Nobody read seat {offer.by}'s tile; write '{act.verb}' without tiles."
        if offer.face not in held:
            return f"'{act}' does not use the tile {offer.face} that lies there as what it shows."
        held.remove(offer.face)
    return _not_held(table, hand, tuple(face_under(tile, table.joker) for tile in held))


def _against_tiles(table: FilipinoTable, act: Act, name: MeldName) -> Sentence | None:
    """Against tiles that make no such set, or jokers where the house allows none (F25)."""
    if any(table.house.is_flores(bare(tile)) for tile in act.tiles):
        return f"'{act}' has a flores; sets are made of other tiles."
    if any(tile != bare(tile) for tile in act.tiles) and not table.house.joker_in_melds:
        return f"'{act}' has a joker; here no joker stands in a set laid down (F25)."
    return defect(name, act.tiles, table.joker)


def _against_draw(table: FilipinoTable, act: Act) -> Sentence | None:
    return None


def _against_flores(table: FilipinoTable, act: Act) -> Sentence | None:
    """A flores is laid out face up, though nobody has to tell which (F2, F20)."""
    hand = table.hands[act.seat]
    if not act.tiles and not hand.unknown:
        return f"Seat {act.seat}'s tiles are known; name the flores."
    if act.tiles and not table.house.is_flores(act.tiles[0]):
        return f"{act.tiles[0]} is no flores; it stays in the hand."
    if not (act.tiles and hand.having(act.tiles[0])) and table.flores_unseen <= 0:
        return f"All {table.house.flores} flores of the set lie elsewhere; look at the tile again."
    return _not_held(table, hand, act.tiles)


def _against_discard(table: FilipinoTable, act: Act) -> Sentence | None:
    """Against a discard: a flores, a joker where the house keeps it, a tile that is not there."""
    hand = table.hands[act.seat]
    if not act.tiles:
        return None if hand.unknown else f"Seat {act.seat}'s tiles are known; name the discard."
    (face,) = act.tiles
    if table.house.is_flores(face):
        return f"{face} is a flores, which is laid out, not discarded (F20)."
    if face == table.joker and table.house.joker_discard == "forbidden" and not _all_jokers(table):
        return f"{face} is the joker, which is not discarded here (F25)."
    return _not_held(table, hand, (face,))


def _against_kong(table: FilipinoTable, act: Act) -> Sentence | None:
    """A kong of the own tiles, shown or secret (F23)."""
    hand = table.hands[act.seat]
    if hand.dead:
        return f"Seat {act.seat} showed a false win this hand and lays down no more sets (F35)."
    if act.verb == "secret" and not table.house.kong_secret:
        return "A concealed kong is shown here, not kept secret (F23); write 'kong'."
    return _against_set(table, act, None)


def _against_add(table: FilipinoTable, act: Act) -> Sentence | None:
    """A fourth tile to a pong that was called (F32)."""
    hand = table.hands[act.seat]
    if hand.dead:
        return f"Seat {act.seat} showed a false win this hand and lays down no more sets (F35)."
    if not table.wall.left:
        return "No tile is left in the wall to replace a kong's fourth tile (F23)."
    pongs = [meld for meld in hand.melds if meld.name == "pong"]
    if not act.tiles:
        if not (pongs and hand.unknown):
            return f"Seat {act.seat} has no pong and unknown tile to add; name the tile."
        return None
    (tile,) = act.tiles
    wrong = _against_tiles(table, act, "pong")
    if wrong is not None:
        return wrong
    if not any(bare(tile) in pong.reads or not pong.tiles for pong in pongs):
        return f"Seat {act.seat} has no pong of {bare(tile)} to add a tile to."
    return _not_held(table, hand, (face_under(tile, table.joker),))


def _against_own_win(table: FilipinoTable, act: Act) -> Sentence | None:
    if table.hands[act.seat].dead:
        return f"Seat {act.seat} showed a false win this hand and cannot win it (F35)."
    return _against_winning(table, declared(table, act, None), act)


def _against_winning(table: FilipinoTable, shown: Declared | Sentence, act: Act) -> Sentence | None:
    if not isinstance(shown, Declared):
        return shown
    if not wins(shown, table.house):
        return (
            f"Seat {act.seat} does not win with {' '.join(shown.concealed)}; if he showed it,"
            " write 'false win' (F35)."
        )
    return None


def _against_false_win(table: FilipinoTable, seat: Seat) -> Sentence | None:
    """Anybody may show a hand that does not win, once (F35)."""
    hand, offer = table.hands[seat], table.offer
    if hand.dead:
        return f"Seat {seat} has paid for a false win this hand already (F35)."
    if offer is not None and any(answer.seat == seat for answer in offer.answers):
        return f"Seat {seat} has answered already; his claim is decided with the others'."
    if not hand.unknown and why_not(table, Act(seat, "win")) is None:
        return f"Seat {seat} does win; write 'win'."
    return None


def _not_held(table: FilipinoTable, hand: Hand, faces: tuple[Face | None, ...]) -> Sentence | None:
    """Against tiles that the hand cannot have: not among the known ones, or more than there are."""
    if hand.without(faces) is None:
        wanted = Counter(faces)
        lacking = [face for face in wanted if face is None or wanted[face] > hand.having(face)]
        return f"The hand does not have {' '.join(face or 'the joker' for face in lacking)}."
    for face, count in Counter(faces).items():
        revealed = 0 if face is None else count - hand.having(face)
        if face is not None and revealed > 0 and revealed > table.left_of(face):
            return f"More tiles {face} than the set has would be seen; read the tiles again."
    return None


def _all_jokers(table: FilipinoTable) -> bool:
    """Whether a player has nothing but jokers to discard."""
    hand = table.hands[table.turn]
    return not hand.unknown and all(face == table.joker for face in hand.concealed)


def _meld_name(verb: Verb) -> MeldName:
    return "chow" if verb == "chow" else "pong" if verb == "pong" else "kong"


_AGAINST: dict[Verb, Callable[[FilipinoTable, Act], Sentence | None]] = {
    "draw": _against_draw,
    "flores": _against_flores,
    "discard": _against_discard,
    "kong": _against_kong,
    "secret": _against_kong,
    "add": _against_add,
    "win": _against_own_win,
}
