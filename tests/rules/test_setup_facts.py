"""The JSON values of a set-up, as the command `plan` prints them."""

from __future__ import annotations

import json

import pytest

from controller.proof.conformance.dealing import throws_of
from rules.errors import IllegalOutcomeError, IllegalSetupError, MissingThrowError
from rules.games import GAMES, PLUGINS
from rules.setup import facts, settle
from rules.steps import Throw

KEYS = {"game", "players", "dealer", "tiles", "choices", "throws", "break", "setup_moves", "deal"}
KEYS |= {"indicator", "first_draw", "replacements", "left"}


def test_the_plan_of_the_worked_example() -> None:
    plan = facts(settle(GAMES["wenzhou"].setup(dealer=0), [(3, 5), (2, 4)]))
    assert plan["throws"] == [
        {"by": 0, "dice": [3, 5], "sum": 8, "why": "first throw"},
        {"by": 3, "dice": [2, 4], "sum": 6, "why": "second throw"},
    ]
    assert plan["break"] == {"wall": 3, "column": 14, "first": "w3.15u"}
    assert plan["indicator"] == {"at": "w3.8u", "turned_by": 3}
    assert plan["first_draw"] == "w1.13l"
    assert plan["replacements"] == ["w3.14u", "w3.14l", "w3.13u", "w3.13l", "w3.12u", "w3.12l"]
    assert plan["left"] == 71
    deal = plan["deal"]
    assert isinstance(deal, list)
    assert deal[0] == {"seat": 0, "from": ["w3.15u", "w3.15l", "w3.16u", "w3.16l"]}
    assert deal[-1] == {"seat": 0, "from": ["w1.13u"]}


def test_a_gap_at_the_corner_belongs_to_the_wall_that_was_counted() -> None:
    plan = facts(settle(GAMES["wenzhou"].setup(), [(2, 3), (6, 6)]))
    assert plan["break"] == {"wall": 0, "column": 17, "first": "w3.1u"}


def test_the_plan_of_a_cut_numbers_the_hands_and_lists_the_moves() -> None:
    plan = facts(settle(GAMES["pai_gow"].setup(dealer=6), [(3, 3, 4)], {"cut": "dai_pin"}))
    assert plan["pile"] == {"columns": 8, "levels": 4}
    assert plan["setup_moves"] == [{"verb": "lay", "from": ["p1.1"], "to": ["p2", "p3", "p4"]}]
    deal = plan["deal"]
    assert isinstance(deal, list)
    assert deal[0] == {"seat": 7, "from": ["p1.1", "p2.1", "p3.1", "p4.1"], "hand": 1}
    assert plan["left"] == 0


def test_moves_between_hands_are_not_part_of_the_announced_set_up() -> None:
    plan = facts(settle(GAMES["pai_gow"].setup(), [(3, 3, 4)], {"cut": "chee_yee"}))
    moves = plan["setup_moves"]
    assert isinstance(moves, list)
    assert [move["verb"] for move in moves] == ["push", "push"]


@pytest.mark.parametrize("name", GAMES)
def test_every_plan_is_json_with_the_keys_of_the_contract(name: str) -> None:
    plan = facts(settle(GAMES[name].setup(), throws_of(PLUGINS[name])))
    assert {*plan} - {"walls", "pile"} == KEYS
    assert ("walls" in plan) != ("pile" in plan)
    assert json.loads(json.dumps(plan)) == plan
    assert plan["tiles"] == len(GAMES[name].tiles)


@pytest.mark.parametrize("name", GAMES)
def test_an_unfinished_set_up_also_has_a_plan(name: str) -> None:
    plan = facts(GAMES[name].setup())
    assert plan["deal"] == plan["throws"] == plan["replacements"] == []
    assert plan["break"] is plan["indicator"] is plan["first_draw"] is None


def test_the_error_for_a_missing_throw_names_the_seat_that_throws() -> None:
    with pytest.raises(MissingThrowError) as missing:
        settle(GAMES["wenzhou"].setup(), [(3, 5)])
    assert str(missing.value) == (
        "The second throw is missing: seat 3 throws 2 dice; give the faces."
    )
    assert (missing.value.by, missing.value.dice, missing.value.times) == (3, 2, 1)


def test_the_error_for_a_missing_throw_of_one_die_twice_names_both_throws() -> None:
    with pytest.raises(MissingThrowError, match="seat 1 throws 1 die, twice over; give the faces"):
        settle(GAMES["filipino"].setup(dealer=1))


def test_a_surplus_throw_is_refused() -> None:
    with pytest.raises(IllegalSetupError) as refused:
        settle(GAMES["pai_gow"].setup(), [(1, 2, 3), (4, 5, 6)])
    assert str(refused.value) == "Pai gow takes 1 throw; leave out 4,5,6."


def test_an_answer_to_a_question_that_the_game_does_not_ask_is_refused() -> None:
    with pytest.raises(IllegalSetupError) as refused:
        settle(GAMES["block"].setup(), answers={"cut": "cup_say"})
    assert str(refused.value) == "Block does not ask for cut; leave it out."


def test_a_throw_with_the_wrong_number_of_dice_is_refused() -> None:
    with pytest.raises(
        IllegalOutcomeError, match=r"The first throw needs 2 dice faces, not 1,2,3; throw again"
    ):
        settle(GAMES["wenzhou"].setup(), [(1, 2, 3)])


def test_settle_continues_an_unfinished_set_up() -> None:
    begun = GAMES["wenzhou"].setup().apply().apply((3, 5))
    assert isinstance(begun.pending, Throw)
    assert settle(begun, [(2, 4)]) == settle(GAMES["wenzhou"].setup(), [(3, 5), (2, 4)])
