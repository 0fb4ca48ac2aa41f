"""A hand of dominoes: from the set until somebody is out, nobody plays, or the game is won.

What may be done is told by `legality`; this is what it does. A hand's tiles are faces, or None for
a tile that nobody has seen: laying a tile takes it from the hand, or takes an unknown one. When the
hand has ended, unknown tiles are shown one by one, so that pips can be counted.
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
from rules.games.dominoes.bones import double_six
from rules.games.dominoes.layout import Tableau, bare
from rules.games.dominoes.party import Ended, Hand, Party
from rules.games.dominoes.score import Score, hand_score, header_scores, open_ends_score
from rules.games.dominoes.setter import doublet_setter
from rules.games.dominoes.variants import Parameters
from rules.geometry import Direction, Seat, around
from rules.known_tiles import known_tiles
from rules.play import HOUSE, IllegalActionError, LegalActions, Match, Payment, Settlement, Tiles
from rules.setup import Setup
from rules.tiles import Face

SET_BY_HAND = ("doublet", "double_six", "bergen")
"""The ways to find the setter that look at tiles in hand (C5, 2.3, 2.4)."""
_NOTHING: Tiles = MappingProxyType({})


class DominoPlay(NamedTuple):
    """A hand in progress.

    `turn` is None where nobody saw who sets: then anybody may. `goes` counts the turns passed
    since the last tile; `claim` the points that wait for a call (2.5); `ended` says how the hand
    ended, if it did.
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
        """Who may act: whoever's turn it is, and everybody while points wait for a call."""
        everybody = tuple(range(self.party.players))
        if self.ended and not self.claim:
            return self.to_show
        if self.turn is None:
            return everybody
        if self.claim:
            return self.turn, *(seat for seat in everybody if seat != self.turn)
        return (self.turn,)

    @property
    def to_show(self) -> tuple[Seat, ...]:
        """The seats whose unseen tiles have to be counted, now that the hand has ended."""
        if None not in chain(*self.hands) or self.claim or self.ended in ("", "target"):
            return ()
        if self.ended == "out" and self.parameters.hand_win:
            return ()
        return tuple(seat for seat, hand in enumerate(self.hands) if None in hand)

    @property
    def unseen(self) -> tuple[Face, ...]:
        """Every tile that neither lies on the table nor is known to be elsewhere."""
        seen = {action.tile for action in self.actions if isinstance(action, Lay)}
        seen.update(tile for hand in (*self.hands, self.boneyard) for tile in hand if tile)
        return tuple(tile for tile in double_six() if tile not in seen)

    @property
    def scores(self) -> tuple[int, ...]:
        """Every seat's score in the game, this hand's points so far included."""
        scores = list(self.party.opening)
        for seat, points, _ in self.scored:
            scores[seat] += points
        return tuple(scores)

    @property
    def legal_actions(self) -> LegalActions[DominoAction]:
        return LegalActions(self._why_not, self._each)

    @property
    def settlement(self) -> Settlement | None:
        """The hand's points once it is over; they come off nobody, so the house pays them."""
        if not self.ended or self.claim or self.to_show:
            return None
        payments = [Payment(HOUSE, *score) for score in self.scored]
        reasons = [f"Seat {seat} scores {points}: {why}." for seat, points, why in self.scored]
        if self.ended == "target":
            winner = self.scored[-1].seat
            reasons.append(
                f"Seat {winner} has {self.scores[winner]} of {self.parameters.target} points;"
                " the game is over at once (section 4)."
            )
            return Settlement("target", 1, tuple(payments), tuple(reasons), winner)
        out = self.hands.index(()) if self.ended == "out" else None
        known = [tuple(filter(None, hand)) for hand in self.hands]
        end = hand_score(self.parameters, known, out)
        if end.winner is not None and end.points:
            payments.append(Payment(HOUSE, end.winner, end.points, "the hand (C9)"))
        reasons.extend(end.reasons)
        return Settlement(self.ended, 1, tuple(payments), tuple(reasons), end.winner)

    def apply(self, action: DominoAction) -> DominoPlay:
        """The play after this action. Raises IllegalAction; this value stays."""
        sentence = legality.why_not(self, action)
        if sentence is not None:
            raise IllegalActionError(sentence)
        return _DOES[type(action)](self, action)

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
    """A hand from its tiles: who holds what, what is left, who sets, the scores so far.

    Raises IllegalSetup for a tile that is no domino or that is there twice, and for scores of
    another number of players.
    """
    opening = tuple(scores) or (0,) * len(hands)
    if len(opening) != len(hands):
        raise IllegalSetupError(f"{len(hands)} players cannot go on from {len(opening)} scores.")
    dealt = tuple(map(tuple, hands))
    stock = tuple(boneyard)
    _check(dealt, stock)
    party = Party(
        title,
        parameters,
        opening,
        _following(len(hands), parameters.turn),
        parameters.tells_doublets_apart or parameters.set_points > 0,
    )
    return DominoPlay(party, bare(parameters), dealt, stock, turn)


