"""The record of a play replays to the same play: every game, random players, all tiles known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from rules.errors import RulesError
from rules.games import GAMES, find_game, rules_of
from rules.play import Tiles, random_action
from rules.records.record import NotARecordError, evening, heading, recorded, replayed, take_back
from rules.setup import Setup
from rules.steps import Choose, DrawLot, Throw, TurnUp
from tests.rules.hidden_hands import dealt as a_hand

MOST = 60
"""The most actions in a test's play; a whole game of backgammon takes too long."""


def dealt(game: str, chance: Random) -> tuple[Setup, Tiles]:
    """A finished set-up with random dice and random tiles, all of them known."""
    setup = find_game(game).setup()
    faces = list(setup.game.tiles.faces)
    chance.shuffle(faces)
    tiles: Tiles = dict(zip(setup.layout.places, faces, strict=True))
    while (step := setup.pending) is not None:
        match step:
            case Throw():
                count = step.dice * step.times
                setup = setup.apply(tuple(chance.randint(1, 6) for _ in range(count)))
            case Choose():
                setup = setup.apply(step.default)
            case TurnUp():
                setup = setup.apply(tiles[step.place])
            case DrawLot():
                # Each lot is a new random tile: with the same two the seats would tie forever.
                setup = setup.apply(chance.choice(faces))
            case _:
                setup = setup.apply()
    return setup, tiles


def played(game: str, seed: int) -> tuple[Any, list[str]]:
    """A play by random players, with at most MOST actions, and its record."""
    chance = Random(seed)
    setup, tiles = dealt(game, chance)
    play, actions = rules_of(game).start(setup, tiles), []
    while play.settlement is None and len(actions) < MOST:
        action = random_action(play, chance.choice)
        actions.append(action)
        play = play.apply(action)
    return play, list(recorded(setup, tiles, actions))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_record_replays_to_the_same_play(game: str, seed: int) -> None:
    play, lines = played(game, seed)
    again = replayed(lines)
    assert again == play
    assert (again.to_act, again.settlement) == (play.to_act, play.settlement)


@pytest.mark.parametrize("game", ["wenzhou", "filipino", "block", "da_san"])
def test_actions_that_are_taken_back_and_entered_again_change_nothing(game: str) -> None:
    _, lines = played(game, 4)
    lines = lines[:12]
    for count in (1, 2, 3):
        again = [*lines, take_back(count), *lines[-count:]]
        assert replayed(again) == replayed(lines)
        assert next(evening(again, lambda *_: None)).play == replayed(lines)


@pytest.mark.parametrize("count", [0, 9, -1])
def test_only_actions_of_the_hand_can_be_taken_back(count: int) -> None:
    _, lines = played("wenzhou", 1)
    with pytest.raises(RulesError, match="Line 5"):
        replayed([*lines[:4], take_back(count)])


def test_every_line_is_json_with_a_seat_and_an_action() -> None:
    _, (header, *lines) = played("wenzhou", 1)
    assert json.loads(header)["game"] == "wenzhou"
    assert all(json.loads(line).keys() == {"seat", "do"} for line in lines)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Line 2 of the record is not JSON"),
        ('{"seat": 1}', "Line 2 of the record lacks do"),
        ('{"seat": 0, "do": "dance"}', "Line 2 of the record cannot be played"),
    ],
)
def test_an_invalid_line_is_refused_with_its_number(line: str, message: str) -> None:
    _, (header, *_) = played("wenzhou", 1)
    with pytest.raises(RulesError, match=message):
        replayed([header, line])


def test_an_empty_record_is_refused() -> None:
    with pytest.raises(RulesError, match="Line 1 of the record is not JSON"):
        replayed([])


def test_a_line_that_is_not_an_object_or_has_a_wrong_value_is_refused_with_its_number() -> None:
    _, (header, *_) = played("wenzhou", 1)
    with pytest.raises(RulesError, match="Line 2 of the record is not a JSON object"):
        replayed([header, "[]"])
    with pytest.raises(RulesError, match="Line 2 of the record has a wrong seat: 'one'"):
        replayed([header, '{"seat": "one", "do": "pass"}'])


def test_a_tile_that_the_game_does_not_have_is_refused() -> None:
    setup, _ = dealt("block", Random(1))
    line = json.loads(heading(setup, {})) | {"tiles": {"b1": "5m"}}
    with pytest.raises(RulesError, match="Line 1 of the record cannot be played: Block has no"):
        replayed([json.dumps(line)])


