"""Helpers for tests: dealt set-ups, and hands that are played at a table that reads no tile.

`play_hidden` plays a hand to its end. The players see every tile; the table gets only the actions
that they announce (`rules.playing.hidden_play`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from rules.games import find_game, rules_of
from rules.games.backgammon.setup import Parameters as Backgammon
from rules.games.da_san.setup import Parameters as DaSan
from rules.games.dominoes import DOMINO_GAMES
from rules.games.filipino.parameters import Parameters as Filipino
from rules.games.pai_gow.setup import Parameters as PaiGow
from rules.games.wenzhou.setup import Parameters as Wenzhou
from rules.geometry import Place, Seat
from rules.play import Action, Handed, Match, Rules
from rules.playing.hidden_play import next_act
from rules.setup import Setup
from rules.steps import Choose, DrawLot, Outcome, ReturnLots, Throw, TurnUp
from rules.tiles import Face

AllTiles = dict[Place, Face]
HOUSES: dict[str, tuple[Any, ...]] = {
    "wenzhou": (
        Wenzhou(),
        Wenzhou(caishen_money=2, kong_source="draws"),
        Wenzhou(caishen_money=1, pong_pass_lock=True, discard_order=False, reserve=0),
        Wenzhou(discard_order_penalty=3, after_false_win="ends", caishen_money=1),
    ),
    "filipino": (
        Filipino(),
        Filipino(replacement_by="immediate", replacement_end="outer", second_flores="stays"),
        Filipino(joker_discard="dead", multi_win="next_in_turn", stack="sum", middle=5),
        Filipino(joker_discard="forbidden", joker_in_melds=False, kong_secret=False),
    ),
    "pai_gow": (
        PaiGow(),
        PaiGow(house_seats=(0, 1), dead_hand="shown", banker_sets_last=False),
        PaiGow(highest_stake=7, bank_commission=True, hands_as_bank=3, banker_wins_copies=False),
    ),
    "backgammon": (
        Backgammon(),
        Backgammon(doubling_cube=True, beavers=True, automatic_doubles=1, match_points=7),
        Backgammon(doubling_cube=True, jacoby=True, automatic_doubles=2, match_points=0),
    ),
    "da_san": (
        DaSan(),
        DaSan(bidder_may_double=True, reveal_kitty=True, pass_final=True, deal_mode="batch"),
        DaSan(pass_locks_round=True, three_threes_bid_3=True, opening_suit="clubs"),
    ),
}
"""Parameters of houses that change which seat is asked, what is drawn, or what is paid."""
A_DOMINO_HOUSE = {
    "draw": "free",
    "draw_when_able": True,
    "pass_when_able": True,
    "muggins_window": "next_action",
}
ANOTHER_DOMINO_HOUSE = {
    "blocked_doublets_lose": True,
    "block_score": "difference",
    "round_hand": "nearest5",
    "target": 50,
}


def houses(game: str) -> tuple[Any, ...]:
    """The houses with which a game is tested, the game's defaults first."""
    own = find_game(game).parameters()
    if game in HOUSES:
        return HOUSES[game]
    is_domino_game = game in {each.name for each in DOMINO_GAMES}
    domino_houses = (A_DOMINO_HOUSE, ANOTHER_DOMINO_HOUSE) if is_domino_game else ()
    return (own, *(replace(own, **each) for each in domino_houses))


@dataclass(frozen=True)
class Hand:
    """A hand in play: `full_play` has every tile, `play` only the tiles that actions have named.

    `handed` are the tiles that the table handed out according to `play`; `fully_handed` are those
    according to `full_play`.
    """

    setup: Setup
    full_play: Any
    play: Any
    actions: tuple[Action, ...]
    handed: Handed
    fully_handed: Handed

    @property
    def texts(self) -> list[str]:
        """Every action of the hand with its seat, such as `2 discard 5m`."""
        return [f"{action.seat} {action}" for action in self.actions]


