"""Positions that are written as text and read back, and plays that begin with given hands."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from rules import (
    GAMES,
    IllegalSetupError,
    NotationError,
    deal,
    from_hands,
    new_hand,
    play_text,
    random_action,
    read_play,
    rules_of,
)

WITH_HANDS = [game for game in GAMES if game != "backgammon"]


def positions(game: str, seed: int, most: int = 60) -> list[Any]:
    """Every position of a random hand, to its end or for `most` actions."""
    chance = Random(seed)
    found = [new_hand(game, chance)]
    while found[-1].settlement is None and len(found) < most:
        found.append(found[-1].apply(random_action(found[-1], chance.choice)))
    return found


@pytest.mark.parametrize("game", GAMES)
def test_every_position_of_a_hand_is_read_from_its_text_and_from_its_repr(game: str) -> None:
    for play in positions(game, 5)[::7]:
        assert read_play(game, play_text(play)) == play
        assert read_play(game, repr(play)) == play


@pytest.mark.parametrize("game", GAMES)
def test_the_view_of_a_seat_is_read_from_its_text_and_has_the_same_legal_actions(game: str) -> None:
    play = positions(game, 6, most=12)[-2]
    seen = rules_of(game).view(play, play.to_act[0])
    again = read_play(game, play_text(seen))
    assert again == seen
    assert list(again.legal_actions) == list(seen.legal_actions)


@pytest.mark.parametrize("game", ["backgammon", "da_san", "matador", "filipino", "pai_gow"])
@pytest.mark.slow
def test_a_damaged_text_is_read_as_a_play_or_refused(game: str) -> None:
    chance = Random(game)
    text = play_text(positions(game, 7, most=9)[-1])
    refused = 0
    for _ in range(60):
        letters = list(text)
        letters[chance.randrange(len(letters))] = chance.choice(["9", "-", "(", ",", '"x"', ""])
        try:
            read_play(game, "".join(letters))
        except NotationError:
            refused += 1
    assert refused > 30


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not a text of a play"),
        ("(" * 100_000, "is not a text of a play"),
        ("1" * 5_000, "is not a text of a play"),
        ("9" * 300_000, "has at most 200000 characters; got 300000"),
        ("7", "a int is part of a play, not a play"),
        ("Stage.NEVER", "KeyError: 'NEVER'"),
        ("WenzhouPlay()", "missing 1 required positional argument"),
        ("__import__('os')", "'__import__' is not a class of wenzhou"),
        ("Stage.DRAW.value", "cannot be part of a play"),
        ("(lambda: 1)()", "cannot be part of a play"),
        ("{**{}}", "'**' cannot be part of a play"),
        ("frozenset([1])", "a frozenset is written as frozenset({a, b})"),
    ],
)
def test_a_text_that_is_not_a_play_is_refused_with_the_reason(text: str, sentence: str) -> None:
    with pytest.raises(NotationError) as refused:
        read_play("wenzhou", text)
    assert sentence in str(refused.value)


def test_a_text_of_another_game_is_refused() -> None:
    text = play_text(positions("matador", 1)[0])
    with pytest.raises(NotationError, match="is not a possible play of backgammon"):
        read_play("backgammon", text)


@pytest.mark.parametrize("game", [game for game in WITH_HANDS if game != "filipino"])
def test_hands_that_were_dealt_can_be_dealt_again_from_their_tiles(game: str) -> None:
    chance = Random(3)
    for _ in range(4):
        dealt = deal(game, chance)
        hands = {
            seat: [dealt.tiles[place] for place in places]
            for seat, places in dealt.setup.hands.items()
        }
        play = from_hands(game, hands, chance)
        expected = rules_of(game).held(rules_of(game).start(dealt.setup, dealt.tiles))
        assert rules_of(game).held(play) == expected


def test_one_given_hand_is_dealt_and_the_other_hands_are_random() -> None:
    hand = [f"{number}m" for number in range(1, 10)] + ["1p"] * 3 + ["2p"] * 3 + ["5s"]
    plays = [from_hands("filipino", {1: hand}, Random(seed)) for seed in range(3)]
    held = [rules_of("filipino").held(play) for play in plays]
    assert [sorted(filter(None, each[1])) for each in held] == [sorted(hand)] * 3
    assert held[0][0] != held[1][0]


@pytest.mark.parametrize(
    ("game", "hands", "sentence"),
    [
        ("block", {0: ["6-6", "6-6"]}, "name '6-6' more often than the set has it"),
        ("block", {0: ["6-6"]}, "seat 0 is dealt 5 tiles; 1 are named"),
        ("block", {9: ["6-6"] * 7}, "seat 9 is dealt 0 tiles; 7 are named"),
        ("wenzhou", {0: ["nonsense"] * 17}, "name 'nonsense' more often than the set has it"),
        ("backgammon", {0: ["1m"]}, "seat 0 is dealt 0 tiles; 1 are named"),
    ],
)
def test_hands_that_cannot_be_dealt_are_refused_with_the_reason(
    game: str, hands: dict[int, list[str | None]], sentence: str
) -> None:
    with pytest.raises(IllegalSetupError) as refused:
        from_hands(game, hands, Random(1))
    assert sentence in str(refused.value)
