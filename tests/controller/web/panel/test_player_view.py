"""Tests of the player's view in a browser: sign in, begin a session, answer prompts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from controller.service.port import CommandReply
from controller.service.status import (
    MachineStatus,
    OpenPrompt,
    PauseCauseStatus,
    PromptChoice,
    SceneStatus,
)
from controller.service.user_roles import UserRole
from tests.controller.web.api.served import PASSWORD
from tests.controller.web.panel.conftest import PHONE, OpenPage
from tests.controller.web.panel.evening import CUT, DICE, JAM, session
from tests.controller.web.panel.served_panel import RunningPanel, running_panel

pytestmark = pytest.mark.slow


def width_to_scroll(page: Page) -> int:
    """Pixels by which the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def test_a_player_signs_in_and_begins_a_session(table: RunningPanel, open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_label("Name").fill("player")
    page.get_by_label("Password").fill("wrong password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert").filter(has_text="Check both;")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="The table is free")).to_be_visible()
    page.get_by_role("radio", name="Wenzhou mahjong").check()
    page.get_by_label("East").fill("Mei")
    page.get_by_label("South").fill("Ren")
    page.get_by_text("House rules").click()
    page.get_by_label("Reserve").fill("20")
    page.get_by_label("Reserve").press("Tab")
    page.get_by_label("After fourth").select_option("Reseat")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Start")).to_be_enabled()
    assert table.commands() == [
        (
            "start_session",
            {
                "choice": {
                    "game": "wenzhou",
                    "house_rules": {"reserve": 20, "after_fourth": "reseat"},
                },
                "names": {"0": "Mei", "1": "Ren"},
            },
        )
    ]
    table.change(**session())
    expect(page.get_by_role("heading", name="Dealing")).to_be_visible()
    expect(page.get_by_text("Packet 7 of 16")).to_be_visible()


def test_a_slow_tablet_loses_no_name_rule_or_tile_of_a_quick_person(
    table: RunningPanel, open_page: OpenPage
) -> None:
    """Everything is entered before the page draws its next picture."""
    page = open_page(role="player")
    page.get_by_role("radio", name="Wenzhou mahjong").check()
    page.get_by_text("House rules").click()
    page.get_by_label("Reserve").wait_for()
    page.evaluate("""() => {
      const field = (words) => [...document.querySelectorAll("label")]
        .find((label) => label.innerText.trim().startsWith(words)).control;
      for (const [words, value, event] of [
        ["East", "Mei", "input"], ["South", "Ren", "input"], ["Reserve", "20", "change"],
        ["After fourth", "Reseat", "change"],
      ]) {
        const each = field(words);
        const found = [...(each.options ?? [])].findIndex((one) => one.text === value);
        if (each.options) each.selectedIndex = found;
        else each.value = value;
        each.dispatchEvent(new Event(event, { bubbles: true }));
      }
      [...document.querySelectorAll("button")].find((one) => one.innerText === "Start").click();
    }""")
    expect(page.get_by_role("button", name="Start")).to_be_enabled()
    ((_, sent),) = table.commands()
    assert sent["names"] == {"0": "Mei", "1": "Ren"}
    assert sent["choice"]["house_rules"] == {"reserve": 20, "after_fourth": "reseat"}

    page.evaluate("location.hash = '#/judge'")
    page.get_by_role("combobox", name="Game").select_option("Pai gow")
    page.get_by_role("button", name="6-6", exact=True).wait_for()
    page.evaluate("""() => {
      for (const name of ["6-6", "5-4", "6-5"])
        document.querySelector(`[role=group] button[aria-label="${name}"]`).click();
    }""")
    for tile in ("6-6", "5-4", "6-5"):
        expect(page.get_by_role("button", name=f"Remove {tile}")).to_be_visible()


def chosen(page: Page, label: str, text: str) -> Locator:
    """The option of a list that is chosen, if it has this text."""
    return page.get_by_label(label).locator("option:checked", has_text=text)


