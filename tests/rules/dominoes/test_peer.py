"""Comparison of Block with the package `dominoes`: legal moves, turns and the end of each hand."""

from __future__ import annotations

import random

import dominoes
import pytest

from rules.games.dominoes.actions import Go, Lay
from rules.games.dominoes.play import DominoPlay, begin
from rules.games.dominoes.setup import double_six, halves, pips
from tests.quick import tries
from tests.rules.dominoes.hands import parameters

GAMES = tries(1000, quick=200, evidence=8000)
HOUSE = parameters("block", hand=(7, 7, 7), turn="counter_clockwise")


def peer_of(hands: list[list[str]], begins: int) -> dominoes.Game:
    theirs = [dominoes.Hand([dominoes.Domino(*halves(tile)) for tile in hand]) for hand in hands]
    moves = tuple((tile, True) for tile in theirs[begins])
    return dominoes.Game(dominoes.Board(), theirs, [], begins, moves, begins, None)


def face(tile: dominoes.Domino) -> str:
    return "-".join(map(str, sorted(tile, reverse=True)))


def their_moves(peer: dominoes.Game) -> dict[tuple[str, str], tuple[dominoes.Domino, bool]]:
    """The legal moves of the package, by tile and end in the notation of the rules."""
    if not peer.board:
        return {(face(tile), ""): (tile, left) for tile, left in peer.valid_moves}
    ends = {True: str(peer.board.left_end()), False: str(peer.board.right_end())}
    return {(face(tile), ends[left]): (tile, left) for tile, left in peer.valid_moves}


def their_points(play: DominoPlay) -> int:
    """The points as the package counts them: two against two, blocked hands by sides."""
    left = [sum(pips(tile) for tile in hand if tile) for hand in play.hands]
    if play.ended == "out":
        return sum(left)
    return 0 if left[0] + left[2] == left[1] + left[3] else sum(left)


@pytest.mark.slow
@pytest.mark.evidence
def test_random_games_of_block_agree_with_the_package_dominoes() -> None:
    rng = random.Random(28)
    blocked = 0
    for number in range(GAMES):
        faces = rng.sample(double_six(), 28)
        hands = [faces[first : first + 7] for first in (0, 7, 14, 21)]
        play, peer = begin("Block", HOUSE, hands, turn=number % 4), peer_of(hands, number % 4)
        while peer.result is None:
            theirs = their_moves(peer)
            ours = {(lay.tile, lay.on): lay for lay in play.legal_actions if isinstance(lay, Lay)}
            assert play.turn == peer.turn
            assert ours.keys() == theirs.keys()
            move = rng.choice(sorted(ours))
            play = play.apply(ours[move])
            peer.make_move(*theirs[move])
            while not play.ended and Go(play.to_act[0]) in play.legal_actions:
                play = play.apply(Go(play.to_act[0]))
        settlement = play.settlement
        assert settlement is not None
        assert settlement.name == ("out" if peer.result.won else "blocked")
        assert their_points(play) == abs(peer.result.points)
        if peer.result.won:
            assert settlement.winner == peer.result.player
            assert settlement.balance().get(peer.result.player, 0) == abs(peer.result.points)
        blocked += not peer.result.won
    assert 0 < blocked < GAMES
