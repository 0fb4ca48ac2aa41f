"""The legal actions of a hand of Filipino mahjong, and the objection to an illegal action.

`why_not` checks any action; `each` lists legal actions. Two kinds of legal actions are not listed:
false wins, and the wins of a hand with unknown tiles, of which there are too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product

from rules.games.filipino import listing
from rules.games.filipino.actions import JOKER, Act, Tile, Verb, bare, face_under, why_malformed
from rules.games.filipino.hand import (
    Hand,
    MeldName,
    in_order,
    runs_through,
    why_not_a_set,
)
from rules.games.filipino.parameters import SEATS
from rules.games.filipino.score import others
from rules.games.filipino.table import FilipinoTable, Offer, Phase, after_turn
from rules.games.filipino.wins import Declared, wins
from rules.geometry import Seat
from rules.tiles import Face, tile_set
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
    """Every legal action of the awaited seats, except false wins and wins of unknown hands."""
    found: tuple[Act, ...] = ()
    for seat in table.to_act:
        if not _is_known(table, seat, table.offer):
            return checked_candidates(table)
        found += listing.listed(table, seat)
    return found


def claimants(table: FilipinoTable, offer: Offer) -> tuple[Seat, ...]:
    """The seats that can claim a tile: those with a claim, and those with unknown tiles."""
    if offer.face is not None:
        return listing.asked(table, offer)
    return tuple(seat for seat in others(offer.by) if _can_claim_unread(table, seat, offer))


def why_not(table: FilipinoTable, act: object) -> Sentence | None:
    """The objection to an action, or None if it is legal."""
    wrong = why_ill_typed(act, (Act,), "Filipino mahjong")
    if wrong is not None:
        return wrong
    assert isinstance(act, Act)
    wrong = why_malformed(act)
    if wrong is not None:
        return wrong
    if act.seat not in range(SEATS):
        return f"There is no seat {act.seat}; seats are 0 to {SEATS - 1}."
    if table.phase == "over":
        return f"The hand is over, so seat {act.seat} cannot {act}; begin the next hand."
    if act.verb == "false win":
        return _why_false_win_illegal(table, act.seat)
    if act.seat not in table.to_act:
        seats = " and ".join(map(str, table.to_act))
        return f"Seat {act.seat} cannot {act} now; seat {seats} can act."
    return _why_act_illegal(table, act)


def declared(table: FilipinoTable, act: Act, offer: Offer | None) -> Declared | Sentence:
    """The tiles of a seat that declares a win, or the objection to the tiles it shows (F35)."""
    hand = table.hands[act.seat]
    shown = act.tiles
    offered = None if offer is None else offer.face
    held = hand.size + (offer is not None and offered is None)
    if hand.unknown == 0 and (offered is not None or offer is None):
        if shown and Counter(shown) != Counter(hand.concealed):
            return f"The hand of seat {act.seat} is not {' '.join(shown)}; write 'win' alone."
        tile = offered if offer is not None else table.drawn
        all_tiles = hand.concealed if offered is None else (*hand.concealed, offered)
    else:
        if len(shown) != held:
            return (
                f"Seat {act.seat} shows {len(shown)} tiles of {held}: the hand is not known; name"
                " every concealed tile, the winning tile last unless it is on the table."
            )
        lacking = _not_held(table, hand, shown[: hand.size])
        if lacking is not None:
            return lacking
        tile = offered or table.drawn or (shown[-1] if table.drew or offer else None)
        all_tiles = shown if offered is None else (*shown, offered)
    return Declared(in_order(all_tiles), table.joker, tile, offer is not None, hand.melds)


def checked_candidates(table: FilipinoTable) -> Iterator[Act]:
    """The same actions as `each`, by checking every candidate against the rules."""
    for seat in table.to_act:
        for act in candidates(table, seat):
            if _why_act_illegal(table, act) is None:
                yield act


def candidates(table: FilipinoTable, seat: Seat, offer: Offer | None = None) -> Iterator[Act]:
    """The actions that the phase and the tiles in hand suggest, more likely ones first."""
    on_offer = offer or table.offer
    if on_offer is not None:
        yield from _claims(table, seat, on_offer)
    elif table.phase == "draw":
        yield Act(seat, "draw")
    else:
        yield from _own(table, seat)


def _claims(table: FilipinoTable, seat: Seat, offer: Offer) -> Iterator[Act]:
    hand = table.hands[seat]
    jokers = _jokers(table, hand)
    yield Act(seat, "pass")
    yield Act(seat, "win")
    if offer.added is not None:
        return
    if hand.unknown:
        verbs: tuple[Verb, ...] = ("kong", "pong", "chow")
        yield from (Act(seat, verb) for verb in verbs)
    if offer.face is None:
        return
    for tiles in _alike(offer.face, 4, hand, jokers, 1):
        yield Act(seat, "kong", tiles)
    for tiles in _alike(offer.face, 3, hand, jokers, 1):
        yield Act(seat, "pong", tiles)
    for run in runs_through(offer.face):
        choices = [(face,) if face == offer.face else (face, face + JOKER) for face in run]
        for tiles in product(*choices):
            if sum(tile.endswith(JOKER) for tile in tiles) <= jokers:
                yield Act(seat, "chow", tiles)


def _own(table: FilipinoTable, seat: Seat) -> Iterator[Act]:
    hand = table.hands[seat]
    jokers = _jokers(table, hand)
    unread = () if not hand.unknown else ((),)
    yield Act(seat, "win")
    verbs: tuple[Verb, ...] = ("flores", "discard", "secret", "kong", "add")
    for verb in verbs:
        yield from (Act(seat, verb, none) for none in unread)
    for face in _faces(hand):
        yield Act(seat, "flores", (face,))
        yield Act(seat, "discard", (face,))
        for tiles in _alike(face, 4, hand, jokers, 0):
            yield Act(seat, "secret", tiles)
            yield Act(seat, "kong", tiles)
    for pong in hand.melds:
        if pong.name == "pong" and pong.tiles:
            yield Act(seat, "add", pong.reads[:1])
            yield Act(seat, "add", (pong.reads[0] + JOKER,))


def _alike(
    face: Face, size: int, hand: Hand, jokers: int, offered: int
) -> Iterator[tuple[Tile, ...]]:
    """Sets of `size` tiles that count as one face, with every possible number of jokers.

    `offered` is 1 if another seat offers a tile of that face, else 0.
    """
    available = hand.having(face) + hand.unknown + offered
    for starred in range(min(jokers, size - 1) + 1):
        if size - starred <= available:
            yield (face,) * (size - starred) + (face + JOKER,) * starred


def _jokers(table: FilipinoTable, hand: Hand) -> int:
    """The largest number of jokers that a hand can have."""
    return (hand.having(table.joker) if table.joker else 0) + hand.unknown


def _faces(hand: Hand) -> tuple[Face, ...]:
    """The faces that a hand has or can have, each once."""
    if not hand.unknown:
        return tuple(dict.fromkeys(hand.concealed))
    return tuple(dict.fromkeys(tile_set("mahjong_144").faces))


def _can_claim_unread(table: FilipinoTable, seat: Seat, offer: Offer) -> bool:
    """Whether a seat could claim a tile that was not read."""
    hand = table.hands[seat]
    if hand.dead or hand.unknown:
        return not hand.dead
    return any(
        act.verb != "pass" and _why_claim_illegal(table, act, offer) is None
        for act in candidates(table, seat, offer)
    )


def _is_known(table: FilipinoTable, seat: Seat, offer: Offer | None) -> bool:
    """Whether a seat's tiles are known, and the tile on offer if there is one."""
    return not table.hands[seat].unknown and (offer is None or offer.face is not None)


