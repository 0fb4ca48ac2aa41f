"""Simulated players of a hand: hold their tiles and play them.

Each player takes up the tiles in front of the seat into a rack that other players do not see. A
`Player` function chooses every action from that player's own tiles. The table receives announced
actions and the tiles that are laid in the middle. A tile that the table delivers is taken up before
the next action; a wrong tile raises an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice
from random import Random
from typing import Any, Literal, get_args

from firmware_bridge.guide import HandToPlay
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from rules.geometry import Place, Seat
from rules.play import Action, AnyRules, IllegalActionError
from rules.playing.hidden_play import Player, next_act, sensible_player
from rules.steps import Packet

SEARCHED = 5000
"""Number of a player's legal actions that are compared with an entered action."""
Style = Literal["sensible", "mixed", "uniform"]
STYLES: tuple[Style, ...] = get_args(Style)
UNIFORM_SHARE = 0.25
"""The share of the actions of a mixed player that is drawn uniformly."""
GIVE_UP_PROBABILITY = 0.005
"""The probability, at each action of a player who is not sensible, that the hand is given up."""


class HandPlayers:
    """The players of a table. `racks`: one for each seat, empty until the hand begins."""

    def __init__(
        self, felt: Felt, racks: tuple[Holder, ...], player: Player = sensible_player
    ) -> None:
        self._felt = felt
        self._player = player
        self._racks = racks
        self._dealt: HandToPlay | None = None
        self._truth: Any = None
        self._tile_at: Mapping[Place, Tile] = {}
        self._owed: list[tuple[Seat, Tile]] = []
        """The tiles that the table must still deliver, in order, with their seats."""
        self._last_action: tuple[Any, Action | None] | None = None
        """The last action, and the play for which it was chosen."""
        self._earlier: list[tuple[Any, Any]] = []
        """The play of the table and the full play before each action of the hand."""
        self._asked_again = False
        self._seated = False

    @property
    def truth(self) -> Any:
        """The play with every tile visible; None before the first hand."""
        return self._truth

    def set_up_at(self, place: Place) -> Tile:
        """The tile that was set up at a place of this hand, independent of its present place."""
        return self._tile_at[place]

    def is_playing(self, dealt: HandToPlay) -> bool:
        """Whether the players are in the middle of this hand and continue it after a restart.

        Players without tiles have pushed them in: their hand was given up, and the same set-up may
        belong to another hand.
        """
        same = self._dealt is not None and self._dealt.setup == dealt.setup
        return self._seated and same and any(map(len, self._racks))

    def sit_down(self, dealt: HandToPlay, at: Mapping[Place, Tile]) -> None:
        """Take the hands up. `at` is the tile that was set up at each place.

        Raises IllegalSetupError if the tile that the table has turned up is another one; the
        players then take no hand up.
        """
        self._seated = False
        # A new hand can begin with a play that equals that of the hand before, if it was abandoned.
        self._last_action, self._asked_again = None, False
        faces = {place: tile.face for place, tile in at.items()}
        self._dealt, self._tile_at = dealt, at
        self._truth = dealt.rules.start(dealt.setup, faces, dealt.match)
        self._seated = True
        self._owed.clear()
        self._earlier.clear()
        for seat, rack in enumerate(self._racks):
            for tile in self._felt.take_up(seat):
                tile.up = False
                rack.put(tile)

    def next_action(self, play: Any) -> Action | None:
        """The next action, as the table receives it; None to have the dice thrown."""
        assert self._dealt is not None
        if self._asked_again and self._last_action is not None and self._last_action[0] == play:
            return self._last_action[1]
        self._asked_again = False
        self.take_up_delivered()
        if not self._tile_at:
            # A game with dice has no hidden tiles, so the table's play already contains every tile.
            self._truth = play
        self._earlier.append((play, self._truth))
        action, truth = next_act(self._dealt.rules, self._truth, play, self._player)
        self._move_tiles(self._truth, truth)
        self._truth = truth
        self._last_action = play, action
        return action

    def take_action(self, play: Any, action: Action) -> None:
        """Take an action that a person has entered for a player: move the tiles that it names.

        Raises IllegalAction if the player does not hold these tiles.
        """
        assert self._dealt is not None
        self.take_up_delivered()
        if not self._tile_at:
            self._truth = play
        rules, truth = self._dealt.rules, self._truth
        self._earlier.append((play, truth))
        if action in truth.legal_actions and rules.announced(truth, play, action) == action:
            # A false win is legal for every seat, and is in no list of legal actions.
            self._take(play, action, truth.apply(action))
            return
        # The table does not see the hands, so it can wait for a seat that has nothing to decide.
        waits = True
        for full in islice(truth.legal_actions, SEARCHED):
            if full.seat != action.seat:
                continue
            announced = rules.announced(truth, play, full)
            if _is_same(announced, action):
                self._take(play, action, truth.apply(full))
                return
            waits = waits and announced not in play.legal_actions
        if waits and rules.catch_up(truth, play, action.seat) == action:
            return
        raise IllegalActionError(_not_held(action))

    def _take(self, play: Any, action: Action, after: Any) -> None:
        self._move_tiles(self._truth, after)
        self._truth = after
        self._last_action = play, action

    def give_back(self, seat: Seat, place: Place) -> Tile:
        """Take a tile that was delivered to a seat out of that player's hand."""
        self.take_up_delivered()
        tile = self._tile_at[place]
        # A player can have laid the tile down for an action that the table has not received.
        return (
            self._racks[seat].take(tile)
            if tile in self._racks[seat].tiles
            else self._felt.lift(tile)
        )

    def take_back(self, play: Any) -> None:
        """Move the tiles back to what they were before `play`; drawn tiles are back already."""
        assert self._dealt is not None
        rules = self._dealt.rules
        while self._earlier:
            known, truth = self._earlier.pop()
            if known == play:
                break
        else:
            raise ImpossibleOrderError(
                "The simulated players have no copy of the play to return to."
            )
        held = [Counter(tile.face for tile in rack.tiles) for rack in self._racks]
        needed = _counted(rules.held(truth))
        if self._tile_at:
            for seat, (has, needs) in enumerate(zip(held, needed, strict=False)):
                for face in (has - needs).elements():
                    self._felt.lay_in_middle(_find(self._racks[seat], face))
            for seat, (has, needs) in enumerate(zip(held, needed, strict=False)):
                for face in (needs - has).elements():
                    self._racks[seat].put(self._felt.take_from_middle(face))
        self._truth = truth
        self._last_action = None

    def stand_up(self) -> None:
        """End the hand."""
        self.take_up_delivered()
        self._seated = False

    def host_restarted(self) -> None:
        """After a restart of the host, repeat the last answer if it is requested again."""
        self._asked_again = True

    def take_up_delivered(self) -> None:
        """Take up the tiles that the table has delivered. ImpossibleOrderError for a wrong tile.

        Some tiles may not have been delivered yet, because the table first asks for objections.
        """
        if not self._owed:
            return
        for seat in range(len(self._racks)):
            for tile in self._felt.take_up(seat):
                if (seat, tile) not in self._owed:
                    owed = [due for to, due in self._owed if to == seat] or "no tile"
                    raise ImpossibleOrderError(f"Seat {seat} must get {owed}, but got {tile}.")
                self._owed.remove((seat, tile))
                self._racks[seat].put(tile)

    def _move_tiles(self, before: Any, after: Any) -> None:
        """Lay the tiles in the middle that a player gives away; take claimed tiles from there."""
        assert self._dealt is not None
        rules = self._dealt.rules
        owed: list[tuple[Seat, Tile]] = [
            (step.seat, self._tile_at[place])
            for step in rules.hands_over(self._dealt.setup, before, after)
            for place in (step.places if isinstance(step, Packet) else (step.place,))
        ]
        had, has = map(_counted, (rules.held(before), rules.held(after)))
        for seat, (old, new) in enumerate(zip(had, has, strict=True)):
            for face in (old - new).elements():
                self._felt.lay_in_middle(_find(self._racks[seat], face))
        for seat, (old, new) in enumerate(zip(had, has, strict=True)):
            drawn = Counter(tile.face for to, tile in owed if to == seat)
            for face in (new - old - drawn).elements():
                self._racks[seat].put(self._felt.take_from_middle(face))
        self._owed += owed


