"""Deals a game at random with all tiles visible, and plays hands, for the conformance tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from rules.dice import Dice
from rules.errors import MissingThrowError
from rules.geometry import Place, Seat
from rules.play import Action, AnyRules
from rules.playing.hidden_play import next_act
from rules.plugin import GamePlugin
from rules.setup import Setup, settle
from rules.steps import Choose, DrawLot, Outcome, ReturnLots, Throw, TurnUp
from rules.tiles import Face

AllTiles = dict[Place, Face]
LONGEST_SETUP = 2000
"""Steps after which a set-up counts as endless."""
LONGEST_PLAY = 5000
"""Actions after which a hand counts as endless."""


def seatings(plugin: GamePlugin) -> Iterator[tuple[int, Seat]]:
    """Every number of players with every seat of the dealer."""
    for players in plugin.game.players:
        for dealer in range(players):
            yield players, dealer


def dealt(
    plugin: GamePlugin, chance: Random, players: int | None = None, dealer: Seat = 0
) -> tuple[Setup, AllTiles]:
    """A complete set-up with random outcomes, and the tile at each place."""
    setup = plugin.game.setup(players=players, dealer=dealer)
    faces = list(setup.game.tiles.faces)
    assert len(faces) == setup.layout.count, (
        f"{plugin.name}: the set has {len(faces)} tiles, but the layout has {setup.layout.count}"
    )
    chance.shuffle(faces)
    tiles = dict(zip(setup.layout.places, faces, strict=True))
    for _ in range(LONGEST_SETUP):
        if setup.pending is None:
            return setup, tiles
        setup = setup.apply(_outcome(plugin, setup, tiles, chance))
    raise AssertionError(f"{plugin.name}: no end of the set-up after {LONGEST_SETUP} steps")


def _outcome(plugin: GamePlugin, setup: Setup, tiles: AllTiles, chance: Random) -> Outcome:
    match setup.pending:
        case Throw(_, dice, _, times):
            return tuple(chance.randint(1, 6) for _ in range(dice * times))
        case TurnUp(place) | DrawLot(_, place):
            return tiles[place]
        case Choose(_, _, among):
            seen = plugin.rules().answers(setup, tiles) if plugin.rules else None
            return chance.choice(among) if seen is None else seen
        case ReturnLots():
            _mix(setup, tiles, chance)
    return None


def _mix(setup: Setup, tiles: AllTiles, chance: Random) -> None:
    """Mix all tiles that are in no hand, as after drawn tiles were returned."""
    in_hand = {place for hand in setup.hands.values() for place in hand}
    loose = [place for place in tiles if place not in in_hand]
    faces = [tiles[place] for place in loose]
    chance.shuffle(faces)
    tiles.update(zip(loose, faces, strict=True))


def throws_of(plugin: GamePlugin) -> list[Dice]:
    """Throws that complete the game's set-up if every choice has its default answer."""
    chance, throws = Random(3), list[Dice]()
    while True:
        try:
            settle(plugin.game.setup(), throws)
        except MissingThrowError as missing:
            count = missing.dice * missing.times
            throws.append(tuple(chance.randint(1, 6) for _ in range(count)))
        else:
            return throws


@dataclass(frozen=True)
class Followed:
    """A hand after an action: `truth` with all tiles visible, `play` without hidden tiles."""

    truth: Any
    play: Any
    actions: tuple[Action, ...]


def followed(rules: AnyRules, setup: Setup, tiles: AllTiles, chance: Random) -> Iterator[Followed]:
    """Play a hand with sensible players; yield it after each action, with and without all tiles."""
    match = rules.match(setup.parameters, setup.seating.players, setup.seating.dealer)
    hand = Followed(rules.start(setup, tiles, match), rules.start(setup, {}, match), ())
    yield hand
    for _ in range(LONGEST_PLAY):
        if hand.play.settlement is not None:
            return
        action, truth = next_act(rules, hand.truth, hand.play)
        if action is None:
            action = _thrown(rules, hand.play, chance)
            truth = truth.apply(action)
        hand = Followed(truth, hand.play.apply(action), (*hand.actions, action))
        yield hand
    raise AssertionError(f"{rules.game}: no end of the hand after {LONGEST_PLAY} actions")


def _thrown(rules: AnyRules, play: Any, chance: Random) -> Any:
    throw = rules.throw(play)
    assert throw is not None, f"{rules.game}: no seat has an action, and no throw is due"
    return rules.thrown(play, tuple(chance.randint(1, 6) for _ in range(throw.dice)))
