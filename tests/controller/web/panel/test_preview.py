"""Tests the previews of deals that people see before they choose."""

from __future__ import annotations

import pytest

from config.loader import load_game, load_table
from controller.run.planning.planner import preview
from controller.service.status import GameChoice
from controller.web.panel.preview import preview_deal
from rules.errors import RulesError
from rules.games import GAMES
from rules.setup import settle


def test_the_preview_of_a_cut_shows_the_hands_that_the_table_deals() -> None:
    table, config = load_table("pai_gow"), load_game("pai_gow")
    choice = GameChoice(game="pai_gow", answers={"cut": "chee_yee"})
    shown = preview_deal(table, config, choice, [(2, 3, 4)])
    end = settle(GAMES["pai_gow"].setup(), [(2, 3, 4)], {"cut": "chee_yee"})
    assert {hand.seat: hand.places for hand in shown.hands} == {
        seat: tuple(map(str, places)) for seat, places in end.hands.items()
    }
    assert next(hand.number for hand in shown.hands if hand.seat == 0) == 1
    assert shown.assumed == ()
    planned = preview(end, table, config.tile, None)
    moves = [event for event in shown.events if event["event"] == "move"]
    facts = [move.facts() for move in planned.moves]
    assert [
        {key: value for key, value in move.items() if key in facts[n]}
        for n, move in enumerate(moves)
    ] == facts
    carried = sum(
        seconds
        for move, seconds in zip(planned.moves, planned.seconds_each, strict=True)
        if move.facts()["move"] != "prompt"
    )
    people = sum(move.facts()["move"] == "prompt" for move in planned.moves)
    assert shown.seconds == pytest.approx(carried + 1.5 * people, abs=0.1)


def test_another_cut_deals_other_tiles() -> None:
    table, config = load_table("pai_gow"), load_game("pai_gow")
    hands = {
        cut: preview_deal(
            table, config, GameChoice(game="pai_gow", answers={"cut": cut}), [(2, 3, 4)]
        ).hands
        for cut in ("one_stack", "cup_say", "dragon_head+reverse")
    }
    assert len(set(hands.values())) == 3


def test_the_preview_of_a_wall_and_an_end_opens_that_wall() -> None:
    table, config = load_table("robotic"), load_game("filipino")
    for answer in ("3 left", "1 right"):
        choice = GameChoice(game="filipino", answers={"wall": answer})
        shown = preview_deal(table, config, choice, [(4, 3)])
        chosen = [event for event in shown.events if event["event"] == "choice_made"]
        assert chosen[0]["answer"] == answer
        assert shown.setup["break"]


def test_missing_throws_are_made_up_and_named() -> None:
    shown = preview_deal(load_table("robotic"), load_game("wenzhou"), GameChoice(game="wenzhou"))
    assert len(shown.throws) == 2
    assert shown.assumed == shown.throws
    given = preview_deal(
        load_table("robotic"), load_game("wenzhou"), GameChoice(game="wenzhou"), [(3, 5)]
    )
    assert given.throws[0] == (3, 5)
    assert len(given.assumed) == 1


def test_the_events_of_a_preview_are_in_the_order_of_time() -> None:
    shown = preview_deal(load_table("auto_deal"), load_game("wenzhou"), GameChoice(game="wenzhou"))
    times = [event["t"] for event in shown.events]
    assert times == sorted(times, key=lambda time: float(str(time)))
    assert shown.events[0]["event"] == "walls_raised"
    assert shown.events[-1]["event"] == "ready"
    delivered = [event for event in shown.events if event["event"] == "delivered"]
    assert sum(len(list(map(str, event["from"]))) for event in delivered) == 65  # type: ignore[call-overload]


def test_a_cut_that_the_game_does_not_have_is_refused_with_a_sentence() -> None:
    choice = GameChoice(game="pai_gow", answers={"cut": "zigzag"})
    with pytest.raises(RulesError, match="zigzag"):
        preview_deal(load_table("pai_gow"), load_game("pai_gow"), choice)
