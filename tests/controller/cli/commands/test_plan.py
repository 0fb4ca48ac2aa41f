"""`wallwright plan`: the JSON of a whole set-up, whose format other programs depend on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.proof.conformance.dealing import throws_of
from rules.games import GAMES, PLUGINS
from tests.controller.cli.conftest import Wallwright, hands_of
from tests.rules.pai_gow.test_cut_tables import TABLES

WENZHOU = "--throw 3,5 --throw 2,4"
KEYS = [
    "game", "table", "players", "dealer", "tiles", "choices", "throws", "break", "setup_moves",
    "deal", "indicator", "first_draw", "replacements", "left",
]  # fmt: skip


def throws(game: str) -> str:
    """Options with the throws that a game's set-up needs."""
    thrown = (",".join(map(str, dice)) for dice in throws_of(PLUGINS[game]))
    return " ".join(f"--throw {dice}" for dice in thrown)


@pytest.mark.parametrize("game", GAMES)
def test_the_plan_of_every_game_has_the_documented_keys(game: str, wallwright: Wallwright) -> None:
    plan = wallwright(f"plan {game} {throws(game)} --json").json
    assert [key for key in plan if key not in ("walls", "pile")] == KEYS
    assert ("walls" in plan) != ("pile" in plan)
    for wall in plan.get("walls", ()):
        assert list(wall) == ["owner", "columns", "levels"]
    if "pile" in plan:
        assert list(plan["pile"]) == ["columns", "levels"]
    assert (plan["game"], plan["table"], plan["dealer"]) == (game, None, 0)
    assert plan["tiles"] == len(GAMES[game].tiles)
    for throw in plan["throws"]:
        assert list(throw) == ["by", "dice", "sum", "why"]
        assert throw["sum"] == sum(throw["dice"])
    for packet in plan["deal"]:
        assert list(packet) == ["seat", "from"] + ["hand"] * (game == "pai_gow")
    dealt = [place for packet in plan["deal"] for place in packet["from"]]
    assert len(dealt) == len(set(dealt)) == plan["tiles"] - plan["left"]
    assert len(plan["replacements"]) <= 6


@pytest.mark.parametrize("game", GAMES)
def test_with_a_table_the_plan_contains_its_moves_and_their_seconds(
    game: str, wallwright: Wallwright
) -> None:
    plan = wallwright(f"plan {game} {throws(game)} --table robotic --json").json
    assert [key for key in plan if key not in ("walls", "pile")] == [*KEYS, "moves", "seconds"]
    assert plan["table"] == "robotic"
    assert all({"move", "seconds"} <= set(move) for move in plan["moves"])
    assert all(move["seconds"] > 0 for move in plan["moves"] if move["move"] != "prompt")
    assert 0 < plan["seconds"] <= 3 + sum(move["seconds"] for move in plan["moves"])


@pytest.mark.parametrize("table", ["auto_deal", "classic", "single_port", "bench"])
def test_the_plan_for_a_table_without_a_gantry_has_no_carry_moves(
    table: str, wallwright: Wallwright
) -> None:
    plan = wallwright(f"plan wenzhou {WENZHOU} --table {table} --json").json
    assert not [move for move in plan["moves"] if move["move"] == "carry"]
    assert plan["moves"]


def test_the_worked_example_of_wenzhou(wallwright: Wallwright) -> None:
    plan = wallwright("plan wenzhou --dealer 0 --throw 3,5 --throw 2,4 --json").json
    assert plan["walls"] == [{"owner": seat, "columns": 17, "levels": 2} for seat in range(4)]
    assert plan["indicator"] == {"at": "w3.8u", "turned_by": 3}
    assert plan["deal"][0] == {"seat": 0, "from": ["w3.15u", "w3.15l", "w3.16u", "w3.16l"]}
    assert plan["deal"][-1] == {"seat": 0, "from": ["w1.13u"]}
    assert plan["first_draw"] == "w1.13l"
    assert plan["replacements"] == ["w3.14u", "w3.14l", "w3.13u", "w3.13l", "w3.12u", "w3.12l"]
    assert plan["left"] == 71
    assert {seat: len(hand) for seat, hand in hands_of(plan).items()} == {
        0: 17,
        1: 16,
        2: 16,
        3: 16,
    }


def test_the_worked_example_of_filipino_mahjong(wallwright: Wallwright) -> None:
    """Roller 0 throws 3 and 4: seat 2 is mano, opens seat 3's wall from its right end (F8-F14)."""
    plan = wallwright("plan filipino --throw 3,4 --throw 2,3 --wall 3 --json").json
    assert [throw["by"] for throw in plan["throws"]] == [0, 2]
    assert plan["break"] == {"wall": 3, "column": 7, "first": "w3.8u"}
    packets = [(packet["seat"], len(packet["from"])) for packet in plan["deal"]]
    assert packets == [(2, 9), (3, 8), (0, 8), (1, 8), (2, 8), (3, 8), (0, 8), (1, 8)]
    first, second = plan["deal"][:2]
    assert (first["from"][0], first["from"][-1]) == ("w3.8u", "w3.12u")
    assert second["from"][0] == "w3.12l"
    assert plan["replacements"][:3] == ["w3.7u", "w3.7l", "w3.6u"]
    assert plan["indicator"] == {"at": "w3.3u", "turned_by": 2}
    assert plan["left"] == 79