def _why_act_illegal(table: FilipinoTable, act: Act) -> Sentence | None:
    """The objection to a well-formed action of an awaited seat, or None."""
    if act.verb not in _VERBS[table.phase]:
        verbs = ", ".join(_VERBS[table.phase])
        return f"Seat {act.seat} cannot {act} now; it can: {verbs}."
    if table.offer is not None:
        return _why_claim_illegal(table, act, table.offer)
    if act.verb in ("draw", "flores"):
        return _CHECKS[act.verb](table, act)
    for face in table.hands[act.seat].concealed:
        if table.house.is_flores(face):
            return f"Seat {act.seat} has the flores {face} in hand and has to lay it out first."
    return _CHECKS[act.verb](table, act)


def _why_claim_illegal(table: FilipinoTable, act: Act, offer: Offer) -> Sentence | None:
    """The objection to an answer to a tile on offer, or None (F22, F25, F32)."""
    hand = table.hands[act.seat]
    if act.verb == "pass":
        return None
    if hand.dead:
        return f"Seat {act.seat} showed a false win in this hand and can only pass (F35)."
    joker_offered = offer.face is not None and offer.face == table.joker
    if joker_offered and table.house.joker_discard == "dead":
        return (
            "A discarded joker cannot be claimed in this house; seat"
            f" {act.seat} can only pass (F25)."
        )
    if act.verb == "win":
        return _why_win_illegal(table, declared(table, act, offer), act)
    if offer.added is not None:
        return (
            f"The tile that seat {offer.by} adds to its pong can be claimed only for a win, not for"
            " a set (F32)."
        )
    if act.verb == "chow" and act.seat != after_turn(offer.by):
        return f"Seat {act.seat} cannot chow from seat {offer.by}, only from its upper seat (F22)."
    return _why_set_illegal(table, act, offer)


