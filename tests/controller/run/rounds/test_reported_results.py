"""Stories of hands that nobody follows: people report who has won, and that decides who deals."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import filterfalse
from typing import Any

import pytest

from config.validation.game_parameters import parameters_of
from controller.events import Event
from controller.run.daemon import Daemon
from controller.run.orders import Orders
from controller.run.rounds.hand_results import ResultRefusedError
from rules.errors import RulesError
from rules.games import find_game
from rules.records.record import NEVER_CORRECTED, evening, is_result, result_line
from tests.controller.played_evening import spend

DA_SAN = find_game("da_san")
ORDERS = Orders(DA_SAN, DA_SAN.parameters(), 1, follow="result")
Reporter = Callable[[Daemon, int], object]


def reported_evening(
    reports: dict[int, dict[str, Any]],
    hands: int = 3,
    *,
    orders: Orders = ORDERS,
    late: float = 5.0,
    hook: Callable[[Event, Daemon], None] | None = None,
) -> Any:
    """Spend hands with these reports alone, each `late` seconds after the end of its hand."""
    tasks: set[asyncio.Task[None]] = set()

    async def report(daemon: Daemon, hand: int) -> None:
        await asyncio.sleep(late)
        await daemon.results.report(reports[hand], "Mei")

    def hear(event: Event, daemon: Daemon) -> None:
        if hook is not None:
            hook(event, daemon)
        if event["event"] == "result_asked":
            hand = int(str(event["hand"])) - 1
            if hand in reports:
                tasks.add(asyncio.ensure_future(report(daemon, hand)))

    return spend(orders.game.name, "robotic", hands, orders=orders, play=False, on_event=hear)


@pytest.fixture(autouse=True)
def nobody_reports_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated people say nothing by themselves."""

    async def say_nothing(self: object, hand: object) -> None:
        return None

    monkeypatch.setattr(
        "firmware_bridge.sim.people.simulated_guide.SimulatedGuide.report", say_nothing
    )


def dealers(spent: Any) -> list[int]:
    return [event["dealer"] for event in spent.events if event["event"] == "ready"]


def events(spent: Any, name: str) -> list[Any]:
    return [event for event in spent.events if event["event"] == name]


def test_the_seat_that_went_out_deals_the_next_hand() -> None:
    spent = reported_evening({0: {"winner": 2}, 1: {"winner": 0}})
    assert dealers(spent) == [1, 2, 0]
    assert [event["next_dealer"] for event in events(spent, "result_reported")] == [2, 0]


def test_a_result_with_its_bid_counts_the_chips_and_the_record_replays_them() -> None:
    bid = {"winner": 2, "bidder": 2, "bid": 3}
    spent = reported_evening({0: {"winner": 0}, 1: bid})
    uncounted, counted = events(spent, "result_reported")
    assert (uncounted["counted"], uncounted["scores"]) == (False, [25, 25, 25])
    assert (counted["counted"], counted["scores"]) == (True, [22, 22, 31])
    hands = list(evening(spent.record, parameters_of))
    assert [hand.dealer for hand in hands] == [1, 0, 2]
    assert hands[-1].match.scores == (22, 22, 31)
    assert hands[1].play.settlement.winner == 2


def test_the_table_takes_the_tiles_in_and_builds_while_nobody_has_said_who_won() -> None:
    quick = reported_evening({0: {"winner": 2}, 1: {"winner": 0}}, late=0.0)
    slow = reported_evening({0: {"winner": 2}, 1: {"winner": 0}}, late=8.0)
    ready = [[event["t"] for event in events(each, "ready")] for each in (quick, slow)]
    assert ready[0] == pytest.approx(ready[1], abs=1e-6)


def test_the_table_asks_again_and_then_the_dealer_stays() -> None:
    spent = reported_evening({1: {"winner": 0}})
    assert dealers(spent) == [1, 1, 0]
    assert [event["hand"] for event in events(spent, "result_overdue")] == ["1", "3"]


