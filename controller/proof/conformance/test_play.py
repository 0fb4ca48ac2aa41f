"""The play of a game: legality, notation, settlement, records, and play with hidden tiles."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from controller.proof.conformance.dealing import LONGEST_PLAY, AllTiles, dealt, followed, seatings
from rules.errors import RulesError
from rules.play import AnyRules, IllegalActionError, random_action
from rules.plugin import GamePlugin
from rules.records.record import recorded, replayed
from rules.setup import Setup

SEEDS = range(3)
SHOWN = 12
"""Number of legal actions that are checked in one position; some games have hundreds."""


def each_deal(played: GamePlugin) -> Iterator[tuple[Setup, AllTiles, Random]]:
    """One deal for every seating and each of the seeds."""
    for seed, (players, dealer) in itertools.product(SEEDS, seatings(played)):
        chance = Random(seed)
        yield *dealt(played, chance, players, dealer), chance


def start(rules: AnyRules, setup: Setup, tiles: AllTiles) -> Any:
    """Start a play of this deal in a new match."""
    match = rules.match(setup.parameters, setup.seating.players, setup.seating.dealer)
    return rules.start(setup, tiles, match)


def random_play(rules: AnyRules, setup: Setup, tiles: AllTiles, chance: Random) -> Iterator[Any]:
    """Each position of a hand in which every player takes random legal actions."""
    play = start(rules, setup, tiles)
    for _ in range(LONGEST_PLAY):
        yield play
        if play.settlement is not None:
            return
        play = play.apply(random_action(play, chance.choice))
    raise AssertionError(f"{rules.game}: no end of the hand after {LONGEST_PLAY} actions")


def settled(play: Any) -> Any:
    """The settlement of a hand that is over."""
    assert play.settlement is not None
    return play.settlement


def test_a_hand_of_random_players_ends_and_the_payments_balance(
    played: GamePlugin,
) -> None:
    rules = played.require_rules()
    for setup, tiles, chance in each_deal(played):
        *_, last = random_play(rules, setup, tiles, chance)
        assert sum(settled(last).balance().values()) == 0
        assert not list(last.legal_actions)


def test_a_play_does_not_begin_before_the_set_up_is_complete(played: GamePlugin) -> None:
    """The rules refuse an incomplete set-up, because a damaged record can contain one."""
    rules, setup = played.require_rules(), played.game.setup()
    if setup.pending is not None:
        with pytest.raises(RulesError):
            rules.start(setup, {}, None)


def test_an_offered_action_is_legal_and_can_be_parsed_from_its_text(
    played: GamePlugin,
) -> None:
    rules = played.require_rules()
    setup, tiles = dealt(played, chance := Random(4))
    for play in random_play(rules, setup, tiles, chance):
        for action in itertools.islice(play.legal_actions, SHOWN):
            assert action in play.legal_actions
            assert action.seat in play.to_act
            assert rules.parse(action.seat, str(action)) == action


def test_applying_an_action_does_not_change_the_earlier_play(played: GamePlugin) -> None:
    rules = played.require_rules()
    setup, tiles = dealt(played, chance := Random(5))
    for play in itertools.islice(random_play(rules, setup, tiles, chance), 20):
        offered = list(itertools.islice(play.legal_actions, SHOWN))
        for action in offered:
            assert play.apply(action) == play.apply(action)
        assert list(itertools.islice(play.legal_actions, SHOWN)) == offered


def test_an_illegal_action_is_refused_with_a_message(
    played: GamePlugin,
) -> None:
    rules = played.require_rules()
    setup, tiles = dealt(played, chance := Random(6))
    *_, last = random_play(rules, setup, tiles, chance)
    play = start(rules, setup, tiles)
    no_seat = max(setup.seating.players, played.game.seats)
    for action in itertools.islice(play.legal_actions, SHOWN):
        wrong = replace(action, seat=no_seat)
        assert wrong not in play.legal_actions
        for position, refused in ((play, wrong), (last, action)):
            with pytest.raises(IllegalActionError) as error:
                position.apply(refused)
            assert str(error.value)


def test_a_value_that_is_not_an_action_is_not_legal(played: GamePlugin) -> None:
    rules = played.require_rules()
    play = start(rules, *dealt(played, Random(6)))
    for value in (None, 3, "", "6-4", (), [], {}, object(), played):
        assert value not in play.legal_actions


def test_a_text_that_is_not_an_action_is_refused(played: GamePlugin) -> None:
    rules = played.require_rules()
    for text in ("", "no such action 99", "\N{SNOWMAN}"):
        with pytest.raises(RulesError):
            rules.parse(0, text)


def test_a_sensible_player_takes_legal_actions(played: GamePlugin) -> None:
    rules = played.require_rules()
    for setup, tiles, chance in each_deal(played):
        play = start(rules, setup, tiles)
        for _ in range(LONGEST_PLAY):
            if play.settlement is not None:
                break
            action = rules.sensible(play, chance.choice(play.to_act))
            assert action in play.legal_actions
            play = play.apply(action)
        assert settled(play)


def test_play_with_hidden_tiles_has_the_same_settlement_as_with_visible_tiles(
    played: GamePlugin,
) -> None:
    rules = played.require_rules()
    for setup, tiles, chance in each_deal(played):
        for hand in followed(rules, setup, tiles, chance):
            seats = setup.seating.players
            assert len(rules.held(hand.play)) >= seats
        assert settled(hand.play) == settled(hand.truth)


def test_a_record_of_the_hand_replays_to_the_same_settlement(played: GamePlugin) -> None:
    rules = played.require_rules()
    for setup, tiles, chance in each_deal(played):
        *_, hand = followed(rules, setup, tiles, chance)
        again = replayed(recorded(setup, {}, hand.actions), setup.parameters)
        assert again.settlement == hand.play.settlement


def test_a_match_continues_from_hand_to_hand(played: GamePlugin) -> None:
    rules, chance = played.require_rules(), Random(7)
    for players in played.game.players:
        match = rules.match(played.game.parameters(), players, 0)
        for _ in range(3):
            setup, tiles = dealt(played, chance, players, match.dealer)
            *_, hand = followed(rules, setup, tiles, chance)
            match = match.after(hand.play)
            assert len(match.scores) == players
            assert 0 <= match.dealer < players
            if match.over:
                break
