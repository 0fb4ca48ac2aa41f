"""Dominoes: games of several hands, played with the `Rules` of each game."""

from __future__ import annotations

import random

import pytest

from rules.errors import IllegalSetupError, RulesError
from rules.games import GAMES
from rules.games.dominoes import RULES
from rules.games.dominoes.match import DominoMatch
from rules.games.dominoes.play import DominoPlay, start
from rules.games.dominoes.setup import double_six
from rules.play import Rules
from rules.setup import settle
from tests.rules.dominoes.hands import dealt, follow, parameters


def test_the_deal_passes_to_the_next_seat() -> None:
    match = DominoMatch(parameters("block"), (0, 0, 0), dealer=1)
    match = match.after(follow(dealt("block", "6-6", "5-5", "1-0"), "6-6"))
    assert match.scores == (11, 0, 0)
    assert match.dealer == 0
    assert match.hands == 1
    assert not match.over and match.winner is None


def test_at_bergen_the_loser_of_a_hand_draws_first_in_the_next() -> None:
    match = DominoMatch(parameters("bergen"), (0, 0), dealer=1)
    won_by_0 = follow(dealt("bergen", "3-3", "6-6"), "3-3")
    assert match.after(won_by_0).dealer == 1
    assert match.after(won_by_0).after(won_by_0).dealer == 1


def test_a_game_ends_at_its_target() -> None:
    match = DominoMatch(parameters("block"), (95, 99))
    match = match.after(follow(dealt("block", "6-6", "5-5"), "6-6"))
    assert match.over and match.winner == 0
    assert match.scores == (105, 99)


def test_an_unfinished_hand_is_not_counted() -> None:
    with pytest.raises(RulesError, match="The hand is not settled yet;"):
        DominoMatch(parameters("block"), (0, 0)).after(dealt("block", "6-6 1-0", "5-5"))


def test_a_play_needs_a_finished_set_up() -> None:
    with pytest.raises(IllegalSetupError, match=r"The set-up is not finished"):
        start(GAMES["block"].setup())


def test_a_match_can_have_fewer_players() -> None:
    block = RULES[0].match(parameters("block"), 2, 1)
    assert (block.scores, block.dealer) == ((0, 0), 1)


@pytest.mark.parametrize("rules", RULES, ids=[rules.game for rules in RULES])
def test_sensible_players_play_every_game_to_its_target(rules: Rules) -> None:
    game, rng = GAMES[rules.game], random.Random(7)
    match = rules.match(game.parameters(), game.players[-1], 0)
    while not match.over:
        setup = settle(game.setup(players=len(match.scores), dealer=match.dealer))
        faces = rng.sample(double_six(), 28)
        play: DominoPlay = rules.start(
            setup, dict(zip(setup.layout.places, faces, strict=True)), match
        )
        while play.settlement is None:
            action = rules.sensible(play, play.to_act[0])
            assert rules.parse(action.seat, str(action)) == action
            play = play.apply(action)
        match = match.after(play)
        assert match.hands < 200
    assert match.winner is not None
    assert max(match.scores) >= match.parameters.target