def dealt(
    game: str,
    chance: Random,
    *,
    players: int | None = None,
    dealer: Seat = 0,
    parameters: Any = None,
) -> tuple[Setup, AllTiles]:
    """A finished set-up with random dice and the tile at each of its places."""
    setup = find_game(game).setup(players=players, dealer=dealer, parameters=parameters)
    faces = list(setup.game.tiles.faces)
    chance.shuffle(faces)
    tiles = dict(zip(setup.layout.places, faces, strict=True))
    while setup.pending is not None:
        setup = setup.apply(_outcome(setup, tiles, chance))
    return setup, tiles


def _outcome(setup: Setup, tiles: AllTiles, chance: Random) -> Outcome:
    """The outcome of the pending step: random dice, the tile that is there, the true answer."""
    match setup.pending:
        case Throw(_, dice, _, times):
            return tuple(chance.randint(1, 6) for _ in range(dice * times))
        case TurnUp(place) | DrawLot(_, place):
            return tiles[place]
        case Choose(_, _, among):
            answer = rules_of(setup.game.name).answers(setup, tiles)
            return chance.choice(among) if answer is None else answer
        case ReturnLots():
            _mix(setup, tiles, chance)
    return None


def _mix(setup: Setup, tiles: AllTiles, chance: Random) -> None:
    """Mixes the returned lots with the boneyard before seats draw again."""
    in_hand = {place for hand in setup.hands.values() for place in hand}
    loose = [place for place in tiles if place not in in_hand]
    faces = [tiles[place] for place in loose]
    chance.shuffle(faces)
    tiles.update(zip(loose, faces, strict=True))


def play_hidden(
    rules: Rules, setup: Setup, tiles: AllTiles, chance: Random, match: Match | None = None
) -> Hand:
    """Plays a hand to its end and returns it."""
    *_, hand = play_hidden_stepwise(rules, setup, tiles, chance, match)
    return hand


def play_hidden_stepwise(
    rules: Rules, setup: Setup, tiles: AllTiles, chance: Random, match: Match | None = None
) -> Iterator[Hand]:
    """Plays a hand; yields it at its beginning and after each action."""
    full_play, play = rules.start(setup, tiles, match), rules.start(setup, {}, match)
    hand = Hand(setup, full_play, play, (), (), ())
    yield hand
    while hand.play.settlement is None:
        action, full_play = next_act(rules, hand.full_play, hand.play)
        if action is None:
            throw = rules.throw(hand.play)
            assert throw is not None
            dice = tuple(chance.randint(1, 6) for _ in range(throw.dice))
            action = rules.thrown(hand.play, dice)
            full_play = full_play.apply(action)
        play = hand.play.apply(action)
        hand = Hand(
            setup,
            full_play,
            play,
            (*hand.actions, action),
            (*hand.handed, *rules.hands_over(setup, hand.play, play)),
            (*hand.fully_handed, *rules.hands_over(setup, hand.full_play, full_play)),
        )
        yield hand


def tiles_with(setup: Setup, given: Mapping[Sequence[Place], str]) -> AllTiles:
    """Every tile of a finished set-up: the given tiles at their places, the others at random."""
    tiles: AllTiles = {}
    for places, faces in given.items():
        tiles |= zip(places, faces.split(), strict=False)
    rest = list(setup.game.tiles.faces)
    for face in tiles.values():
        rest.remove(face)
    Random(5).shuffle(rest)
    free = (place for place in setup.layout.places if place not in tiles)
    return tiles | dict(zip(free, rest, strict=True))


def preferring(game: str, *preferred: str) -> Rules:
    """The rules of a game with players who prefer these actions (`2 kong 9s`) while they are legal.

    If no preferred action is legal, a player takes the sensible one.
    """
    own = rules_of(game)

    def player(play: Any, seat: Seat) -> Any:
        for action in preferred:
            by, text = action.split(" ", 1)
            if int(by) == seat and own.parse(seat, text) in play.legal_actions:
                return own.parse(seat, text)
        return own.sensible(play, seat)

    return replace(own, sensible=player)


def half_random(game: str, chance: Random) -> Rules:
    """The rules of a game with players who take a random legal action half of the time."""
    own = rules_of(game)

    def player(play: Any, seat: Seat) -> Any:
        if chance.random() < 0.5:
            return own.sensible(play, seat)
        return chance.choice([action for action in play.legal_actions if action.seat == seat])

    return replace(own, sensible=player)
