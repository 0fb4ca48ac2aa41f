"""The `Rules` of Filipino mahjong, for callers that select games by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rules.games.filipino.actions import Act, face_under, parse
from rules.games.filipino.bot import sensible
from rules.games.filipino.hand import Hand, Meld
from rules.games.filipino.match import begin
from rules.games.filipino.play import FilipinoPlay, start
from rules.games.filipino.score import others
from rules.games.filipino.setup import answers
from rules.games.filipino.table import FilipinoTable, Offer, Wall
from rules.geometry import Seat
from rules.open_tiles import ClaimedDiscards, OpenSet
from rules.play import Handed, Held, Rules
from rules.setup import Setup
from rules.steps import Packet, Replace
from rules.tiles import Face


def hands_over(setup: Setup, before: FilipinoPlay, after: FilipinoPlay) -> Handed:
    """The tile drawn, or the replacement for a flores or the fourth tile of a kong (F20, F23)."""
    taken = after.table.taken[len(before.table.taken) :]
    if before.table.phase == "draw":
        return tuple(Packet(seat, (place,)) for seat, place in taken)
    return tuple(Replace(seat, place) for seat, place in taken)


def held(play: FilipinoPlay) -> Held:
    """The concealed tiles, the sets laid down, then the flores; jokers by their own face."""
    return tuple(
        (
            *hand.concealed,
            *(None,) * hand.unknown,
            *(face for meld in hand.melds for face in faces_of_meld(meld, play.table.joker)),
            *hand.flores,
        )
        for hand in play.table.hands
    )


def view(play: FilipinoPlay, seat: Seat) -> FilipinoPlay:
    """The play with the wall, the other hands' concealed tiles and their secret kongs unknown.

    While a tile is on offer, every other seat could have a claim, as far as this seat can know. The
    hand of a winner is open.
    """
    table = play.table
    settlement = table.settlement
    winner = None if settlement is None else settlement.winner
    hands = tuple(
        hand if owner in (seat, winner) else _hidden(hand) for owner, hand in enumerate(table.hands)
    )
    wall = Wall(
        tuple((place, None) for place, _ in table.wall.draws),
        tuple((place, None) for place, _ in table.wall.replacements),
    )
    offer = None if table.offer is None else _offered(table, table.offer, seat)
    drawn = table.drawn if table.turn == seat else None
    return FilipinoPlay(replace(table, hands=hands, wall=wall, offer=offer, drawn=drawn))


def _hidden(hand: Hand) -> Hand:
    melds = tuple(_covered(meld) for meld in hand.melds)
    return replace(hand, concealed=(), unknown=hand.size, melds=melds)


def _covered(meld: Meld) -> Meld:
    """The set without its tiles if it is a secret kong, which lies face down (F23)."""
    return replace(meld, tiles=()) if meld.secret else meld


def _offered(table: FilipinoTable, offer: Offer, seat: Seat) -> Offer:
    """The offer with every seat asked that could claim, as far as the viewing seat can know."""
    asked = (
        other
        for other in others(offer.by)
        if other in offer.asked or (other != seat and not table.hands[other].dead)
    )
    return replace(offer, asked=tuple(asked))


def _discarded(act: Act) -> tuple[Face | None, ...]:
    if act.verb != "discard":
        return ()
    return act.tiles or (None,)


def _is_on_offer(play: FilipinoPlay) -> bool:
    return play.table.offer is not None and play.table.offer.added is None


def _melds(play: FilipinoPlay) -> tuple[tuple[OpenSet, ...], ...]:
    """The sets by seat; a secret kong lies face down (F23)."""
    joker = play.table.joker
    return tuple(
        tuple(
            OpenSet(seat, "secret kong", (None,) * meld.size)
            if meld.secret
            else OpenSet(seat, meld.name, faces_of_meld(meld, joker))
            for meld in hand.melds
        )
        for seat, hand in enumerate(play.table.hands)
    )


def _others(play: FilipinoPlay) -> tuple[OpenSet, ...]:
    """The flores, a tile that is being added to a pong, and the winner's hand."""
    table, winner = play.table, _winner(play)
    flores = (
        OpenSet(seat, "flores", hand.flores) for seat, hand in enumerate(table.hands) if hand.flores
    )
    added = table.offer if table.offer is not None and table.offer.added is not None else None
    return (
        *flores,
        *((OpenSet(added.by, "added", (added.face,)),) if added is not None else ()),
        *((OpenSet(winner, "hand", table.hands[winner].concealed),) if winner is not None else ()),
    )


def _winner(play: FilipinoPlay) -> Seat | None:
    return None if play.settlement is None else play.settlement.winner


def faces_of_meld(meld: Meld, joker: Face | None) -> tuple[Face | None, ...]:
    """The tiles of a set, jokers by their own face; None for each tile of a set not read."""
    if not meld.tiles:
        return (None,) * meld.size
    return tuple(face_under(tile, joker) for tile in meld.tiles)


def announced(full_play: FilipinoPlay, play: FilipinoPlay, act: Act) -> Act:
    """The action as the table receives it.

    A secret kong names no tiles (F23). A win shows the hand if the table does not know it (F35).
    """
    match act.verb:
        case "secret":
            covered = Act(act.seat, "secret")
            return covered if covered in play.legal_actions else act
        case "win" if play.table.hands[act.seat].unknown:
            return Act(act.seat, "win", _shown(full_play, act.seat))
    return act


def catch_up(full_play: FilipinoPlay, play: FilipinoPlay, seat: Seat) -> Act:
    """A pass: the seat has no claim."""
    return Act(seat, "pass")


def _shown(full_play: FilipinoPlay, seat: Seat) -> tuple[Face, ...]:
    """A winner's concealed tiles; a drawn winning tile is last, which identifies it."""
    table = full_play.table
    tiles = list(table.hands[seat].concealed)
    if table.offer is None and table.drawn is not None:
        tiles.remove(table.drawn)
        tiles.append(table.drawn)
    return tuple(tiles)


OPEN_TILES: Final = ClaimedDiscards(
    discarded=_discarded, on_offer=_is_on_offer, melds=_melds, others=_others, winner=_winner
)
"""The tiles that all see, from the plays of a hand."""
FILIPINO_RULES: Final = Rules(
    game="filipino",
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
    answers=answers,
)
"""The rules of play of Filipino mahjong."""