def test_a_house_that_waits_deals_only_after_the_report() -> None:
    orders = Orders(DA_SAN, DA_SAN.parameters(), 1, follow="result", waits_for_result=True)
    reports = {0: {"winner": 2}, 1: {"winner": 0}, 2: {"winner": 1}}
    spent = reported_evening(reports, orders=orders, late=1_000.0)
    assert dealers(spent) == [1, 2, 0]
    assert len(events(spent, "result_overdue")) == 3


def test_the_last_of_several_reports_of_a_hand_counts() -> None:
    reports: list[Any] = []

    def hook(event: Event, daemon: Daemon) -> None:
        if event["event"] == "result_reported" and event["hand"] == "1" and not reports:
            report = daemon.results.report({"winner": 0}, "Bo")
            reports.append(asyncio.ensure_future(report))

    spent = reported_evening({0: {"winner": 2}, 1: {"winner": 1}}, hook=hook)
    assert dealers(spent) == [1, 0, 1]
    assert [event["by"] for event in events(spent, "result_reported")] == ["Mei", "Bo", "Mei"]


def test_a_correction_after_the_next_deal_changes_the_scores_but_not_who_deals() -> None:
    first = {"winner": 2, "bidder": 2, "bid": 1}
    corrections: list[Any] = []

    def hook(event: Event, daemon: Daemon) -> None:
        if event["event"] == "result_asked" and event["hand"] == "2":
            right = {"winner": 0, "bidder": 0, "bid": 2}
            corrections.append(asyncio.ensure_future(daemon.results.report(right, "Bo", "1")))

    second = {"winner": 1, "bidder": 1, "bid": 3}
    spent = reported_evening({0: first, 1: second}, hook=hook)
    assert dealers(spent) == [1, 2, 1]
    corrected, last = events(spent, "result_reported")[-2:]
    assert (corrected["hand"], corrected["dealt_as"]) == ("1", first)
    assert corrected["scores"] == [29, 23, 23]
    assert last["scores"] == [29 - 3, 23 + 6, 23 - 3]


def test_a_result_that_cannot_be_and_a_report_without_a_hand_are_refused() -> None:
    refused: list[str] = []

    async def try_all(daemon: Daemon, given: object, hand: str | None) -> None:
        try:
            await daemon.results.report(given, "Mei", hand)
        except (RulesError, ResultRefusedError) as error:
            refused.append(str(error))

    tasks: list[Any] = []

    def hook(event: Event, daemon: Daemon) -> None:
        if event["event"] == "ready" and event["dealer"] == 1 and not tasks:
            tasks.append(asyncio.ensure_future(try_all(daemon, {"winner": 1}, None)))
            tasks.append(asyncio.ensure_future(try_all(daemon, {"winner": 1}, "7")))
        if event["event"] == "result_asked" and event["hand"] == "1":
            tasks.append(asyncio.ensure_future(try_all(daemon, {"winner": 3}, None)))
            tasks.append(asyncio.ensure_future(try_all(daemon, {"winner": 1, "bid": 2}, None)))

    reported_evening({0: {"winner": 2}}, hands=2, hook=hook)
    assert refused == [
        "No hand waits for its result now. Name the hand, to correct an earlier one.",
        "Hand 7 has not been played since the table started; its result stays as it is.",
        "winner: 3 is not a seat; seats are 0 to 2.",
        "bidder: The result does not say the seat that took the kitty; add it.",
    ]


def book_of(spent: Any) -> list[str]:
    """The lines of the record with the last report of each hand, as a session keeps them."""
    last = {event["hand"]: event for event in events(spent, "result_reported")}
    lines = list[str]()
    for hand, line in enumerate(filterfalse(is_result, spent.record), 1):
        lines.append(line)
        if (report := last.get(str(hand))) is not None:
            dealt_as = report.get("dealt_as", NEVER_CORRECTED)
            lines.append(result_line(report["result"], dealt_as))
    return lines


def correcting(corrections: dict[str, list[tuple[str, dict[str, Any]]]]) -> Any:
    """A hook that corrects hands, by their names, when a hand is asked for."""
    tasks: list[Any] = []

    async def correct(daemon: Daemon, hand: str) -> None:
        for earlier, result in corrections[hand]:
            await daemon.results.report(result, "Bo", earlier, "a slip")

    def hook(event: Event, daemon: Daemon) -> None:
        if event["event"] == "result_asked" and event["hand"] in corrections:
            tasks.append(asyncio.ensure_future(correct(daemon, str(event["hand"]))))

    return hook


