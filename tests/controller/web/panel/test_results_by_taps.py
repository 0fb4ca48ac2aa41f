"""The result of a hand by taps: on the real service, and other games' forms on a served page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from controller.service.port import CommandReply
from controller.service.status import HandResult, ResultQuestion, SeatStatus, Status
from controller.service.user_roles import UserRole
from rules.games import GAMES, find_game, results_of, rules_of
from tests.controller.web.panel.browser import keep
from tests.controller.web.panel.conftest import OpenPage
from tests.controller.web.panel.evening import NAMES, SESSION, session
from tests.controller.web.panel.real_table import RealTable, real_table
from tests.controller.web.panel.served_panel import RunningPanel
from tests.controller.web.panel.test_accessibility import AXE, defects
from tests.controller.web.panel.test_catalogues import catalogues
from tests.rules.finished_hands import followed_hands

pytestmark = pytest.mark.slow

WINDOW = (390, 844)
COUNT_TAPS = "() => { window.taps = 0; window.onclick = () => (window.taps += 1); }"


@pytest.fixture(scope="module")
def real() -> Iterator[RealTable]:
    """A table whose people say who has won."""
    with real_table(pace=10) as table:
        yield table


def is_played(status: Status) -> bool:
    """Whether a hand is played, and the next set is ready or was never taken in."""
    machine = status.machine
    return machine.top == "playing" and machine.under in ("idle", "staged")


def until_question(table: RealTable, page: Page, hand: int) -> None:
    """Play until a hand is over: in the first one, the first press takes the second set in."""
    while (question := table.status.question) is None or question.hand != hand:
        table.until(lambda s: is_played(s) or s.question is not None)
        if table.status.question is None:
            page.evaluate(COUNT_TAPS)
            page.get_by_role("button", name="Take the tiles in").click()
            page.wait_for_timeout(100)


def dealers(table: RealTable) -> list[int]:
    """The seats that are the dealer now."""
    assert table.status.session is not None
    return [seat.seat for seat in table.status.session.seats if seat.dealer]


def test_two_hands_by_taps_move_the_dealer_and_the_points_count_the_second(
    browser: Browser, real: RealTable
) -> None:
    choice = {"game": "da_san", "dealer": 1, "answers": {"cut": 20}, "waits_for_result": True}
    names = {"0": "Ana", "1": "Ben", "2": "Chen"}
    assert real.give("start_session", choice=choice, names=names).state == "done"
    page = real.open(browser, UserRole.PLAYER, "player", WINDOW)
    card = page.locator(".result-card")

    until_question(real, page, 1)
    assert dealers(real) == [1]
    card.get_by_role("button", name="Chen").click()
    expect(card.get_by_text("Chen wins")).to_be_visible()
    expect(card.get_by_text("not counted")).to_be_visible()
    assert page.evaluate("taps") == 2
    keep(page, "result-reported")
    real.until(lambda s: is_played(s) and s.question is None)
    assert dealers(real) == [2]
    expect(card).to_have_count(0)

    until_question(real, page, 2)
    card.get_by_text("Points", exact=True).click()
    card.get_by_role("button", name="Ana").click()
    card.get_by_role("group", name="Bidder").get_by_role("radio", name="Chen").check()
    card.get_by_role("group", name="Bid", exact=True).get_by_role("radio", name="2").check()
    card.get_by_role("button", name="Report the result").click()
    real.until(lambda s: is_played(s) and s.question is None)
    page.get_by_role("tab", name="Scores").click()
    hands = page.locator(".results > li")
    expect(hands.locator(".sentence")).to_contain_text(
        ["Ana wins: bidder beaten, times 2.", "Chen wins"]
    )
    expect(hands.locator(".over")).to_have_text(
        ["Hand 2 · Reported by player", "Hand 1 · Reported by player · not counted"]
    )
    played = real.status.session
    assert played is not None
    assert [seat.score for seat in played.seats] == [2, 2, -4]


def question_of(game: str, players: int, **values: Any) -> ResultQuestion:
    """The question for a result of a hand of a game in its usual house; seat 0 is the dealer."""
    match = rules_of(game).match(find_game(game).parameters(), players, 0)
    form = results_of(game).form(match, None)
    seats = tuple(SeatStatus(seat=seat, name=NAMES[seat]) for seat in range(form.seats))
    return ResultQuestion(session=SESSION.id, hand=3, form=form.facts(), seats=seats, **values)


@pytest.mark.parametrize(("size", "theme"), [(WINDOW, "dark"), ((1280, 860), "light")])
def test_each_player_against_the_bank_has_a_row_and_the_last_tap_reports(
    table: RunningPanel, open_page: OpenPage, size: tuple[int, int], theme: str
) -> None:
    page = open_page("player", role="player", size=size, theme=theme)
    table.change(**session(question=question_of("pai_gow", 4)))
    card = page.locator(".result-card")
    rows = card.locator(".seat-row")
    expect(rows).to_have_count(3)
    assert [row.split("\n")[0] for row in rows.all_inner_texts()] == list(NAMES[1:])
    page.evaluate(AXE)
    assert defects(page) == []
    keep(page, f"result-rows-{theme}")
    for seat, fared in ((1, "Win"), (2, "Lose"), (3, "Push")):
        card.get_by_role("group", name=NAMES[seat]).get_by_role("button", name=fared).click()
    assert table.commands() == [
        ("report_result", {"result": {"results": [None, "win", "lose", "push"]}})
    ]


def test_the_source_of_the_tile_and_its_seat_are_one_tap_and_a_refusal_stands_beside_it(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("player", role="player", size=WINDOW)
    refusal = CommandReply(id="", state="refused", sentence="discarder: Not this one.")
    table.service.refusals["report_result"] = refusal
    table.change(**session(question=question_of("wenzhou", 4)))
    card = page.locator(".result-card")
    card.get_by_role("button", name="Ren").click()
    discard = card.get_by_role("group", name="Discard", exact=True)
    expect(discard.get_by_role("button")).to_contain_text(["Mei", "Ligaya", "Jo"])
    discard.get_by_role("button", name="Jo").click()
    expect(card.get_by_role("alert")).to_contain_text("Not this one.")
    table.service.refusals.clear()
    discard.get_by_role("button", name="Mei").click()
    card.get_by_role("button", name="Change").click()
    expect(card.get_by_text("Who won?")).to_be_visible()
    given = [arguments["result"] for _, arguments in table.commands(2)]
    assert given == [{"winner": 1, "by": "discard", "discarder": seat} for seat in (3, 0)]


def test_a_hand_that_nobody_won_and_the_points_of_a_hand(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("player", role="player", size=WINDOW, theme="dark")
    table.change(**session(question=question_of("wenzhou", 4)))
    card = page.locator(".result-card")
    card.get_by_role("button", name="Nobody won").click()
    card.get_by_role("button", name="Yes").click()
    expect(card.get_by_role("button", name="Change")).to_be_visible()
    table.change(question=question_of("filipino", 4).model_copy(update={"hand": 4}))
    card.get_by_role("button", name="Ligaya").click()
    card.get_by_text("Points", exact=True).click()
    card.get_by_role("button", name="Own draw").click()
    card.get_by_label("No flores").check()
    kongs = card.get_by_role("group", name="Kongs")
    kongs.get_by_role("button", name="More: Jo").click()
    card.get_by_role("group", name="False wins").get_by_role("button", name="More: Mei").click()
    page.evaluate(AXE)
    assert defects(page) == []
    card.get_by_role("button", name="Report the result").click()
    drawn, counted = [arguments["result"] for _, arguments in table.commands(2)]
    assert drawn == {"kong": True}
    assert counted == {
        "winner": 2,
        "by": "self",
        "no_flores": True,
        "flores_at_start": [0, 0, 0, 0],
        "kongs": [0, 0, 0, 1],
        "false_wins": [0],
    }


def test_every_word_of_every_form_is_in_the_catalogue() -> None:
    english = catalogues()["en"]
    missing = set()
    for game in GAMES:
        for hand in followed_hands(game, 40):
            for field in results_of(game).form(hand.match, hand.setup).fields:
                if field.depth == "tiles":
                    continue
                words = {f"result.field.{field.name}"}
                words |= {f"result.choice.{choice}" for choice in field.choices}
                missing |= words - english.keys()
    assert missing == set()


def test_the_scores_say_who_reported_and_which_hands_nobody_did(
    table: RunningPanel, open_page: OpenPage
) -> None:
    reported = HandResult(
        number=1, game="wenzhou", sentence="won", winner=0, result={"winner": 0}, by="Mei"
    )
    results = (
        reported,
        reported.model_copy(update={"number": 2, "counted": False}),
        HandResult(number=3, game="wenzhou", sentence="The round is over."),
    )
    page = open_page("player", role="player")
    changed = {"follow": "result", "results": results}
    table.change(**session(session=SESSION.model_copy(update=changed)))
    page.get_by_role("tab", name="Scores").click()
    assert page.locator(".results .over").all_inner_texts() == [
        "Hand 3 · not reported",
        "Hand 2 · Reported by Mei · not counted",
        "Hand 1 · Reported by Mei",
    ]


def test_a_dealer_corrects_an_earlier_hand_with_a_reason_and_a_player_cannot(
    table: RunningPanel, open_page: OpenPage
) -> None:
    results = tuple(
        HandResult(
            number=n, game="wenzhou", sentence="won", winner=0, result={"winner": 0}, by="Mei"
        )
        for n in (1, 2)
    )
    table.service.questions = {(SESSION.id, 2): question_of("da_san", 3)}
    changed = {"follow": "result", "results": results}
    table.change(**session(session=SESSION.model_copy(update=changed)))
    player = open_page("player", role="player")
    player.get_by_role("tab", name="Scores").click()
    expect(player.get_by_role("button", name="Receipt: hand 2")).to_be_visible()
    expect(player.get_by_role("button", name="Correct: hand 2")).to_have_count(0)
    page = open_page("dealer", role="dealer", size=WINDOW)
    page.get_by_role("tab", name="Scores").click()
    page.get_by_role("button", name="Correct: hand 1").click()
    refusal = "Hand 1 of session s-17 has not been played since the table started."
    expect(page.get_by_text(refusal)).to_be_visible()
    page.get_by_role("button", name="Correct: hand 2").click()
    card = page.locator(".result-card")
    card.get_by_role("button", name="Ligaya").click()
    card.get_by_label("Reason for the correction").fill("Ligaya was first")
    page.evaluate(AXE)
    assert defects(page) == []
    keep(page, "result-correction")
    card.get_by_role("button", name="Report the result").click()
    expect(card).to_have_count(0)
    given = {"result": {"winner": 2}, "hand": 3, "reason": "Ligaya was first"}
    assert table.commands() == [("report_result", given)]


def test_a_choice_says_what_the_table_knows_of_a_hand(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("player", role="player", size=WINDOW)
    page.get_by_role("radio", name="Wenzhou mahjong").check()
    known = page.get_by_role("group", name="What the table knows of a hand")
    expect(known.get_by_role("radio", name="The result")).to_be_checked()
    page.get_by_label("Wait for the result").check()
    page.get_by_role("button", name="Start").click()
    known.get_by_role("radio", name="Nothing").check()
    expect(page.get_by_label("Wait for the result")).to_have_count(0)
    page.get_by_role("button", name="Start").click()
    choices: list[Any] = [arguments["choice"] for _, arguments in table.commands(2)]
    assert choices[0]["waits_for_result"] is True
    assert choices[1]["follow"] == "none"