def _why_set_illegal(table: FilipinoTable, act: Act, offer: Offer | None) -> Sentence | None:
    """The objection to laying down a set, with the tile on offer if there is one, or None."""
    name = _meld_name(act.verb)
    hand = table.hands[act.seat]
    if name == "kong" and not table.wall.left:
        return "No tile is left in the wall to replace a kong's fourth tile (F23)."
    own = (4 if name == "kong" else 3) - (offer is not None)
    if not act.tiles:
        if hand.unknown < own:
            return f"Seat {act.seat}'s tiles are known; name the tiles of the {name}."
        return None
    wrong = _why_tiles_illegal(table, act, name)
    if wrong is not None:
        return wrong
    held = list(act.tiles)
    if offer is not None:
        if offer.face is None:
            return f"The tile of seat {offer.by} was not read; write '{act.verb}' without tiles."
        if offer.face not in held:
            return f"'{act}' does not use the offered tile {offer.face} as its own face."
        held.remove(offer.face)
    return _not_held(table, hand, tuple(face_under(tile, table.joker) for tile in held))


def _why_tiles_illegal(table: FilipinoTable, act: Act, name: MeldName) -> Sentence | None:
    """The objection to tiles that do not form such a set in this house, or None (F25)."""
    if any(table.house.is_flores(bare(tile)) for tile in act.tiles):
        return f"'{act}' has a flores; flores form no sets."
    if any(tile != bare(tile) for tile in act.tiles) and not table.house.joker_in_melds:
        return f"'{act}' has a joker; in this house no set laid down has a joker (F25)."
    return why_not_a_set(name, act.tiles, table.joker)


def _why_draw_illegal(table: FilipinoTable, act: Act) -> Sentence | None:
    return None


def _why_flores_illegal(table: FilipinoTable, act: Act) -> Sentence | None:
    """The objection to laying out a flores, or None; its face can be left out (F2, F20)."""
    hand = table.hands[act.seat]
    if not act.tiles and not hand.unknown:
        return f"Seat {act.seat}'s tiles are known; name the flores."
    if act.tiles and not table.house.is_flores(act.tiles[0]):
        return f"{act.tiles[0]} is not a flores, so it cannot be laid out."
    if not (act.tiles and hand.having(act.tiles[0])) and table.flores_unseen <= 0:
        return f"All {table.house.flores} flores of the set are elsewhere; read the tile again."
    return _not_held(table, hand, act.tiles)


def _why_discard_illegal(table: FilipinoTable, act: Act) -> Sentence | None:
    """The objection to discarding a flores, a forbidden joker or a missing tile, or None."""
    hand = table.hands[act.seat]
    if not act.tiles:
        return None if hand.unknown else f"Seat {act.seat}'s tiles are known; name the discard."
    (face,) = act.tiles
    if table.house.is_flores(face):
        return f"{face} is a flores; lay it out instead (F20)."
    if face == table.joker and table.house.joker_discard == "forbidden" and not _all_jokers(table):
        return f"{face} is the joker, which cannot be discarded in this house (F25)."
    return _not_held(table, hand, (face,))