def bid(winner: int, number: int) -> dict[str, Any]:
    return {"winner": winner, "bidder": winner, "bid": number}


SHORT = Orders(DA_SAN, DA_SAN.parameters(start_chips=6, chips_out="end"), 1, follow="result")
"""A house in which a match ends when a player has no chips left, after one or two hands."""
CORRECTIONS: dict[str, dict[str, list[tuple[str, dict[str, Any]]]]] = {
    "none": {},
    "the match had ended earlier": {"2": [("1", bid(0, 3))]},
    "the match had not ended": {"3": [("1", bid(0, 1))], "4": [("2", bid(2, 1)), ("3", bid(0, 1))]},
}


@pytest.mark.parametrize("corrections", CORRECTIONS.values(), ids=CORRECTIONS)
def test_a_new_match_begins_with_new_scores_and_so_does_its_record(corrections: Any) -> None:
    reports = {0: bid(0, 3), 1: bid(0, 3), 2: bid(1, 1), 3: bid(2, 2)}
    hook = correcting(corrections)
    spent = reported_evening(reports, 4, orders=SHORT, hook=hook)
    third = next(event for event in events(spent, "result_reported") if event["hand"] == "3")
    assert third["scores"] == [5, 8, 5]
    hands = list(evening(book_of(spent), parameters_of))
    assert hands[-1].match == spent.daemon.match
    assert [hand.dealer for hand in hands] == dealers(spent) == [1, 0, 0, 1]
    scores = {event["hand"]: event["scores"] for event in events(spent, "result_reported")}
    assert [list(hand.match.scores) for hand in hands] == list(scores.values())


def test_a_hand_corrected_twice_keeps_the_result_by_which_the_next_one_was_dealt() -> None:
    hook = correcting({"2": [("1", bid(0, 1))], "3": [("1", bid(1, 2))]})
    spent = reported_evening({0: bid(2, 1), 1: bid(1, 1), 2: bid(0, 1)}, 3, hook=hook)
    first = [event for event in events(spent, "result_reported") if event["hand"] == "1"]
    assert [event.get("dealt_as") for event in first] == [None, bid(2, 1), bid(2, 1)]
    hands = list(evening(book_of(spent), parameters_of))
    assert hands[-1].match == spent.daemon.match
    assert [hand.dealer for hand in hands] == dealers(spent) == [1, 2, 1]


def test_a_cube_of_a_game_that_a_correction_makes_the_crawford_game_stays_in_the_record() -> None:
    backgammon = find_game("backgammon")
    house = backgammon.parameters(match_points=5, doubling_cube=True)
    orders = Orders(backgammon, house, follow="result")
    single = {"win": "single", "cube": 2}
    reports = {0: {"winner": 0, **single}, 1: {"winner": 1, **single}, 2: {"winner": 1, **single}}
    hook = correcting({"3": [("1", {"winner": 0, "win": "gammon", "cube": 2})]})
    spent = reported_evening(reports, 3, orders=orders, hook=hook)
    assert events(spent, "result_reported")[-1]["scores"] == [4, 4]
    hands = list(evening(book_of(spent), parameters_of))
    assert hands[-1].match == spent.daemon.match


def test_scores_keep_the_corrections_of_hands_that_are_too_old_to_be_corrected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("controller.run.rounds.hand_results.MOST_HANDS", 2)
    hook = correcting({"3": [("2", bid(0, 2))]})
    reports = {0: bid(2, 1), 1: bid(1, 1), 2: bid(0, 1), 3: bid(1, 3)}
    spent = reported_evening(reports, 4, orders=ORDERS, hook=hook)
    assert spent.daemon.match.scores == (24 + 3, 24 - 3 + 6, 27 - 3 - 3)
    assert list(evening(book_of(spent), parameters_of))[-1].match == spent.daemon.match