def start(setup: Setup, tiles: Tiles = _NOTHING, match: Match | None = None) -> DominoPlay:
    """A hand from its set-up: what the places in hand and in the boneyard hold, as far as known.

    Where the set-up left the setter open, he is found by the tiles if all hands are known (C5).
    Raises IllegalSetup for a set-up that is not finished, and as `begin` does.
    """
    if setup.ready is None:
        raise IllegalSetupError("The set-up is not finished; apply what is pending, then play.")
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
        raise IllegalSetupError("Every player needs at least one tile in hand.")
    known = list(filter(None, chain(*hands, boneyard)))
    different = set(known)
    if strange := different - _whole_set():
        raise IllegalSetupError(f"'{min(strange)}' is no domino; the set goes from 0-0 to 6-6.")
    if len(different) < len(known):
        twice = next(tile for tile in known if known.count(tile) > 1)
        raise IllegalSetupError(f"{twice} is there twice; a set of dominoes has it once.")


@cache
def _whole_set() -> frozenset[Face]:
    return frozenset(double_six())


def _lay(play: DominoPlay, lay: Lay) -> DominoPlay:
    """A tile is laid; its points come before the hand ends (section 4)."""
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
    """A turn passes; a full round of them blocks the hand (C4, 2.9).

    After the last tile, a go says only that nobody has called its points.
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
    """Whoever calls first has the points (2.5, DM-04)."""
    scored = (*play.scored, _for_ends(call.seat, play.claim))
    ended: Ended = "target" if _wins_at_once(play.party, scored) else play.ended
    return play._replace(claim=0, scored=scored, ended=ended, actions=(*play.actions, call))


def _show(play: DominoPlay, show: Show) -> DominoPlay:
    hand = list(play.hands[show.seat])
    hand[hand.index(None)] = show.tile
    hands = _with_hand(play.hands, show.seat, tuple(hand))
    return play._replace(hands=hands, actions=(*play.actions, show))


_DOES: dict[type[DominoAction], Callable[[DominoPlay, Any], DominoPlay]] = {
    Lay: _lay,
    Draw: _draw,
    Go: _go,
    Call: _call,
    Show: _show,
}


def _without(hand: Hand, tile: Face) -> Hand:
    """The hand less that tile, or less one that nobody has seen."""
    at = hand.index(tile if tile in hand else None)
    return hand[:at] + hand[at + 1 :]


def _with_hand(hands: tuple[Hand, ...], seat: Seat, hand: Hand) -> tuple[Hand, ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])


def _still_claimed(play: DominoPlay) -> int:
    """The points that still wait for a call after something else than a tile (2.5)."""
    return play.claim if play.parameters.muggins_window == "next_tile" else 0


def _for_ends(seat: Seat, points: int) -> Score:
    return Score(seat, points, f"open ends total {points} (2.5, 2.7, 2.9)")


def _wins_at_once(party: Party, scored: tuple[Score, ...]) -> bool:
    """Whether the last points win the game in the middle of the hand (DM-23)."""
    seat = scored[-1].seat
    points = party.opening[seat] + sum(score.points for score in scored if score.seat == seat)
    return party.parameters.stop_immediately and points >= party.parameters.target