def _why_kong_illegal(table: FilipinoTable, act: Act) -> Sentence | None:
    """The objection to a kong of the seat's own tiles, shown or secret, or None (F23)."""
    hand = table.hands[act.seat]
    if hand.dead:
        return f"Seat {act.seat} showed a false win in this hand and cannot lay down sets (F35)."
    if act.verb == "secret" and not table.house.kong_secret:
        return "In this house a concealed kong is shown (F23); write 'kong'."
    return _why_set_illegal(table, act, None)


def _why_add_illegal(table: FilipinoTable, act: Act) -> Sentence | None:
    """The objection to adding a fourth tile to a called pong, or None (F32)."""
    hand = table.hands[act.seat]
    if hand.dead:
        return f"Seat {act.seat} showed a false win in this hand and cannot lay down sets (F35)."
    if not table.wall.left:
        return "No tile is left in the wall to replace a kong's fourth tile (F23)."
    pongs = [meld for meld in hand.melds if meld.name == "pong"]
    if not act.tiles:
        if not (pongs and hand.unknown):
            return f"Seat {act.seat} lacks a pong or an unknown tile to add to it; name the tile."
        return None
    (tile,) = act.tiles
    wrong = _why_tiles_illegal(table, act, "pong")
    if wrong is not None:
        return wrong
    if not any(bare(tile) in pong.reads or not pong.tiles for pong in pongs):
        return f"Seat {act.seat} has no pong of {bare(tile)}, so it cannot add {bare(tile)}."
    return _not_held(table, hand, (face_under(tile, table.joker),))


def _why_own_win_illegal(table: FilipinoTable, act: Act) -> Sentence | None:
    if table.hands[act.seat].dead:
        return f"Seat {act.seat} showed a false win in this hand and cannot win it (F35)."
    return _why_win_illegal(table, declared(table, act, None), act)


def _why_win_illegal(table: FilipinoTable, shown: Declared | Sentence, act: Act) -> Sentence | None:
    if not isinstance(shown, Declared):
        return shown
    if not wins(shown, table.house):
        return (
            f"Seat {act.seat} does not win with {' '.join(shown.concealed)}; if it showed the hand,"
            " write 'false win' (F35)."
        )
    return None


def _why_false_win_illegal(table: FilipinoTable, seat: Seat) -> Sentence | None:
    """The objection to a false win, which a seat can show once in a hand, or None (F35)."""
    hand, offer = table.hands[seat], table.offer
    if hand.dead:
        return f"Seat {seat} has already paid for a false win in this hand (F35)."
    if offer is not None and any(answer.seat == seat for answer in offer.answers):
        return f"Seat {seat} has already answered; wait for the answers of the other seats."
    if not hand.unknown and why_not(table, Act(seat, "win")) is None:
        return f"Seat {seat} does win; write 'win'."
    return None


def _not_held(table: FilipinoTable, hand: Hand, faces: tuple[Face | None, ...]) -> Sentence | None:
    """The objection to tiles that the hand cannot contain, or None."""
    if hand.without(faces) is None:
        wanted = Counter(faces)
        lacking = [face for face in wanted if face is None or wanted[face] > hand.having(face)]
        return f"The hand does not have {' '.join(face or 'the joker' for face in lacking)}."
    for face, count in Counter(faces).items():
        revealed = 0 if face is None else count - hand.having(face)
        if face is not None and revealed > 0 and revealed > table.left_of(face):
            return f"The set does not have so many tiles {face}; read the tiles again."
    return None


def _all_jokers(table: FilipinoTable) -> bool:
    """Whether the seat on turn has only jokers to discard."""
    hand = table.hands[table.turn]
    return not hand.unknown and all(face == table.joker for face in hand.concealed)


def _meld_name(verb: Verb) -> MeldName:
    return "chow" if verb == "chow" else "pong" if verb == "pong" else "kong"


_CHECKS: dict[Verb, Callable[[FilipinoTable, Act], Sentence | None]] = {
    "draw": _why_draw_illegal,
    "flores": _why_flores_illegal,
    "discard": _why_discard_illegal,
    "kong": _why_kong_illegal,
    "secret": _why_kong_illegal,
    "add": _why_add_illegal,
    "win": _why_own_win_illegal,
}
