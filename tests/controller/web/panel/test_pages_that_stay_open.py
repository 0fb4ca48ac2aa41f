"""Tests of pages that stay open while the table, the login or the person goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from config.loader import load_game, load_table
from controller.service.port import SessionSummary
from controller.service.status import HandResult
from controller.web.panel.geometry import geometry
from tests.controller.web.api.test_recorded_cases import played
from tests.controller.web.panel.browser import panel_files
from tests.controller.web.panel.conftest import OpenPage
from tests.controller.web.panel.evening import DICE, JAM, NAMES, ROUND, SESSION, session
from tests.controller.web.panel.replies import NO_LIMIT, until
from tests.controller.web.panel.served_panel import FACTS, RunningPanel
from tests.controller.web.panel.test_case_of_a_hand import judge_of, with_hands

pytestmark = pytest.mark.slow

FALL_ASLEEP = """
window.asleep = false;
window.kept = [];
window.ticks = [];
const frame = window.requestAnimationFrame.bind(window);
const interval = window.setInterval.bind(window);
window.requestAnimationFrame = (work) => (window.asleep ? window.kept.push(work) : frame(work));
window.setInterval = (work, ms) => (ms >= 2000 ? window.ticks.push(work) : interval(work, ms));
window.wake = () => {
  window.asleep = false;
  window.kept.splice(0).forEach((work) => frame(work));
};"""
"""A page that is `asleep` draws no frame, as one in a hidden tab, until `wake`; its slow timers run
when a test calls `ticks`."""
TICK = "new Promise((done) => { ticks.forEach((tick) => tick()); setTimeout(done, 100); })"
TWICE = """async () => {
  const { announceAlert } = await import("./data/live_regions.js");
  const region = document.getElementById("announce-alert");
  const heard = [];
  const listen = new MutationObserver(() => heard.push(region.textContent));
  listen.observe(region, { childList: true, characterData: true, subtree: true });
  for (let time = 0; time < 2; time += 1) {
    announceAlert("The same sentence.");
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }
  return heard.filter((text) => text === "The same sentence.").length;
}"""
"""Announces a sentence twice; returns how often a screen reader gets it."""


def known(page: Page, expression: str) -> Callable[[], Any]:
    """The value of an expression with the `state` of the page."""
    store = "await import('./data/store.js')"
    script = f"async () => {{ const {{ state }} = {store}; return {expression}; }}"
    return lambda: page.evaluate(script)


def held_requests(page: Page, pattern: str) -> list[Route]:
    """The requests that the page sends from now on; a test answers them."""
    page.evaluate(NO_LIMIT)
    held = list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    page.route(pattern, hold)
    return held


def leaves(page: Page, table: RunningPanel) -> None:
    """End the login, and wait until the page that is asleep knows it."""
    for credential in table.accounts.credentials():
        table.do(lambda each=credential.id: table.accounts.revoke(each))
    table.do(table.streams.drop)
    until(page, known(page, "state.page === 'sign_in'"))


def wakes_at_the_sign_in(page: Page) -> None:
    page.evaluate("wake()")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_login_that_ends_in_a_hidden_tab_with_a_prompt_is_asked_for_again(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.change(**session(prompts=(DICE,)))
    page = open_page(role="player")
    page.add_init_script(FALL_ASLEEP)
    page.reload()
    expect(page.get_by_role("heading", name="Throw two dice")).to_be_visible()
    page.evaluate("asleep = true")
    leaves(page, table)
    page.evaluate(TICK)
    wakes_at_the_sign_in(page)


@pytest.mark.parametrize(
    ("view", "tab", "button", "confirmed"),
    [
        ("attendant", "", "Take the lead", False),
        ("technician", "Service mode", "Enter service mode", True),
        ("technician", "Table", "Let them act", False),
    ],
)
def test_a_login_that_ends_during_a_command_of_a_hidden_tab_is_asked_for_again(
    table: RunningPanel, open_page: OpenPage, view: str, tab: str, button: str, confirmed: bool
) -> None:
    table.change(**session(prompts=(JAM,)))
    page = open_page(view, role=view)
    page.add_init_script(FALL_ASLEEP)
    page.reload()
    held = held_requests(page, "**/commands")
    if tab:
        page.get_by_role("tab", name=tab, exact=True).click()
    page.get_by_role("button", name=button).click()
    if confirmed:
        page.get_by_role("dialog").get_by_role("button", name=button).click()
    until(page, lambda: held)
    page.evaluate("asleep = true")
    leaves(page, table)
    with page.expect_request_finished():
        held[0].fulfill(status=401, json={})
    page.evaluate(TICK)
    wakes_at_the_sign_in(page)


def show_name(page: Page, table: RunningPanel, name: str) -> None:
    """Publish another name of the table, and wait until the page has drawn it."""
    table.change(table=FACTS.model_copy(update={"name": name}))
    expect(page.locator(".brand")).to_contain_text(name)


def type_with_a_pause(field: Locator, parts: tuple[str, str], pause: Callable[[], None]) -> None:
    """Type a text in place of that of the field; something happens in the middle of it."""
    page = field.page
    field.select_text()
    page.keyboard.type(parts[0])
    pause()
    page.keyboard.type(parts[1])
    page.keyboard.press("Tab")


def test_a_new_status_keeps_the_number_that_a_person_types(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("player", role="player")
    page.get_by_role("radio", name="Wenzhou mahjong").check()
    page.get_by_text("House rules").click()
    reserve = page.get_by_role("spinbutton", name="Reserve")
    type_with_a_pause(reserve, ("2", "0"), lambda: show_name(page, table, "Table 8"))
    expect(reserve).to_have_value("20")
    page.get_by_role("button", name="Start").click()
    ((_, sent),) = table.commands()
    assert sent["choice"] == {"game": "wenzhou", "house_rules": {"reserve": 20}}


def test_a_new_status_keeps_the_list_that_a_person_types(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("judge", role="player")
    page.get_by_role("combobox", name="Game").select_option("Block")
    hands = page.get_by_label("Hands", exact=True)
    type_with_a_pause(hands, ("6-4 ", "5-5;1-0"), lambda: show_name(page, table, "Table 8"))
    expect(hands).to_have_value("6-4 5-5; 1-0")


def sign_out(page: Page) -> Locator:
    """Press the button that ends the login; returns the dialog."""
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Sign out").click()
    return dialog


def test_a_sign_out_without_a_reply_is_shown_as_failed(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("player", role="player")
    page.get_by_role("button", name="Settings").click()
    page.route("**/logout", lambda route: route.abort())
    dialog = sign_out(page)
    expect(dialog.get_by_role("alert")).to_contain_text("The table did not answer.")
    expect(page.get_by_role("heading", name="Sign in")).to_have_count(0)
    page.unroute("**/logout")
    sign_out(page)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_sign_out_of_a_login_that_has_ended_leaves_the_page(open_page: OpenPage) -> None:
    page = open_page("player", role="player")
    page.get_by_role("button", name="Settings").click()
    page.route("**/logout", lambda route: route.fulfill(status=401, json={}))
    sign_out(page)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


def with_acts(table: RunningPanel, acts: int) -> None:
    table.change(**session(round=ROUND.model_copy(update={"acts": acts, "phase": "playing"})))


def enters(page: Page, do: str) -> None:
    """Give the page an act, as an event of the stream does."""
    page.evaluate(
        """async (act) => {
          const { change, state } = await import("./data/store.js");
          change({ acts: [...state.acts, act] });
        }""",
        {"seat": 0, "do": do},
    )


def test_an_act_that_another_person_enters_while_the_dealer_confirms_is_not_taken_back(
    table: RunningPanel, open_page: OpenPage
) -> None:
    with_acts(table, 7)
    page = open_page("dealer", role="dealer")
    page.get_by_role("tab", name="Correction").click()
    go = page.get_by_role("button", name="Take back: 1")
    confirm = page.get_by_role("dialog").get_by_role("button", name="Take back: 1")
    go.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    with_acts(table, 8)
    show_name(page, table, "Table 8")
    expect(page.get_by_text("Acts to take back (of 7)")).to_be_visible()
    confirm.click()
    changed = page.get_by_text("The acts have changed meanwhile")
    expect(changed).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("Acts to take back (of 8)")).to_be_visible()
    assert table.service.given == []
    go.click()
    confirm.click()
    assert table.commands() == [("correct", {"acts": 1, "reason": ""})]
    expect(changed).to_have_count(0)


def test_the_acts_stand_still_while_the_dealer_confirms(
    table: RunningPanel, open_page: OpenPage
) -> None:
    with_acts(table, 7)
    page = open_page("dealer", role="dealer")
    page.get_by_role("tab", name="Correction").click()
    enters(page, "discard 1z")
    page.get_by_role("button", name="Take back: 1").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    listed = page.locator(".acts li").count()
    enters(page, "discard 2z")
    show_name(page, table, "Table 8")
    assert page.locator(".acts li").count() == listed
    dialog.get_by_role("button", name="Take back: 1").click()
    expect(page.get_by_text("The acts have changed meanwhile")).to_be_visible()
    assert table.service.given == []


def with_results(table: RunningPanel, first: int, last: int) -> None:
    """A session of so many hands, whose status has those from the first one."""
    hands = [
        HandResult(number=number, game="wenzhou", sentence=f"The end of {number}.")
        for number in range(1, last + 1)
    ]
    table.service.hands[:] = hands
    table.service.past[:] = [SessionSummary("s-17", "", "", "wenzhou", "", 3, NAMES, (0.0,) * 4)]
    shown = {"results": tuple(hands[first - 1 :]), "rounds": last}
    table.change(**session(session=SESSION.model_copy(update=shown)))


def test_no_hand_vanishes_from_the_results_when_another_hand_ends(
    table: RunningPanel, open_page: OpenPage
) -> None:
    def end_of(hand: int) -> Locator:
        return page.get_by_text(f"The end of {hand}.", exact=True)

    with_results(table, 6, 25)
    page = open_page("player", role="player")
    page.get_by_role("tab", name="Scores").click()
    earlier = page.get_by_role("button", name="Earlier hands")
    earlier.click()
    expect(end_of(1)).to_be_visible()
    with_results(table, 7, 26)
    expect(end_of(26)).to_be_visible()
    expect(page.locator(".results > li")).to_have_count(26)
    # A page that was away for more hands than the status has offers those between.
    with_results(table, 40, 59)
    expect(end_of(59)).to_be_visible()
    expect(page.locator(".results > li")).to_have_count(20)
    earlier.click()
    expect(page.locator(".results > li")).to_have_count(59)
    assert [end_of(hand).count() for hand in range(1, 60)] == [1] * 59


def test_a_late_case_does_not_move_a_person_who_has_gone_on(
    table: RunningPanel, open_page: OpenPage
) -> None:
    lines, _ = played("wenzhou")
    page = open_page("player", role="dealer")
    with_hands(table, "wenzhou", lines)
    page.get_by_role("tab", name="Scores").click()
    held = held_requests(page, "**/case")
    judge_of(page, 1)
    until(page, lambda: held)
    page.evaluate("location.hash = '#/dealer'")
    with page.expect_request_finished():
        held[0].continue_()
    page.wait_for_timeout(500)
    assert page.url.endswith("#/dealer")
    assert known(page, "Object.keys(state.drafts).filter((key) => key.startsWith('judge'))")() == []


def test_a_replay_in_a_hidden_tab_goes_on_where_it_was(browser: Browser) -> None:
    shape = geometry(load_table("robotic"), load_game("wenzhou"))
    events = [{"t": 3.0 * n, "event": "paused", "why": "COMMAND"} for n in range(10)]
    page = browser.new_page()
    with panel_files() as address:
        page.goto(address)
        at = page.evaluate(
            """async ([geometry, events]) => {
              const { mountReplay } = await import("/scene/replay/player.js");
              const replay = mountReplay(document.getElementById("table"), geometry, events);
              const frames = [];
              window.requestAnimationFrame = (work) => frames.push(work);
              replay.play();
              const later = performance.now() + 60000;
              frames.splice(0).forEach((work) => work(later));
              return [replay.time, replay.playing];
            }""",
            [json.loads(shape.model_dump_json()), events],
        )
    page.close()
    assert at == [pytest.approx(0.5), True]


def test_the_same_sentence_is_announced_again(open_page: OpenPage) -> None:
    assert open_page().evaluate(TWICE) == 2
