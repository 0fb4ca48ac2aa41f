"""Tests in a browser: views of dealer, attendant, technician and auditor, and the judge."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Page, Request, Route, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from config.judge_cases import case_of, example_case
from config.loader import game_names
from controller.service.port import CommandReply, LastRounds
from controller.service.status import (
    AuditStatus,
    FaultStatus,
    GameChoice,
    LeadStatus,
    OpenPrompt,
    Programme,
    PromptChoice,
    ServiceStatus,
)
from controller.service.user_roles import UserRole
from rules.games import PLUGINS
from tests.controller.records.audit.receipts.test_receipts import contents
from tests.controller.web.panel.conftest import PHONE, TABLET, OpenPage
from tests.controller.web.panel.evening import JAM, MODE, PAST, RESULTS, ROUND, session
from tests.controller.web.panel.replies import until
from tests.controller.web.panel.served_panel import RunningPanel

pytestmark = pytest.mark.slow

ATTEMPTS = 5
"""Presses of a button that a page may end by itself on a busy computer."""


def settled(page: Page) -> None:
    """Wait until every request of the page has its reply."""
    page.wait_for_load_state("networkidle")


def test_a_dealer_takes_back_the_last_acts(table: RunningPanel, open_page: OpenPage) -> None:
    page = open_page("dealer", role="dealer")
    table.change(**session(round=ROUND.model_copy(update={"acts": 7, "phase": "playing"})))
    expect(page.get_by_role("heading", name="The hand is played")).to_be_visible()
    page.get_by_role("tab", name="Correction").click()
    events = [
        {"t": 1.0, "event": "action_taken", "seat": seat, "do": do}
        for seat, do in ((0, "discard 1z"), (1, "pass"), (2, "pong 1z"))
    ]

    def emit() -> None:
        for event in events:
            table.service.emit(event)

    # The latest act comes first. A page that was slow to show the acts has received them twice.
    pong = page.get_by_text("West, Ligaya: Pong · East wind").first
    for _ in range(6):
        expect(page.locator(".connection.live")).to_be_attached()
        table.do(emit)
        # The events are not sent again to a page that had lost its connection without showing it.
        with suppress(PlaywrightTimeoutError):
            pong.wait_for(timeout=5000)
            break
    page.get_by_label("Acts to take back (of 7)").fill("2")
    expect(pong).to_contain_text("taken back")
    discard = page.get_by_text("East, Mei: Discard · East wind").first
    expect(discard).not_to_contain_text("taken back")
    page.get_by_label("Reason").fill("wrong seat")
    page.get_by_role("button", name="Take back: 2").click()
    page.get_by_role("dialog").get_by_role("button", name="Take back: 2").click()
    expect(page.get_by_text("Done.")).to_be_visible()
    assert table.commands() == [("correct", {"acts": 2, "reason": "wrong seat"})]


def test_a_dealer_saves_the_chosen_game_under_a_name(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("dealer", role="dealer")
    page.get_by_role("radio", name="Pai gow").check()
    page.get_by_label("Players").select_option("6")
    page.get_by_label("Save this choice as").fill("Friday")
    page.get_by_role("button", name="Save", exact=True).click()
    settled(page)
    assert table.commands() == [
        (
            "save_preset",
            {"name": "Friday", "choice": {"game": "pai_gow", "players": 6, "house_rules": {}}},
        )
    ]


def test_an_attendant_sees_what_was_expected_and_answers_step_by_step(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.change(**session(prompts=(JAM,)))
    page = open_page("attendant", role="attendant")
    fault = page.get_by_role("article", name="Jam at a head")
    expect(fault).to_contain_text("head2_counter counted 0 of 2 tiles")
    expect(fault).to_contain_text("one pulse of the sensor S1 for every tile")
    expect(fault.get_by_role("list", name="Cure, step by step")).to_contain_text(
        "Take the tile that is stuck at head 2 out"
    )
    expect(page.locator('.scene-mark[data-part="head 2"]')).to_be_attached()
    page.get_by_role("button", name="Take the lead").click()
    table.commands(1)  # requests of two buttons can arrive in another order than they were sent
    fault.get_by_role("button", name="Done").click()
    settled(page)
    assert table.commands(2) == [
        ("take_lead", {}),
        ("answer", {"prompt": "p-3", "value": "done"}),
    ]


def test_only_the_client_that_leads_answers_faults(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("attendant", role="attendant")
    table.change(
        **session(
            prompts=(JAM,),
            lead=LeadStatus(client="other", name="Ann", role=UserRole.ATTENDANT, since=1.0),
        )
    )
    expect(page.get_by_text("Ann leads this recovery.")).to_be_visible()
    expect(page.get_by_role("button", name="Done")).to_have_count(0)


def test_a_stopped_table_is_started_by_the_role_of_its_fault(
    table: RunningPanel, open_page: OpenPage
) -> None:
    stopped = FaultStatus(
        code="AXIS",
        part="gantry",
        evidence="x is 12 mm short.",
        cure="Free the arm.",
        role=UserRole.TECHNICIAN,
        since=1.0,
    )
    table.change(**session(fault=stopped, service=ServiceStatus(state="fault")))
    page = open_page("attendant", role="attendant")
    expect(page.get_by_role("heading", name="The table has stopped")).to_be_visible()
    expect(page.get_by_text("This needs the role: technician.")).to_be_visible()
    expect(page.get_by_role("button", name="Start the table")).to_have_count(0)


def test_a_technician_adds_a_user_and_pairs_a_device(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page("technician", role="technician")
    page.get_by_role("tab", name="Users").click()
    form = page.locator("form").filter(has_text="Add a user")
    form.get_by_label("Name").fill("nina")
    form.get_by_label("Role").select_option("dealer")
    form.get_by_label("Password").fill("a long password")
    form.get_by_role("button", name="Add a user").click()
    expect(page.get_by_role("listitem").filter(has_text="nina")).to_contain_text("dealer")
    page.get_by_role("button", name="Delete nina").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("listitem").filter(has_text="nina")).to_have_count(0)
    page.get_by_role("tab", name="Devices").click()
    form = page.locator("form").filter(has_text="Pair a device")
    form.get_by_label("Name of the device").fill("rail")
    form.get_by_role("button", name="New code").click()
    expect(form.locator("code")).to_have_text(re.compile(r"\w{4,}"))


def given_by(requests: list[Request]) -> list[tuple[str, str]]:
    """Identity and name of the commands that requests give; a page repeats one without a reply."""
    found: dict[str, str] = {}
    for request in requests:
        assert request.post_data_json is not None
        found.setdefault(str(request.post_data_json["id"]), str(request.post_data_json["name"]))
    return list(found.items())


def test_a_motor_moves_only_while_its_button_is_held(
    table: RunningPanel, open_page: OpenPage
) -> None:
    mode = MODE.model_copy(update={"activity": None, "question": None, "change": None})
    table.change(service_mode=mode, service=ServiceStatus(state="service_mode"))
    page = open_page("technician", role="technician")
    sent: list[Request] = []
    finished: list[Request] = []

    def record(request: Request, requests: list[Request]) -> None:
        if request.method == "POST" and request.url.endswith("/commands"):
            requests.append(request)

    page.on("request", lambda request: record(request, sent))
    page.on("requestfinished", lambda request: record(request, finished))
    page.on("requestfailed", lambda request: record(request, finished))

    def wait_for(reached: Callable[[], bool]) -> None:
        until(page, reached, lambda: f"only these commands: {given_by(sent)}")

    def names() -> list[str]:
        return [name for _, name in given_by(sent)]

    # A page that loses its connection on a busy computer ends the press by itself.
    for _ in range(ATTEMPTS):
        sent.clear()
        finished.clear()
        table.service.given.clear()
        expect(page.locator(".connection.live")).to_be_attached()
        page.get_by_role("button", name="Hold to move lid forward").hover()
        page.mouse.down()
        wait_for(lambda: names().count("jog") >= 3 or "stop_jog" in names())
        page.mouse.up()
        # The requests run at the same time, so that the last jog can arrive after the stop. Their
        # order is therefore that in which the page sent them.
        wait_for(lambda: len(finished) == len(sent) and names()[-1] == "stop_jog")
        if names().count("jog") >= 3:
            break
    pressed = given_by(sent)
    assert names().count("jog") >= 3
    assert names()[-1] == "stop_jog" and names().count("stop_jog") == 1
    table.until(lambda: "stop_jog" in {request.name for request, _ in table.service.given})
    given = [request for request, _ in table.service.given]
    # The end of the press takes back the renewals that have not been answered.
    assert {(each.id, each.name) for each in given} <= set(pressed)
    assert "stop_jog" in {each.name for each in given}
    assert len({str(each.arguments["press"]) for each in given}) == 1
    assert {each.arguments["channel"] for each in given if each.name == "jog"} == {"lid"}
    page.wait_for_timeout(400)
    assert given_by(sent) == pressed, "no command follows the end of the press"
    assert {each.id for each, _ in table.service.given} <= {each for each, _ in pressed}


def test_a_hand_is_judged_by_tapping_its_tiles(table: RunningPanel, open_page: OpenPage) -> None:
    page = open_page("judge", role="player")
    page.get_by_role("combobox", name="Game").select_option("Pai gow")
    keys = page.get_by_role("group", name="Tiles")
    for row, tiles in (
        ("Player", ("6-6", "5-4", "6-5", "6-4")),
        ("Banker", ("1-1", "6-3", "3-3", "5-5")),
    ):
        page.get_by_role("button", name=row).first.click()
        for tile in tiles:
            keys.get_by_role("button", name=tile, exact=True).click()
    page.get_by_label("Bet").fill("100")
    page.get_by_role("button", name="Judge", exact=True).click()
    expect(page.get_by_text("The claim is valid. Push")).to_be_visible()
    page.get_by_role("button", name="Remove 6-6").click()
    page.get_by_role("button", name="Judge", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="A hand has 4 tiles")).to_be_visible()


def test_the_judge_draws_every_tile_alike_and_cuts_no_seat(
    table: RunningPanel, open_page: OpenPage
) -> None:
    """The rack of the winning tile is higher than a tile, because its name has two lines."""
    table.change(**session())
    for size in (TABLET, PHONE):
        page = open_page("judge", role="player", size=size)
        page.get_by_role("combobox", name="Game").select_option("Wenzhou mahjong")
        page.get_by_role("button", name="Show an example").click()
        racked = page.locator(".rack-tiles .tile-key")
        expect(racked.nth(1)).to_be_attached()
        heights = racked.evaluate_all("all => all.map((one) => one.offsetHeight)")
        assert len(set(heights)) == 1, f"heights of the tiles at {size}: {heights}"
        page.get_by_label("Seat", exact=True).select_option("North, Jo")
        page.get_by_label("Discarder", exact=True).select_option("South, Ren")
        assert page.evaluate(CUT_LISTS) == []


CUT_LISTS = """() => [...document.querySelectorAll("select")].map((list) => {
  const style = getComputedStyle(list);
  const ruler = document.createElement("span");
  ruler.style.cssText = `position: absolute; white-space: nowrap; font: ${style.font}`;
  ruler.textContent = list.selectedOptions[0].text;
  document.body.append(ruler);
  const needed = ruler.getBoundingClientRect().width + 20;
  ruler.remove();
  const room = list.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return needed > room ? `${list.selectedOptions[0].text}: ${needed} of ${room} px` : "";
}).filter(Boolean)"""
"""Lists whose chosen entry is wider than the list, without the 20 px of its arrow."""


def test_a_card_is_not_named_as_a_tile_of_mahjong(table: RunningPanel, open_page: OpenPage) -> None:
    card = OpenPrompt(
        id="p-5",
        kind="act",
        role=UserRole.PLAYER,
        text="To act: seat 0.",
        seats=(0,),
        choices=tuple(PromptChoice(value=f"0 {do}", label=do) for do in ("play 3s 4s 5s", "pass")),
    )
    table.change(**session(prompts=(card,), programme=Programme(now=GameChoice(game="da_san"))))
    page = open_page("player", role="player")
    tiles = page.get_by_role("button", name="Play").get_by_role("img")
    expect(tiles).to_have_count(3)
    names = tiles.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    assert names == ["3 spades", "4 spades", "5 spades"]


def test_every_example_of_the_judge_reads_as_the_file_does(open_page: OpenPage) -> None:
    page = open_page()
    for game in game_names():
        if PLUGINS[game].judging is None:
            continue
        text = example_case(game)
        values = page.evaluate(
            """async (text) => (await import(new URL("views/judge_example.js", document.baseURI)))
                .readExample(text)""",
            text,
        )
        case_of(game, values, "example")


def test_an_auditor_reads_rounds_sessions_and_the_journal(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.service.past[:] = PAST
    table.service.hands[:] = RESULTS
    table.service.journal[:] = [f'{{"number":{n},"kind":"note"}}' for n in range(1, 121)]
    table.service.last = LastRounds(unfinished=contents(number=13, state="unfinished"))
    table.change(audit=AuditStatus(events=812, power_ups=7, lid_openings=40, service_entries=3))
    page = open_page(role="auditor")
    expect(page.get_by_text("Hand 13 is not over")).to_be_visible()
    for count in (
        "Starts of the table7",
        "Entries into service mode3",
        "Events in the audit log812",
    ):
        expect(page.get_by_role("listitem").filter(has_text=count)).to_be_visible()
    expect(page.get_by_role("heading", name="Last 10 rounds")).to_be_visible()
    expect(page.get_by_text("wins with a soft hand")).to_be_visible()
    journal = page.get_by_role("list", name="Journal")
    expect(journal.get_by_role("listitem")).to_have_count(50)
    page.get_by_role("button", name="Next").last.click()
    expect(journal.get_by_role("listitem").first).to_contain_text('"number":51,')
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)


@pytest.mark.parametrize(
    ("locale", "words", "tag"),
    [
        ("ja-JP", "テーブルは空いています", "ja"),
        ("zh-CN", "牌桌空闲", "zh-Hans"),
        ("fil-PH", "Bakante ang mesa", "fil"),
    ],
)
def test_the_page_speaks_the_language_of_the_browser(
    open_page: OpenPage, locale: str, words: str, tag: str
) -> None:
    page = open_page(role="player", language=locale)
    expect(page.get_by_role("heading", name=words)).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == tag


def test_of_two_languages_the_one_chosen_last_is_used_although_its_catalogue_came_first(
    open_page: OpenPage,
) -> None:
    page = open_page(role="player")
    page.get_by_role("button", name="Settings").click()
    held: list[Route] = []
    page.route("**/messages/fil.json", lambda route: held.append(route))  # noqa: PLW0108
    with page.expect_request("**/messages/fil.json"):
        page.get_by_role("radio", name="Filipino", exact=True).click()
    page.get_by_role("radio", name="日本語").click()
    page.wait_for_timeout(300)
    held[0].continue_()
    expect(page.get_by_role("heading", name="テーブルは空いています")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="テーブルは空いています")).to_be_visible()


def test_language_and_theme_are_remembered(open_page: OpenPage) -> None:
    page = open_page(role="player")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("radio", name="日本語").click()
    page.get_by_role("radio", name="ダーク").click()
    page.reload()
    expect(page.get_by_role("heading", name="テーブルは空いています")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor") == (
        "rgb(18, 21, 23)"
    )


def test_a_refused_stop_of_the_service_is_a_sentence(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.service.refusals["stop_service"] = CommandReply(
        id="", state="refused", sentence="A round runs.", code="busy", next_step="End it first."
    )
    page = open_page("technician", role="technician")
    page.get_by_role("tab", name="Table").click()
    page.get_by_role("button", name="Stop the service").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop the service").click()
    expect(page.get_by_role("alert").filter(has_text="A round runs.")).to_contain_text(
        "End it first."
    )