def test_a_text_that_cannot_begin_a_hand_is_not_a_record() -> None:
    with pytest.raises(NotARecordError, match="Line 1 of the record lacks game and outcomes"):
        replayed(['{"seat": 0, "do": "pass"}'])


# House rules, and evenings of several hands


def hand_of_block(seed: int, dealer: int, match: Any = None, target: int = 100) -> Any:
    """A whole hand by sensible players: its play and its lines."""
    house = replace(find_game("block").parameters(), target=target)
    rules = rules_of("block")
    setup, tiles = a_hand("block", Random(seed), dealer=dealer, parameters=house)
    play, actions = rules.start(setup, tiles, match), []
    while play.settlement is None:
        actions.append(rules.sensible(play, play.to_act[0]))
        play = play.apply(actions[-1])
    return play, list(recorded(setup, tiles, actions))


def by_the_house(game: str, changed: Mapping[str, Any]) -> Any:
    return replace(find_game(game).parameters(), **changed)


def test_house_rules_are_in_the_heading_and_have_to_be_given_for_a_replay() -> None:
    play, lines = hand_of_block(1, 0, target=50)
    assert json.loads(lines[0])["parameters"] == {"target": 50}
    with pytest.raises(RulesError, match=r"parameters \(target\); give them"):
        replayed(lines)
    assert replayed(lines, by_the_house("block", {"target": 50})) == play


def test_an_evening_is_replayed_hand_by_hand_with_its_match() -> None:
    first, lines = hand_of_block(1, 0)
    match = rules_of("block").match(by_the_house("block", {}), 4, 0).after(first)
    second, more = hand_of_block(2, match.dealer, match)
    one, two = evening([*lines, *more], by_the_house)
    assert (one.play, one.match, one.line) == (first, match, 1)
    assert (two.play, two.match, two.line) == (second, match.after(second), len(lines) + 1)


def test_an_abandoned_hand_does_not_change_the_match() -> None:
    first, lines = hand_of_block(1, 0)
    match = rules_of("block").match(by_the_house("block", {}), 4, 0).after(first)
    _, more = hand_of_block(2, match.dealer, match)
    third, again = hand_of_block(3, match.dealer, match)
    _, two, three = evening([*lines, *more[:4], *again], by_the_house)
    assert two.play.settlement is None and two.match == match
    assert three.match == match.after(third)


def test_a_hand_with_another_dealer_than_the_match_has_begins_another_match() -> None:
    first, lines = hand_of_block(1, 0)
    match = rules_of("block").match(by_the_house("block", {}), 4, 0).after(first)
    another = (match.dealer + 1) % 4
    second, more = hand_of_block(2, another)
    _, two = evening([*lines, *more], by_the_house)
    alone = rules_of("block").match(by_the_house("block", {}), 4, another)
    assert two.match == alone.after(second)


def test_a_marked_hand_begins_another_match_also_with_the_same_dealer() -> None:
    first, lines = hand_of_block(1, 0)
    match = rules_of("block").match(by_the_house("block", {}), 4, 0).after(first)
    second, (head, *acts) = hand_of_block(2, match.dealer)
    marked = json.dumps({**json.loads(head), "new_match": True})
    _, two = evening([*lines, marked, *acts], by_the_house)
    alone = rules_of("block").match(by_the_house("block", {}), 4, match.dealer)
    assert two.match == alone.after(second)
    assert list(two.match.scores) != list(match.after(second).scores)


def test_a_mark_of_a_new_match_that_is_not_true_or_false_is_refused() -> None:
    _, (head, *_) = hand_of_block(1, 0)
    with pytest.raises(RulesError, match="Line 1 of the record has a wrong new_match"):
        replayed([json.dumps({**json.loads(head), "new_match": 1})])


def test_a_line_of_a_later_hand_is_refused_with_its_number_in_the_file() -> None:
    _, lines = hand_of_block(1, 0)
    hands = evening([*lines, lines[0], '{"seat": 0, "do": "dance"}'], by_the_house)
    assert next(hands).line == 1
    with pytest.raises(RulesError, match=f"Line {len(lines) + 2} of the record cannot be played"):
        next(hands)
