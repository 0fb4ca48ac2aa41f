"""A hand of dominoes, from the first tile until a seat is out, the hand is blocked or the game won.

`legal` decides which actions are legal; this module has their effects. The tiles of a hand are
faces, or None for an unknown tile: laying a tile removes it from the hand, or removes an unknown
tile. After the end of the hand, unknown tiles are shown one by one, so that pips can be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from rules.errors import IllegalSetupError
from rules.games.dominoes import legal as legality
from rules.games.dominoes.actions import Call, DominoAction, Draw, Go, Lay, Show
from rules.games.dominoes.layout import Tableau, empty_tableau
from rules.games.dominoes.legal import Ended, Hand, Party
from rules.games.dominoes.score import (
    Score,
    hand_score,
    header_scores,
    open_ends_score,
    settled,
    target_reached,
)
from rules.games.dominoes.setup import double_six, doublet_setter
from rules.games.dominoes.variants import Parameters
from rules.geometry import Direction, Seat, around
from rules.play import IllegalActionError, LegalActions, Match, Settlement, Tiles
from rules.playing.known_tiles import known_tiles
from rules.setup import Setup
from rules.tiles import Face

SET_BY_HAND = ("doublet", "double_six", "bergen")
"""The ways to find the setter that depend on tiles in hand (C5, 2.3, 2.4)."""
_NOTHING: Tiles = MappingProxyType({})


class DominoPlay(NamedTuple):
    """A hand in progress.

    `turn` is None if the setter is unknown: then every seat can set. `goes` counts the turns passed
    since the last tile. `claim` are the points that wait for a call (2.5). `ended` is how the hand
    ended, empty while it is in progress.
    """

    party: Party
    tableau: Tableau
    hands: tuple[Hand, ...]
    boneyard: Hand
    turn: Seat | None
    goes: int = 0
    claim: int = 0
    scored: tuple[Score, ...] = ()
    ended: Ended = ""
    actions: tuple[DominoAction, ...] = ()

    @property
    def parameters(self) -> Parameters:
        return self.party.parameters

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats that can act: the seat on turn, and every seat while points can be called."""
        seats = tuple(range(self.party.players))
        if self.ended and not self.claim:
            return self.to_show
        if self.turn is None:
            return seats
        if self.claim:
            return self.turn, *(seat for seat in seats if seat != self.turn)
        return (self.turn,)

    @property
    def to_show(self) -> tuple[Seat, ...]:
        """The seats whose unknown tiles have to be counted after the end of the hand."""
        if None not in chain(*self.hands) or self.claim or self.ended in ("", "target"):
            return ()
        if self.ended == "out" and self.parameters.hand_win:
            return ()
        return tuple(seat for seat, hand in enumerate(self.hands) if None in hand)

    @property
    def unseen(self) -> tuple[Face, ...]:
        """Every tile that is not on the table and not known to be in a hand or the boneyard."""
        seen = {action.tile for action in self.actions if isinstance(action, Lay)}
        seen.update(tile for hand in (*self.hands, self.boneyard) for tile in hand if tile)
        return tuple(tile for tile in double_six() if tile not in seen)

    @property
    def scores(self) -> tuple[int, ...]:
        """Every seat's score in the game, including the points of this hand so far."""
        scores = list(self.party.opening)
        for seat, points, _ in self.scored:
            scores[seat] += points
        return tuple(scores)

    @property
    def legal_actions(self) -> LegalActions[DominoAction]:
        return LegalActions(self._why_not, self._each)

    @property
    def settlement(self) -> Settlement | None:
        """The points of a finished hand; no player loses points, so the house pays them."""
        if not self.ended or self.claim or self.to_show:
            return None
        if self.ended == "target":
            winner = self.scored[-1].seat
            end = target_reached(self.parameters, winner, self.scores[winner])
        else:
            out = self.hands.index(()) if self.ended == "out" else None
            known = [tuple(filter(None, hand)) for hand in self.hands]
            end = hand_score(self.parameters, known, out)
        return settled(self.ended, self.scored, end)

    def apply(self, action: DominoAction) -> DominoPlay:
        """Returns the play after an action; this value is unchanged. Raises IllegalActionError."""
        sentence = legality.why_not(self, action)
        if sentence is not None:
            raise IllegalActionError(sentence)
        return _EFFECTS[type(action)](self, action)

    def _why_not(self, action: object) -> str | None:
        return legality.why_not(self, action)

    def _each(self) -> list[DominoAction]:
        return legality.each(self)


def begin(
    title: str,
    parameters: Parameters,
    hands: Sequence[Sequence[Face | None]],
    boneyard: Sequence[Face | None] = (),
    turn: Seat | None = 0,
    scores: Sequence[int] = (),
) -> DominoPlay:
    """Begins a hand from its tiles: the hands, the boneyard, the setter, the scores so far.

    Raises IllegalSetupError for a tile that is not a domino or that is named twice, and for a wrong
    number of scores.
    """
    opening = tuple(scores) or (0,) * len(hands)
    if len(opening) != len(hands):
        raise IllegalSetupError(
            f"There are {len(opening)} scores for {len(hands)} players; give one score for each."
        )
    dealt = tuple(map(tuple, hands))
    stock = tuple(boneyard)
    _check(dealt, stock)
    party = Party(
        title,
        parameters,
        opening,
        _following(len(hands), parameters.turn),
        parameters.scores_in_play,
    )
    return DominoPlay(party, empty_tableau(parameters), dealt, stock, turn)