def _is_same(one: Action, other: Action) -> bool:
    """Whether two actions of a seat are the same; a shown hand may be listed in any order."""
    return Counter(str(one).split()) == Counter(str(other).split())


def _counted(held: tuple[tuple[str | None, ...], ...]) -> list[Counter[str]]:
    return [Counter(face for face in hand if face is not None) for hand in held]


def _find(rack: Holder, face: str) -> Tile:
    for tile in rack.tiles:
        if tile.face == face:
            return rack.take(tile)
    raise ImpossibleOrderError(f"There is no {face} in {rack.name}.")


def _not_held(action: Action) -> str:
    return (
        f"The simulated player of seat {action.seat} cannot do '{action}' with the tiles in hand;"
        " choose another action, or let the simulated player act."
    )


class ActionChooser:
    """Chooses the actions of all players of one table; `chance` is a separate random stream.

    A sensible player ends hands by winning them and reaches little else. A uniform player takes any
    legal action with the same probability and therefore reaches claims, kongs, passes and false
    wins that a sensible player avoids. All choices come from the seed of the plant.
    """

    def __init__(self, chance: Random, style: Style = "sensible") -> None:
        self._chance = chance
        self._style = style

    def choose(self, rules: AnyRules, truth: Any, seat: Seat) -> Any:
        """One legal action of this seat; `truth` is the play with every tile visible."""
        if self._style == "sensible" or (
            self._style == "mixed" and self._chance.random() >= UNIFORM_SHARE
        ):
            return sensible_player(rules, truth, seat)
        return self._chance.choice([act for act in truth.legal_actions if act.seat == seat])

    def give_up(self) -> bool:
        """Whether the players give the hand up now, by the key of the lid."""
        return self._style != "sensible" and self._chance.random() < GIVE_UP_PROBABILITY