def test_the_form_sends_only_the_seats_of_the_chosen_number_of_players(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("player", role="player")
    page.get_by_role("radio", name="Pai gow").check()
    expect(chosen(page, "Players", "8")).to_be_attached()
    page.get_by_label("First dealer").select_option(label="Seat 6")
    page.get_by_role("textbox", name="Seat 0").fill("Ann")
    page.get_by_role("textbox", name="Seat 7").fill("Hal")
    page.get_by_label("Players").select_option(label="4")
    expect(chosen(page, "First dealer", "Seat 0")).to_be_attached()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Start")).to_be_enabled()
    page.get_by_role("radio", name="Bergen").check()
    expect(chosen(page, "Players", "2")).to_be_attached()
    expect(page.get_by_role("textbox", name="Seat 2")).to_have_count(0)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Start")).to_be_enabled()
    pai_gow, bergen = (given for name, given in table.commands(2) if name == "start_session")
    choice = {"game": "pai_gow", "house_rules": {}, "players": 4, "dealer": 0}
    assert pai_gow == {"choice": choice, "names": {"0": "Ann"}}
    assert bergen == {"choice": {"game": "bergen", "house_rules": {}}, "names": {"0": "Ann"}}


def test_the_first_start_asks_for_the_first_technician(browser: Browser) -> None:
    with running_panel(roles=()) as table:
        token = table.do(table.accounts.issue_first_start)
        page = browser.new_page()
        page.goto(table.address)
        expect(page.get_by_text("No technician exists yet.")).to_be_visible()
        page.goto(f"{table.address}#first-start={token}")
        # The page for signing in has a field of this name too, and is shown until the next frame.
        expect(page.get_by_role("heading", name="First start")).to_be_visible()
        page.get_by_label("Name").fill("tom")
        page.get_by_label(re.compile("Password.*At least")).fill("a long password")
        page.get_by_label("Password again").fill("another password")
        page.get_by_role("button", name="Set up").click()
        expect(page.get_by_text("The two passwords differ.")).to_be_visible()
        page.get_by_label("Password again").fill("a long password")
        page.get_by_role("button", name="Set up").click()
        expect(page.get_by_role("heading", name="Service mode")).to_be_visible()
        assert token not in page.url
        page.context.close()


def test_a_device_is_paired_by_a_code(table: RunningPanel, open_page: OpenPage) -> None:
    code, _ = table.do(lambda: table.accounts.add_pairing_code("rail", UserRole.PLAYER))
    page = open_page("pair")
    page.get_by_label("Code").fill("0000-0000")
    page.get_by_role("button", name="Pair").click()
    expect(page.get_by_role("alert").filter(has_text="code")).to_be_visible()
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Pair").click()
    expect(page.get_by_role("heading", name="The table is free")).to_be_visible()


def test_prompts_are_answered_with_the_keyboard_only(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.change(**session(prompts=(CUT,)))
    page = open_page(role="player")
    expect(page.get_by_role("heading", name="Choose: Cut")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Go to the open prompt"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Choose")).to_be_enabled()
    table.change(prompts=(DICE,))
    expect(page.get_by_role("heading", name="Throw two dice")).to_be_visible()
    page.get_by_role("region", name="Open prompts").focus()
    for key in ("Tab", "Tab", "Tab", "Enter", "Tab", "Tab", "Space", "Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    assert table.commands(2) == [
        ("answer", {"prompt": "p-2", "value": "cup_say"}),
        ("answer", {"prompt": "p-1", "value": "3,5"}),
    ]


def test_a_refusal_is_shown_as_a_sentence_with_its_next_step(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.service.refusals["answer"] = CommandReply(
        id="",
        state="refused",
        sentence="The dice lie already.",
        code="too_late",
        next_step="Choose the cut of the next round.",
    )
    table.change(**session(prompts=(CUT,)))
    page = open_page(role="player")
    page.get_by_role("button", name="Choose").click()
    alert = page.get_by_role("alert").filter(has_text="The dice lie already.")
    expect(alert).to_contain_text("Choose the cut of the next round.")


def test_a_player_sees_a_fault_but_cannot_answer_it(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page(role="player")
    table.change(**session(prompts=(JAM,)))
    expect(page.get_by_role("heading", name="Take the tile that is stuck")).to_be_visible()
    expect(page.get_by_text("This needs the role: attendant.")).to_be_visible()
    expect(page.get_by_role("button", name="Done")).to_have_count(0)
    expect(page.locator("#announce-alert")).to_contain_text("Take the tile that is stuck")


def test_pause_resume_and_the_lid_key_are_commands(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.change(**session())
    page = open_page(role="player")
    page.get_by_role("button", name="Open the lid").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Pause")).to_be_enabled()
    table.change(pause=(PauseCauseStatus(why="COMMAND"),))
    expect(page.get_by_role("heading", name="Paused")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Resume")).to_be_enabled()
    page.get_by_role("button", name="End session").click()
    page.get_by_role("dialog").get_by_role("button", name="End session").click()
    assert [name for name, _ in table.commands(4)] == [
        "press_lid_key",
        "pause",
        "resume",
        "end_session",
    ]


def test_the_lids_key_is_named_by_what_its_next_press_confirms(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("player", role="player")
    table.change(**session(machine=MachineStatus(under="building", top="dealing", mode="going")))
    expect(page.get_by_role("button", name="Open the lid")).to_be_visible()
    table.change(scene=SceneStatus(lid_open=True))
    expect(page.get_by_role("button", name="Close the lid")).to_be_visible()
    table.change(scene=SceneStatus())
    table.change(**session(machine=MachineStatus(under="staged", top="playing", mode="going")))
    expect(page.get_by_role("button", name="Take the tiles in")).to_be_visible()
    table.change(machine=MachineStatus(under="gathering", top="collecting", mode="going"))
    page.get_by_role("button", name="The tiles are in").click()
    expect(page.get_by_role("button", name="Take the tiles in")).to_have_count(0)
    assert [name for name, _ in table.commands()] == ["press_lid_key"]


def test_results_and_debts_are_shown_in_words(table: RunningPanel, open_page: OpenPage) -> None:
    table.change(**session())
    page = open_page(role="player")
    page.get_by_role("tab", name="Scores").click()
    expect(page.get_by_text("Mei (East) wins with a soft hand")).to_be_visible()
    expect(page.get_by_text("Ren owes Mei")).to_be_visible()


@pytest.mark.parametrize("tab", ["Seats", "Game", "Scores"])
def test_a_phone_of_360_pixels_shows_every_tab_without_scrolling_sideways(
    table: RunningPanel, open_page: OpenPage, tab: str
) -> None:
    table.change(**session(prompts=(CUT, DICE, JAM)))
    page = open_page(role="dealer", size=PHONE)
    page.get_by_role("tab", name=tab).click()
    assert width_to_scroll(page) <= 0


def test_a_win_is_declared_by_tapping_the_tiles_that_the_table_has_not_seen(
    table: RunningPanel, open_page: OpenPage
) -> None:
    claim = OpenPrompt(
        id="p-7",
        kind="act",
        role=UserRole.PLAYER,
        text="To act: seat 1.",
        seats=(1,),
        choices=tuple(PromptChoice(value=f"1 {do}", label=do) for do in ("pass", "chow 1m 3m")),
        declarations=("win", "false win"),
    )
    table.change(**session(prompts=(claim,)))
    page = open_page("player", role="player")
    expect(page.get_by_role("heading", name="To act: South, Ren")).to_be_visible()
    chow = page.get_by_role("button", name="Chow")
    assert chow.locator(".tile").evaluate_all("all => all.map((one) => one.dataset.face)") == [
        "1m",
        "3m",
    ]
    page.get_by_text("Declare a win").click()
    tiles = page.get_by_role("group", name="Tiles", exact=True)
    for name in ("1 characters", "1 characters", "2 circles", "Red dragon"):
        tiles.get_by_role("button", name=name).click()
    page.get_by_role("button", name="Remove 2 circles").click()
    page.get_by_role("button", name=re.compile("^Win.*3 tiles")).click()
    expect(page.get_by_role("button", name="False win")).to_be_enabled()
    page.get_by_role("radio", name="North, Jo").check()
    page.get_by_role("button", name="False win").click()
    expect(page.get_by_role("button", name="False win")).to_be_enabled()
    values = ["1 win 1m 1m 7z", "3 false win"]
    assert table.commands(2) == [("answer", {"prompt": "p-7", "value": each}) for each in values]
