"""Tests how seats are drawn before the first hand and between hands, also after host failures."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from controller.cli.terminal.live_view import LiveView
from controller.cli.terminal.serial_console import SerialConsole
from controller.events import Event
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.run.daemon import Daemon
from controller.run.orders import Orders
from firmware_bridge.sim.clock import VirtualLoop
from rules.games import find_game
from rules.games.da_san import Parameters as DaSan
from rules.games.da_san.adapter import QUESTION
from rules.games.da_san.setup import worth
from rules.games.wenzhou import Parameters
from rules.games.wenzhou.adapter import EAST_THROW, FIRST_THROW, WINDS_THROW
from rules.play import plain
from rules.records.record import evening as replayed_evening
from tests.controller.played_evening import Evening, spend
from tests.quick import slow_except

RESEAT = Parameters(after_fourth="reseat", dealer_scale=(2,))
"""Parameters by which seats are drawn after the first hand that the dealer wins."""
SEEDS = {"auto_deal": 6, "classic": 6}
"""For each table, a seed with which the dealer wins the first hand."""
DARK = 3.0
"""Seconds between the end of one host and the start of the next."""
BESIDE = ("state", "move", "chance_committed", "chance_revealed")
"""Events that occur beside the steps of a set-up."""
DRAWN = ("eldest", EAST_THROW, FIRST_THROW, WINDS_THROW)


@cache
def with_new_seats(table: str) -> Evening:
    """Play two hands of which the dealer wins the first, so that the seats are drawn."""
    night = spend("wenzhou", table, 2, seed=SEEDS[table], house=RESEAT)
    assert night.hands[0].settled is not None
    assert night.hands[0].settled["winner"] == 0, "the dealer has to win: choose another seed"
    return night


def drawing(emitted: list[Event]) -> list[Event]:
    """Return the events from the settlement until the walls of the next hand are raised."""
    settled = next(n for n, event in enumerate(emitted) if event["event"] == "settled")
    raised = next(
        n for n, event in enumerate(emitted) if n > settled and event["event"] == "walls_raised"
    )
    return [each for each in emitted[settled:raised] if each["event"] not in BESIDE]


@pytest.mark.slow
@pytest.mark.parametrize("table", ["auto_deal", "classic"])
def test_after_the_last_dealer_value_the_seats_are_drawn_and_the_scores_move_with_the_players(
    table: str,
) -> None:
    night = with_new_seats(table)
    settled, *emitted = drawing(night.events)
    assert settled["next_dealer"] is None, "the next dealer is not drawn yet"
    names = [event["event"] for event in emitted]
    assert names == ["step", "choice_made", *("step", "dice_thrown") * 3, "seats_drawn"]
    dice = [event["dice"] for event in emitted if event["event"] == "dice_thrown"]
    assert [len(faces) for faces in dice] == [2, 2, 4]  # type: ignore[arg-type]

    drawn = emitted[-1]
    moves, scores = drawn["moves"], settled["scores"]
    assert isinstance(moves, list) and isinstance(scores, list)
    assert sorted(moves) == [0, 1, 2, 3]
    assert night.hands[1].dealer == drawn["dealer"]
    after = night.hands[1].settled
    assert after is not None
    gains = night.hands[1].truth.settlement.balance()
    moved = dict(zip(moves, scores, strict=True))
    assert after["scores"] == [plain(moved[seat] + gains.get(seat, 0)) for seat in range(4)]


@pytest.mark.slow
def test_the_record_contains_the_drawing_so_that_a_replay_has_the_same_scores() -> None:
    night = with_new_seats("auto_deal")
    assert sum('"seats"' in line for line in night.record) == 1
    kept = list(replayed_evening(night.record, lambda game, _: RESEAT))
    assert [hand.dealer for hand in kept] == [hand.dealer for hand in night.hands]
    last = night.hands[1].settled
    assert last is not None
    assert [plain(score) for score in kept[1].match.scores] == last["scores"]


# Before the first hand


def first_drawn(game: str, table: str, dealer: int = 0, seed: int = 1) -> Evening:
    """Draw the seats or the first dealer, then play one hand."""
    rules = find_game(game)
    orders = Orders(rules, rules.parameters(), dealer, follow="play", draw_seats=True)
    return spend(game, table, 1, seed=seed, orders=orders)


@pytest.mark.parametrize("table", slow_except(["classic"], ["auto_deal", "classic"]))
def test_W2_the_seats_are_drawn_before_the_first_hand_and_east_deals(table: str) -> None:
    night = first_drawn("wenzhou", table, dealer=2)
    names = [event["event"] for event in night.events if event["event"] not in BESIDE]
    at = names.index("choice_made")
    assert names[at - 1 : at + 8] == [
        "step",
        "choice_made",
        *("step", "dice_thrown") * 3,
        "seats_drawn",
    ]
    assert names.index("walls_raised") > names.index("seats_drawn")
    (drawn,) = (event for event in night.events if event["event"] == "seats_drawn")
    assert night.hands[0].dealer == drawn["dealer"]
    (kept,) = replayed_evening(night.record, lambda game, _: Parameters())
    assert night.hands[0].settled is not None
    assert [plain(score) for score in kept.match.scores] == night.hands[0].settled["scores"]


@pytest.mark.slow
def test_W2_throws_given_for_the_hand_are_not_used_to_draw_seats() -> None:
    rules = find_game("wenzhou")
    orders = Orders(rules, Parameters(), throws=((3, 5), (2, 4)), follow="play", draw_seats=True)
    night = spend("wenzhou", "auto_deal", 1, orders=orders)
    assert night.hands[0].setup.outcomes[1:3] == ((3, 5), (2, 4))


@pytest.mark.parametrize("table", slow_except(["auto_deal"], ["robotic", "auto_deal"]))
def test_D4_the_players_cut_cards_and_the_highest_number_deals_first(table: str) -> None:
    night = first_drawn("da_san", table, dealer=1)
    cut = [event for event in night.events if event.get("what") == QUESTION and "answer" in event]
    assert [event["by"] for event in cut[:3]] == [1, 2, 0]
    cards = {event["by"]: str(event["answer"]) for event in cut}
    highest = max(cards, key=lambda seat: worth(cards[seat]))
    assert night.hands[0].dealer == highest
    (kept,) = replayed_evening(night.record, lambda game, _: DaSan())
    assert kept.dealer == highest and kept.play.settlement is not None


def test_the_live_view_shows_the_new_seats() -> None:
    event: Event = {"event": "seats_drawn", "moves": [2, 0, 1, 3], "dealer": 3}
    assert LiveView(SerialConsole(), "Wenzhou")._line(event) == (
        "new seats: 0 to 2, 1 to 0, 2 to 1, 3 to 3; seat 3 deals"
    )


# Hosts that stop during the drawing


def disturbed(folder: Path, table: str, after: float | None) -> tuple[SurvivingTable, int]:
    """Play until hand 2 can begin; kill a host `after` seconds after each event of the drawing."""
    folder.mkdir()

    async def scenario() -> tuple[SurvivingTable, int]:
        place = SurvivingTable(table, "wenzhou", SEEDS[table], play=True)
        place.orders = replace(place.orders, parameters=RESEAT)
        stopped_at: list[tuple[object, object]] = []

        def hear(daemon: Daemon, event: Event) -> None:
            what = event["event"], event.get("why", event.get("what"))
            drawn = what[1] in DRAWN or what[0] in ("choice_made", "dice_thrown", "seats_drawn")
            if after is not None and drawn and _under_way(place.events) and what not in stopped_at:
                stopped_at.append(what)
                asyncio.get_running_loop().call_later(after, place.kill)

        place.on_event = hear
        hosts, ended = 0, None
        while ended is None:
            ended = await place.run_host(folder / "table.journal", 2, until_ready=True)
            hosts += 1
            await asyncio.sleep(DARK)
        return place, hosts

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        return runner.run(scenario())


def _under_way(emitted: list[Event]) -> bool:
    """Whether a hand is settled and the walls of the next hand are not raised yet."""
    names = [event["event"] for event in emitted]
    return "settled" in names and "walls_raised" not in names[names.index("settled") :]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "after"), [("auto_deal", 0.0), ("auto_deal", 0.3), ("classic", 0.3)]
)
def test_a_host_that_stops_while_seats_are_drawn_repeats_no_throw(
    table: str, after: float, tmp_path: Path
) -> None:
    whole, _ = disturbed(tmp_path / "whole", table, None)
    broken, hosts = disturbed(tmp_path / "broken", table, after)
    assert hosts > 5
    assert "fault" not in [event["event"] for event in broken.events]
    assert set(map(str, _moves(broken))) == set(map(str, _moves(whole)))
    if whole.plant.dome and broken.plant.dome:
        assert len(broken.plant.dome.throws) == len(whole.plant.dome.throws), "no throw is repeated"
    assert broken.record == whole.record


def _moves(place: SurvivingTable) -> list[object]:
    return [event["moves"] for event in place.events if event["event"] == "seats_drawn"]
