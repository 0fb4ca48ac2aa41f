"""Helpers for tests: dealt set-ups of Filipino mahjong, and plays with given hands and wall."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

from rules.games.filipino import FILIPINO, FilipinoMatch, FilipinoPlay, Parameters, start
from rules.games.filipino.actions import Act, parse
from rules.games.filipino.hand import Hand, in_order
from rules.games.filipino.setup import flores_to_lay_out
from rules.games.filipino.table import Wall
from rules.geometry import Place
from rules.setup import Setup
from rules.steps import Choose, Throw, TurnUp
from rules.tiles import tile_set

SET = tile_set("mahjong_144").faces
JOKER = "5m"
WAITING = "1m 2m 3m 7m 8m 9m 7p 7p 7p 1s 2s 3s 4s 5s 9s 9s"
"""A hand that waits for 3s and 6s."""
SEVEN_WAITING = "1m 1m 3m 3m 7m 7m 2p 2p 8p 8p 1s 1s 9s 4s 5s 6s"
ROLLER = "2m 4m 6m 8m 1p 3p 5p 9p 2s 4s 6s 8s 3s 7s 5s 9s 9s"
"""Seventeen tiles that do not win."""


def dealt(
    random: Random, parameters: Parameters | None = None, dealer: int = 0
) -> tuple[Setup, dict[Place, str]]:
    """A finished set-up of a shuffled set, and the tile at each of its places."""
    setup = FILIPINO.setup(dealer=dealer, parameters=parameters).apply()
    tiles: dict[Place, str] = dict(
        zip(setup.layout.places, random.sample(SET, len(SET)), strict=True)
    )
    while (step := setup.pending) is not None:
        match step:
            case Throw():
                setup = setup.apply(tuple(random.randint(1, 6) for _ in range(2)))
            case Choose(what="wall"):
                setup = setup.apply(random.choice(step.among))
            case Choose():
                setup = setup.apply(flores_to_lay_out(setup, tiles))
            case TurnUp():
                setup = setup.apply(tiles[step.place])
            case _:
                setup = setup.apply()
    return setup, tiles


def play_of(
    seed: int, parameters: Parameters | None = None, match: FilipinoMatch | None = None
) -> FilipinoPlay:
    """A shuffled hand with every tile known."""
    setup, tiles = dealt(Random(seed), parameters)
    return start(setup, tiles, match)


def hidden_play(seed: int, parameters: Parameters | None = None) -> FilipinoPlay:
    """The same hand with every tile unknown."""
    setup, _ = dealt(Random(seed), parameters)
    return start(setup)


def hand_of(text: str, flores: int = 1) -> Hand:
    """A hand from a text such as `1m 2m 3m`, with that number of flores laid out."""
    return Hand(in_order(text.split()), flores=tuple(f"{n + 1}f" for n in range(flores)))


def play_with(
    hands: Mapping[int, Hand],
    *,
    turn: int = 0,
    draws: Sequence[str] = (),
    replacements: Sequence[str] = (),
    house: Parameters | None = None,
    chips: tuple[int, ...] = (0, 0, 0, 0),
) -> FilipinoPlay:
    """A play on that seat's turn with these hands; the other seats get a hand without sets.

    The wall has `draws` at one end and `replacements` at the other.
    """
    table = play_of(1, house).table
    wall = table.wall
    faces = {place: "1p" for place, _ in wall.draws}
    faces |= {place: face for (place, _), face in zip(wall.draws, draws, strict=False)}
    faces |= {
        place: face for (place, _), face in zip(wall.replacements, replacements, strict=False)
    }
    known = Wall(
        tuple((place, faces[place]) for place, _ in wall.draws),
        tuple((place, faces[place]) for place, _ in wall.replacements),
    )
    without_sets = Hand(tuple(WITHOUT_SETS), flores=("8f",))
    return FilipinoPlay(
        replace(
            table,
            joker=JOKER,
            wall=known,
            hands=tuple(hands.get(seat, without_sets) for seat in range(4)),
            turn=turn,
            chips=chips,
            payments=(),
        )
    )


WITHOUT_SETS = [f"{n}{s}" for n, s in zip("1472583691472583", "mpsmpspsmpsmpsms", strict=True)]
"""Sixteen tiles, almost no two of which can belong to one set."""


def acted(play: FilipinoPlay, *acts: str) -> FilipinoPlay:
    """The play after actions such as `0 discard 9s`."""
    for act in acts:
        seat, text = act.split(" ", 1)
        play = play.apply(parse(int(seat), text))
    return play


def all_pass(play: FilipinoPlay) -> FilipinoPlay:
    """The play after all seats that are asked have passed."""
    while play.table.offer is not None:
        play = play.apply(Act(play.to_act[0], "pass"))
    return play


def played(
    play: FilipinoPlay, player: Callable[[FilipinoPlay, int], Act]
) -> tuple[FilipinoPlay, list[Act]]:
    """Plays a hand to its end; returns it and its actions."""
    acts = []
    while play.settlement is None:
        act = player(play, play.to_act[0])
        play = play.apply(act)
        acts.append(act)
    return play, acts


def settled(play: FilipinoPlay) -> tuple[str, dict[int, object], tuple[int, ...]]:
    """The name of a finished hand, the gain of each seat, and the chips of all seats."""
    assert play.settlement is not None
    gains = dict(play.settlement.balance())
    return play.settlement.name, {seat: gains.get(seat, 0) for seat in range(4)}, play.chips


def gains(play: FilipinoPlay) -> list[object]:
    """The gain of each seat so far."""
    paid = play.table.payments
    return [
        sum(p.amount for p in paid if p.to == seat)
        - sum(p.amount for p in paid if p.source == seat)
        for seat in range(4)
    ]


def won_by_discard(
    winner: str, tile: str, flores: int = 1, house: Parameters | None = None
) -> FilipinoPlay:
    """A hand in which seat 2 wins on the discard of seat 0."""
    play = play_with(
        {0: hand_of(f"{ROLLER.removesuffix('9s')}{tile}"), 2: hand_of(winner, flores)}, house=house
    )
    play = acted(play, f"0 discard {tile}", "2 win")
    return all_pass(play)