def start(setup: Setup, tiles: Tiles = _NOTHING, match: Match | None = None) -> DominoPlay:
    """Begins a hand from its set-up and the tiles that are known.

    If the set-up left the setter open and all hands are known, the tiles decide who sets (C5).
    Raises IllegalSetupError for a set-up that is not finished, and as `begin` does.
    """
    if setup.ready is None:
        raise IllegalSetupError("The set-up is not finished; finish it before the play begins.")
    tiles = known_tiles(setup, tiles)
    parameters = setup.parameters
    dealt = setup.hands
    hands = [[tiles.get(place) for place in dealt[seat]] for seat in range(setup.seating.players)]
    begins = setup.ready.begins
    if begins is None and parameters.setter in SET_BY_HAND:
        known = {seat: [t for t in hand if t is not None] for seat, hand in enumerate(hands)}
        if all(len(known[seat]) == len(hand) for seat, hand in enumerate(hands)):
            begins = doublet_setter(known, parameters.heavier)
    return begin(
        setup.game.title,
        parameters,
        hands,
        [tiles.get(place) for place in setup.ready.draws],
        begins,
        [int(score) for score in match.scores] if match is not None else (),
    )


@cache
def _following(players: int, turn: Direction) -> tuple[Seat, ...]:
    return tuple(around(seat, players, turn)[1 % players] for seat in range(players))


def _check(hands: Sequence[Hand], boneyard: Hand) -> None:
    if not all(hands):
        raise IllegalSetupError("Every player needs at least one tile in hand; one has none.")
    known = list(filter(None, chain(*hands, boneyard)))
    different = set(known)
    if unknown := different - _whole_set():
        raise IllegalSetupError(f"'{min(unknown)}' is not a domino; write a tile from 0-0 to 6-6.")
    if len(different) < len(known):
        twice = next(tile for tile in known if known.count(tile) > 1)
        raise IllegalSetupError(f"{twice} is named twice; a set of dominoes has it once.")


@cache
def _whole_set() -> frozenset[Face]:
    return frozenset(double_six())


def _lay(play: DominoPlay, lay: Lay) -> DominoPlay:
    """Lays a tile; its points are counted before the hand ends (section 4)."""
    party, seat = play.party, lay.seat
    hands = play.hands
    hand = _without(hands[seat], lay.tile)
    tableau = play.tableau[lay]
    scored, claim = play.scored, 0
    ended: Ended = "" if hand else "out"
    if party.scores_in_play:
        scored += header_scores(play.tableau, lay, tableau)
        claim = open_ends_score(tableau)
        if claim and not party.parameters.muggins_call:
            scored, claim = (*scored, _for_ends(seat, claim)), 0
        if len(scored) > len(play.scored) and _wins_at_once(party, scored):
            ended, claim = "target", 0
    return DominoPlay(
        party,
        tableau,
        (*hands[:seat], hand, *hands[seat + 1 :]),
        play.boneyard,
        party.following[seat],
        0,
        claim,
        scored,
        ended,
        (*play.actions, lay),
    )


def _draw(play: DominoPlay, draw: Draw) -> DominoPlay:
    drawn, *left = play.boneyard
    return play._replace(
        hands=_with_hand(play.hands, draw.seat, (*play.hands[draw.seat], drawn)),
        boneyard=tuple(left),
        claim=_still_claimed(play),
        actions=(*play.actions, draw),
    )


def _go(play: DominoPlay, go: Go) -> DominoPlay:
    """Passes a turn; if all seats pass in a row, the hand is blocked (C4, 2.9).

    After the last tile, a go ends the time in which its points can be called.
    """
    if play.ended:
        return play._replace(claim=0, actions=(*play.actions, go))
    goes = play.goes + 1
    blocked = goes == play.party.players
    return DominoPlay(
        play.party,
        play.tableau,
        play.hands,
        play.boneyard,
        play.party.following[go.seat],
        goes,
        0 if blocked else _still_claimed(play),
        play.scored,
        "blocked" if blocked else "",
        (*play.actions, go),
    )


def _call(play: DominoPlay, call: Call) -> DominoPlay:
    """Gives the points of the open ends to the seat that calls first (2.5, DM-04)."""
    scored = (*play.scored, _for_ends(call.seat, play.claim))
    ended: Ended = "target" if _wins_at_once(play.party, scored) else play.ended
    return play._replace(claim=0, scored=scored, ended=ended, actions=(*play.actions, call))


def _show(play: DominoPlay, show: Show) -> DominoPlay:
    hand = list(play.hands[show.seat])
    hand[hand.index(None)] = show.tile
    hands = _with_hand(play.hands, show.seat, tuple(hand))
    return play._replace(hands=hands, actions=(*play.actions, show))


_EFFECTS: dict[type[DominoAction], Callable[[DominoPlay, Any], DominoPlay]] = {
    Lay: _lay,
    Draw: _draw,
    Go: _go,
    Call: _call,
    Show: _show,
}


def _without(hand: Hand, tile: Face) -> Hand:
    """The hand without that tile, or without one unknown tile."""
    at = hand.index(tile if tile in hand else None)
    return hand[:at] + hand[at + 1 :]


def _with_hand(hands: tuple[Hand, ...], seat: Seat, hand: Hand) -> tuple[Hand, ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])


def _still_claimed(play: DominoPlay) -> int:
    """The points that can still be called after an action other than laying a tile (2.5)."""
    return play.claim if play.parameters.muggins_window == "next_tile" else 0


def _for_ends(seat: Seat, points: int) -> Score:
    return Score(seat, points, f"open ends total {points} (2.5, 2.7, 2.9)")


def _wins_at_once(party: Party, scored: tuple[Score, ...]) -> bool:
    """Whether the last points win the game before the hand ends (DM-23)."""
    seat = scored[-1].seat
    points = party.opening[seat] + sum(score.points for score in scored if score.seat == seat)
    return party.parameters.stop_immediately and points >= party.parameters.target
