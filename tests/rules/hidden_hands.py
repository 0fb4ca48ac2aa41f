"""Company for tests: a set-up as people would answer it, and a hand told to a table that sees none.

`told` leads a hand to its end: the people see every tile, the table hears what they say.
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
from rules.games.wenzhou.parameters import Parameters as Wenzhou
from rules.geometry import Place, Seat
from rules.hidden_play import next_act
from rules.play import Action, Handed, Match, Rules
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
    ),
    "backgammon": (
        Backgammon(),
        Backgammon(doubling_cube=True, beavers=True, automatic_doubles=1, match_points=7),
    ),
    "da_san": (
        DaSan(),
        DaSan(bidder_may_double=True, reveal_kitty=True, pass_final=True, deal_mode="batch"),
        DaSan(pass_locks_round=True, three_threes_bid_3=True, opening_suit="clubs"),
    ),
}
"""Houses that change who is asked, what is drawn, or what is paid."""
A_DOMINO_HOUSE = {
    "draw": "free",
    "draw_when_able": True,
    "pass_when_able": True,
    "muggins_window": "next_action",
}


def houses(game: str) -> tuple[Any, ...]:
    """Parameters to play a game by, the game's own first."""
    own = find_game(game).parameters()
    if game in HOUSES:
        return HOUSES[game]
    is_domino_game = game in {each.name for each in DOMINO_GAMES}
    return (own, replace(own, **A_DOMINO_HOUSE)) if is_domino_game else (own,)


@dataclass(frozen=True)
class Hand:
    """A hand at its end: what the people saw, what the table made of it, and all that was said.

    `brought` is what the table handed out, as its own play says, and as the truth does.
    """

    setup: Setup
    truth: Any
    play: Any
    actions: tuple[Action, ...]
    brought: Handed
    truly_brought: Handed

    @property
    def texts(self) -> list[str]:
        """Everything that was said, as `2 discard 5m`."""
        return [f"{action.seat} {action}" for action in self.actions]


def dealt(
    game: str,
    chance: Random,
    *,
    players: int | None = None,
    dealer: Seat = 0,
    parameters: Any = None,
) -> tuple[Setup, AllTiles]:
    """A finished set-up and every tile of it; dice and tiles fall as chance will have it."""
    setup = find_game(game).setup(players=players, dealer=dealer, parameters=parameters)
    faces = list(setup.game.tiles.faces)
    chance.shuffle(faces)
    tiles = dict(zip(setup.layout.places, faces, strict=True))
    while setup.pending is not None:
        setup = setup.apply(_outcome(setup, tiles, chance))
    return setup, tiles


def _outcome(setup: Setup, tiles: AllTiles, chance: Random) -> Outcome:
    """What people throw, see and truly answer."""
    match setup.pending:
        case Throw(_, dice, _, times):
            return tuple(chance.randint(1, 6) for _ in range(dice * times))
        case TurnUp(place) | DrawLot(_, place):
            return tiles[place]
        case Choose(_, _, among):
            true = rules_of(setup.game.name).answers(setup, tiles)
            return chance.choice(among) if true is None else true
        case ReturnLots():
            _mix(setup, tiles, chance)
    return None


def _mix(setup: Setup, tiles: AllTiles, chance: Random) -> None:
    """Lots are mixed with the boneyard before they are drawn again."""
    in_hand = {place for hand in setup.hands.values() for place in hand}
    loose = [place for place in tiles if place not in in_hand]
    faces = [tiles[place] for place in loose]
    chance.shuffle(faces)
    tiles.update(zip(loose, faces, strict=True))


def told(
    rules: Rules, setup: Setup, tiles: AllTiles, chance: Random, match: Match | None = None
) -> Hand:
    """A hand to its end."""
    *_, hand = told_by_one(rules, setup, tiles, chance, match)
    return hand


def told_by_one(
    rules: Rules, setup: Setup, tiles: AllTiles, chance: Random, match: Match | None = None
) -> Iterator[Hand]:
    """The hand after each thing that is said."""
    truth, play = rules.start(setup, tiles, match), rules.start(setup, {}, match)
    hand = Hand(setup, truth, play, (), (), ())
    yield hand
    while hand.play.settlement is None:
        action, truth = next_act(rules, hand.truth, hand.play)
        if action is None:
            throw = rules.throw(hand.play)
            assert throw is not None
            dice = tuple(chance.randint(1, 6) for _ in range(throw.dice))
            action = rules.thrown(hand.play, dice)
            truth = truth.apply(action)
        play = hand.play.apply(action)
        hand = Hand(
            setup,
            truth,
            play,
            (*hand.actions, action),
            (*hand.brought, *rules.hands_over(setup, hand.play, play)),
            (*hand.truly_brought, *rules.hands_over(setup, hand.truth, truth)),
        )
        yield hand


def rigged(setup: Setup, lie: Mapping[Sequence[Place], str]) -> AllTiles:
    """Every tile of a finished set-up: these texts at these places, the rest well mixed."""
    tiles: AllTiles = {}
    for places, faces in lie.items():
        tiles |= zip(places, faces.split(), strict=False)
    rest = list(setup.game.tiles.faces)
    for face in tiles.values():
        rest.remove(face)
    Random(5).shuffle(rest)
    free = (place for place in setup.layout.places if place not in tiles)
    return tiles | dict(zip(free, rest, strict=True))


def wishing(game: str, *wishes: str) -> Rules:
    """A game's rules, played by people who do as they wish (`2 kong 9s`) as soon as they may.

    Otherwise they are sensible.
    """
    own = rules_of(game)

    def player(play: Any, seat: Seat) -> Any:
        for wish in wishes:
            who, text = wish.split(" ", 1)
            if int(who) == seat and own.parse(seat, text) in play.legal_actions:
                return own.parse(seat, text)
        return own.sensible(play, seat)

    return replace(own, sensible=player)


def anything(game: str, chance: Random) -> Rules:
    """A game's rules, played by people who every other time do anything that is legal."""
    own = rules_of(game)

    def player(play: Any, seat: Seat) -> Any:
        if chance.random() < 0.5:
            return own.sensible(play, seat)
        return chance.choice([action for action in play.legal_actions if action.seat == seat])

    return replace(own, sensible=player)
