"""Damaged records: each one replays, or is refused with one sentence that names line and cause.

Records of every game are changed as JSON values and as bytes; some named cases follow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any

import pytest

from config.errors import dotted
from config.validation.game_parameters import accepted
from rules.errors import RulesError
from rules.games import GAMES, find_game, rules_of
from rules.games.pai_gow import Parameters as PaiGow
from rules.play import random_action
from rules.records.record import NotARecordError, Replayed, evening, heading, recorded
from tests.quick import slow_except, tries
from tests.rules.hidden_hands import dealt, houses

CHANGES = tries(100, quick=50, evidence=2000)
"""Damaged records of each game and each kind of damage."""
MOST_ACTIONS = 40
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 99, 10**17, 10**30, 1.5, 1e300, "", "x", "5m", "6-6", "4h"),
    *("w0.1u", "w9.99u", "b29", "k53", "p9.9", "h0", "w00.1u", "b\u0663", [], [[]], [1, [2]], [7]),
    *([1, 1], {}, {"": ""}, {"b1": "6-6", "b2": "6-6"}, {"w0.1u": "2m"}, "draw", "pass", "go"),
    *("win", "\u2028", "\ud800", "a" * 300),
)


def house(game: str, changed: Any) -> Any:
    """The parameters of a game, checked as the command line checks them."""
    parameters, defects = accepted(find_game(game).name, changed)
    if defects:
        raise RulesError(f"{dotted(defects[0].path)} {defects[0].wrong}. {defects[0].cure}")
    return parameters


@cache
def records(game: str) -> tuple[tuple[str, ...], ...]:
    """Four records of one or two hands of a game, two with known and two with hidden tiles."""
    kept = []
    for number in range(4):
        chance = Random(f"{game} {number}")
        parameters = houses(game)[number % len(houses(game))]
        lines: list[str] = []
        for _ in range(1 + number % 2):
            setup, tiles = dealt(game, chance, parameters=parameters)
            known = tiles if number % 2 else {}
            play, actions = rules_of(game).start(setup, known), []
            while play.settlement is None and len(actions) < MOST_ACTIONS:
                if game == "pai_gow" and not known:
                    actions.append(rules_of(game).sensible(play, play.to_act[0]))
                else:
                    actions.append(random_action(play, chance.choice))
                play = play.apply(actions[-1])
            lines += recorded(setup, known, actions)
        kept.append(tuple(lines))
    return tuple(kept)


def played(lines: Iterable[str]) -> list[Replayed] | str:
    """The hands of a record, or the sentence that refuses it, which has to name a line."""
    given = list(lines)
    try:
        return list(evening(given, house))
    except RulesError as error:
        sentence = str(error)
        found = re.match(r"Line (\d+) of the record ", sentence)
        assert found, sentence
        assert 1 <= int(found[1]) <= max(len(given), 1)
        assert sentence.isprintable(), sentence
        assert len(sentence) < 700, sentence
        return sentence


@pytest.mark.parametrize("game", slow_except(["wenzhou", "block"], GAMES))
def test_the_records_replay_before_they_are_damaged(game: str) -> None:
    for lines in records(game):
        assert not isinstance(played(lines), str)


@pytest.mark.evidence
@pytest.mark.parametrize("game", GAMES)
def test_a_record_with_changed_values_replays_or_is_refused_with_its_line(game: str) -> None:
    chance = Random(game)
    refused = 0
    for _ in range(CHANGES):
        lines = list(chance.choice(records(game)))
        for _ in range(chance.randint(1, 3)):
            _damage(lines, chance)
        refused += isinstance(played(lines), str)
    assert refused > CHANGES // 4


@pytest.mark.evidence
@pytest.mark.parametrize("game", GAMES)
def test_a_record_with_changed_bytes_replays_or_is_refused_with_its_line(game: str) -> None:
    chance = Random(game)
    refused = 0
    for _ in range(CHANGES):
        data = bytearray("\n".join(chance.choice(records(game))).encode())
        for _ in range(chance.randint(1, 4)):
            if not data:  # an earlier change has deleted every byte
                break
            at = chance.randrange(len(data))
            match chance.randrange(4):
                case 0:
                    data[at] = chance.randrange(256)
                case 1:
                    data[at : at + chance.randint(1, 30)] = b""
                case 2:
                    data[at:at] = bytes(chance.choice(b'0123456789{}[]",:-') for _ in range(3))
                case _:
                    del data[at + 1 :]
        text = bytes(data).decode("utf-8", errors="replace")
        refused += isinstance(played(text.split("\n")), str)
    assert refused > CHANGES // 4


def _damage(lines: list[str], chance: Random) -> None:
    """Deletes, exchanges or inserts lines of a record, or changes one of its values."""
    at = chance.randrange(len(lines))
    match chance.randrange(6):
        case 0:
            del lines[at : at + chance.randint(1, 3)]
            lines.append(chance.choice(["{}", "[]", "", '{"seats": [0, [1, 2]]}']))
        case 1:
            lines[at], lines[0] = lines[0], lines[at]
        case 2:
            other = records(chance.choice(list(GAMES)))
            lines.insert(at, chance.choice(chance.choice(other)))
        case _:
            _change_a_value(lines, at if chance.random() < 0.4 else 0, chance)


def _change_a_value(lines: list[str], at: int, chance: Random) -> None:
    try:
        values = json.loads(lines[at])
    except ValueError:
        return
    if not isinstance(values, dict) or not values:
        return
    key = chance.choice(list(values))
    inner = values[key]
    match inner:
        case list() if inner and chance.random() < 0.7:
            inner[chance.randrange(len(inner))] = chance.choice(ODD)
        case dict() if inner and chance.random() < 0.7:
            name = chance.choice(list(inner))
            inner[chance.choice([name, "w0.1u", "b1", "target", ""])] = chance.choice(
                [*ODD, *inner.values()]
            )
        case _:
            values[chance.choice([key, key, "more"])] = chance.choice(ODD)
    lines[at] = json.dumps(values)


# Named cases


def with_heading(game: str, **changes: Any) -> str:
    """The sentence that refuses a record with these values in its heading; None omits a key."""
    line = json.loads(records(game)[0][0]) | changes
    result = played([json.dumps({key: value for key, value in line.items() if value is not None})])
    return result if isinstance(result, str) else "the record was replayed"


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", [0, -1, 99, True, False, 1.0, "4", 10**30, [4]])
def test_a_number_of_players_that_the_game_does_not_seat_is_refused(
    game: str, players: Any
) -> None:
    sentence = with_heading(game, players=players)
    assert sentence.startswith("Line 1 of the record ")
    assert "players" in sentence or "digits" in sentence


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("dealer", [-1, 99, True, 1.0, "0", 10**30, 10**17])
def test_a_dealer_without_a_seat_is_refused(game: str, dealer: Any) -> None:
    sentence = with_heading(game, dealer=dealer)
    assert sentence.startswith("Line 1 of the record ")
    assert "ealer" in sentence or "digits" in sentence


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[" * 100_000, "Line 2 of the record is JSON that is nested too deeply"),
        ("[" * 99_000, "nested too deeply"),
        ('{"seat": ' + "[" * 20_000 + "]" * 20_000 + ', "do": "pass"}', "nested too deeply"),
        ('{"seat": ' + "1" * 5_000 + ', "do": "pass"}', "a number of more than 18 digits"),
        ('{"seat": 1e999, "do": "pass"}', "a number that is too large"),
        ('{"seat": NaN, "do": "pass"}', "NaN, which is not a number"),
        ('{"seat": true, "do": "pass"}', "a wrong seat: True"),
        ('{"seat": 1, "do": "' + "x" * 201 + '"}', "a wrong do: 'xxx"),
        ('{"seat": 1, "do": "pass\\n"}', r"a wrong do: 'pass\\n'"),
        ('{"seat": 1, "do": "pass", "seat": 0}', "the key 'seat' twice"),
        ('{"seat": 1, "do": "pass", "by": 0}', "an unknown key, 'by'"),
        ('{"seat": 1, "do": "pass"}' + " " * 100_000, "at most 100000 characters"),
    ],
)
def test_a_line_that_no_record_contains_is_refused_with_its_cause(line: str, expected: str) -> None:
    sentence = played([records("wenzhou")[1][0], line])
    assert isinstance(sentence, str)
    assert sentence.startswith("Line 2 of the record ")
    assert re.search(expected, sentence), sentence


def test_the_first_line_decides_whether_a_file_is_a_record_at_all() -> None:
    for line in ("", "[" * 100_000, "7", '{"do": "pass"}', '{"game": "wenzhou"}'):
        with pytest.raises(NotARecordError, match=r"^Line 1 of the record "):
            list(evening([line], house))


@pytest.mark.parametrize(
    ("game", "tiles", "expected"),
    [
        ("wenzhou", {"w0.18u": "5m"}, "Wenzhou mahjong has no tile at place w0.18u"),
        ("wenzhou", {"b1": "5m"}, "tile at place b1"),
        ("wenzhou", {"w4.1u": "5m"}, "tile at place w4.1u"),
        ("wenzhou", {"w0.1u": "1f"}, "has no tile '1f', which is given at w0.1u"),
        ("wenzhou", {f"w0.{n}u": "9s" for n in range(1, 6)}, "'9s' was read 5 times"),
        ("wenzhou", {"w00.1u": "5m"}, "'w00.1u' is not a place"),
        ("wenzhou", {"w0." + "1" * 150 + "u": "5m"}, "is not a place"),
        ("da_san", {"k1": "4h", "k52": "4h"}, "'4h' was read 2 times, but the set has 1"),
        ("pai_gow", {"p1.1": "6-3", "p8.4": "6-3"}, "'6-3' was read 2 times, but the set has 1"),
        ("block", {"b1": "6-6", "b28": "6-6"}, "'6-6' was read 2 times, but the set has 1"),
        ("block", {"b29": "6-6"}, "Block has no tile at place b29"),
        ("filipino", {"w0.1u": "1f", "w0.2u": "1f"}, "'1f' was read 2 times, but the set has 1"),
        ("backgammon", {"b1": "6-6"}, "Backgammon has no tile at place b1"),
    ],
)  # fmt: skip
def test_tiles_that_the_set_or_the_layout_lacks_are_refused(
    game: str, tiles: dict[str, str], expected: str
) -> None:
    assert expected in with_heading(game, tiles=tiles)


def test_a_tile_that_differs_from_the_one_that_was_turned_up_is_refused() -> None:
    setup, tiles = dealt("wenzhou", Random(3))
    assert setup.ready is not None
    at = setup.ready.indicator
    assert at is not None
    line = json.loads(heading(setup, {}))
    other = "1m" if tiles[at] != "1m" else "2m"
    sentence = played([json.dumps(line | {"tiles": {str(at): other}})])
    assert (
        f"The tile turned up at {at} is {tiles[at]}, but the tile given there is {other}"
        in sentence
    )
    elsewhere = [str(place) for place in setup.layout.places if place != at][:4]
    sentence = played([json.dumps(line | {"tiles": dict.fromkeys(elsewhere, tiles[at])})])
    assert f"'{tiles[at]}' was read 5 times, but the set has 4" in sentence


@pytest.mark.parametrize("game", GAMES)
def test_an_unknown_parameter_is_refused_with_its_line(game: str) -> None:
    sentence = with_heading(game, parameters={"sevens_wild": 1})
    assert sentence.startswith(
        "Line 1 of the record cannot be played: parameters.sevens_wild is an unknown key"
    )


def test_actions_between_the_drawing_of_seats_and_the_next_hand_are_refused() -> None:
    lines = [*records("wenzhou")[0], '{"seats": [0, [1, 2]]}', '{"seat": 0, "do": "pass"}']
    sentence = played(lines)
    assert isinstance(sentence, str)
    assert sentence.startswith(
        f"Line {len(lines)} of the record cannot be played: No hand has begun"
    )


def test_stakes_at_pai_gow_are_recorded_and_replayed() -> None:
    chance = Random(11)
    rules = rules_of("pai_gow")
    parameters = PaiGow(highest_stake=100, commission=0.0)
    while True:
        setup, tiles = dealt("pai_gow", chance, players=3, parameters=parameters)
        play, actions = rules.start(setup, tiles), []
        while play.settlement is None:
            actions.append(rules.sensible(play, play.to_act[0]))
            play = play.apply(actions[-1])
        if len(play.settlement.payments) == 2:
            break
    (hand,) = evening(recorded(setup, tiles, actions), house)
    assert hand.play == play
    assert hand.play.settlement == play.settlement
    amounts = {abs(payment.amount) for payment in play.settlement.payments}
    assert amounts == set(play.stakes[1:])
    assert min(amounts) > 1