def test_a_wall_can_be_opened_from_its_left_end(wallwright: Wallwright) -> None:
    plan = wallwright("plan filipino --throw 3,4 --throw 2,3 --wall 3 --end left --json").json
    assert plan["break"]["first"] == "w3.11u"


@pytest.mark.parametrize("choice", TABLES)
def test_every_cut_deals_the_hands_of_the_rules(choice: str, wallwright: Wallwright) -> None:
    cut, *options = choice.split("+")
    flags = " ".join(f"--{option}" for option in options)
    plan = wallwright(f"plan pai_gow --cut {cut} {flags} --throw 3,3,4 --json").json
    hands = [[f"p{place}" for place in row.split()] for row in TABLES[choice].strip().splitlines()]
    assert [packet["from"] for packet in plan["deal"]] == hands
    assert [packet["hand"] for packet in plan["deal"]] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert [packet["seat"] for packet in plan["deal"]] == [1, 2, 3, 4, 5, 6, 7, 0]
    assert plan["setup_moves"]
    assert all(list(move) == ["verb", "from", "to"] for move in plan["setup_moves"])
    assert (plan["pile"], plan["left"]) == ({"columns": 8, "levels": 4}, 0)
    assert plan["choices"] == [{"by": 0, "what": "cut", "answer": choice}]
    # As a record of a hand writes it.
    assert wallwright(f"plan pai_gow --cut {choice} --throw 3,3,4 --json").json == plan


def test_an_option_that_no_cut_has_is_refused(wallwright: Wallwright) -> None:
    refused = wallwright("plan pai_gow --cut cup_say+up --throw 3,3,4")
    assert refused.code == 2
    assert "There is no option of a cut 'up'" in refused.err


def test_the_left_neighbours_cut_of_the_cards(wallwright: Wallwright) -> None:
    plan = wallwright("plan da_san --cut 9 --json").json
    assert plan["break"] == {"after": 9, "first": "k10"}
    assert plan["deal"][0] == {"seat": 0, "from": ["k10"]}
    assert plan["left"] == 4


def test_fewer_players_get_the_hands_of_fewer_players(wallwright: Wallwright) -> None:
    two, four = (wallwright(f"plan block --players {count} --json").json for count in (2, 4))
    assert [len(hand) for hand in hands_of(two).values()] == [7, 7]
    assert [len(hand) for hand in hands_of(four).values()] == [5, 5, 5, 5]


def test_a_cut_that_is_defined_in_the_games_file_can_be_chosen_by_name(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    columns = [[f"p{column}.{level}" for level in (4, 3, 2, 1)] for column in range(1, 9)]
    house = tmp_path / "pai_gow.yaml"
    house.write_text(
        "game: pai_gow\n"
        "tile: {length_mm: 52, width_mm: 25, height_mm: 12}\n"
        "play: 90\n"
        "parameters:\n"
        f"  user_cuts: [{{name: upside_down, hands: {json.dumps(columns)}}}]\n"
    )
    plan = wallwright(f"plan {house} --cut upside_down --throw 3,3,3 --json").json
    assert [packet["from"] for packet in plan["deal"]] == columns


def test_without_json_the_plan_is_printed_for_people(wallwright: Wallwright) -> None:
    result = wallwright("plan wenzhou --throw 3,5 --throw 2,4 --table robotic")
    assert result.code == 0
    for text in (
        "seat 0 throws first",
        "first throw   seat 0: 3 5 = 8",
        "break         first tile w3.15u",
        "indicator     w3.8u, turned up by seat 3",
        "left          71",
    ):
        assert text in result.out


def test_FM_02_the_roller_says_plus_n_instead_of_a_second_throw(wallwright: Wallwright) -> None:
    rest = "--throw 4 --plus 3 --wall 3 --throw 2,3"
    plan = wallwright(f"plan filipino {rest} --json").json
    twice = wallwright("plan filipino --throw 4,3 --wall 3 --throw 2,3 --json").json
    assert {"by": 0, "what": "plus n", "answer": 3} in plan["choices"]
    assert [each["dice"] for each in plan["throws"]] == [[4], [2, 3]]
    assert (plan["break"], plan["deal"]) == (twice["break"], twice["deal"])
    refused = wallwright(f"plan filipino {rest.replace('--plus 3', '--plus 7')}")
    assert refused.code == 2 and "`--plus` must be 1 to 6 in this house; got 7" in refused.err
    other = wallwright(f"plan wenzhou {WENZHOU} --plus 3")
    assert other.code == 2 and "has no 'plus n'; leave out --plus" in other.err
