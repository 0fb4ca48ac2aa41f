"""A tap on a hand in the results opens the judge with the hand's case."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from config.judge_cases import load_case
from controller.service.port import HandRecord, SessionSummary
from controller.service.status import GameChoice, HandResult, Programme
from rules.games import judging_of
from tests.controller.web.api.test_recorded_cases import played
from tests.controller.web.panel.conftest import OpenPage
from tests.controller.web.panel.evening import NAMES, SESSION, session
from tests.controller.web.panel.served_panel import RunningPanel

pytestmark = pytest.mark.slow


def with_hands(table: RunningPanel, game: str, *lines: list[str]) -> None:
    """A session whose hands have these records; the status has the last two of them."""
    results = tuple(
        HandResult(number=number, game=game, sentence=f"Hand {number} is over.")
        for number in range(1, len(lines) + 1)
    )
    table.service.hands[:] = results
    table.service.past[:] = [SessionSummary("s-17", "", "", game, "", 3, NAMES, (0.0,) * 4)]
    table.service.records.update(
        {
            ("s-17", number): HandRecord("s-17", number, tuple(each), ())
            for number, each in enumerate(lines, 1)
        }
    )
    shown = SESSION.model_copy(update={"game": game, "results": results[-2:], "rounds": len(lines)})
    table.change(**session(session=shown, programme=Programme(now=GameChoice(game=game))))


def judge_of(page: Page, hand: int) -> None:
    page.get_by_role("button", name=f"Judge this hand: hand {hand}", exact=True).click()


def test_a_hand_of_the_results_is_judged_with_two_taps_and_saved_as_a_file(
    table: RunningPanel, open_page: OpenPage, tmp_path: Path
) -> None:
    lines, play = played("wenzhou")
    page = open_page("player", role="player")
    with_hands(table, "wenzhou", lines, [], [])
    page.get_by_role("tab", name="Scores").click()
    judge_of(page, 3)
    expect(page.get_by_text("the table did not follow its play")).to_be_visible()
    page.get_by_role("button", name="Earlier hands").click()
    judge_of(page, 1)
    expect(page.get_by_text("This case was made of hand 1.")).to_be_visible()
    page.get_by_role("button", name="Judge", exact=True).click()
    verdict = page.locator(".judgement")
    expect(verdict).to_contain_text("The claim is valid.")
    expect(verdict).to_contain_text(play.settlement.name, ignore_case=True)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the recorded case").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert judging_of("wenzhou").judge(load_case("wenzhou", file)).legal
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_text("This case was made of hand 1.")).to_have_count(0)


def test_the_case_of_a_pai_gow_hand_changes_with_the_seat(
    table: RunningPanel, open_page: OpenPage
) -> None:
    lines, play = played("pai_gow")
    page = open_page("player", role="player")
    with_hands(table, "pai_gow", lines)
    page.get_by_role("tab", name="Scores").click()
    judge_of(page, 1)
    seats = page.get_by_role("group", name="Seat of the case").get_by_role("button")
    betting = [seat for seat in play.players if play.stakes[seat]]
    expect(seats).to_have_count(len(betting))
    expect(seats.first).to_have_attribute("aria-pressed", "true")
    seats.last.click()
    expect(seats.last).to_have_attribute("aria-pressed", "true")
    href = page.get_by_role("link", name="Download the recorded case").get_attribute("href") or ""
    assert href.endswith(f"case.yaml?seat={betting[-1]}")


def test_the_hands_of_a_case_of_dominoes_can_be_edited_as_text(
    table: RunningPanel, open_page: OpenPage
) -> None:
    lines, _ = played("block")
    page = open_page("player", role="player")
    with_hands(table, "block", lines)
    page.get_by_role("tab", name="Scores").click()
    judge_of(page, 1)
    field = page.get_by_label("Hands", exact=True)
    text = field.input_value()
    assert text.count(";") == 3
    field.fill(f"{text} ")
    field.press("Tab")
    page.get_by_role("button", name="Judge", exact=True).click()
    expect(page.locator(".judgement")).to_contain_text("The claim is valid.")
