"""Hands on the real service by clicks: kongs, a false win, a correction, a wall, a game of its own.

One table plays the rounds of this file in turn, because a service needs seconds to start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from config.validation.game_parameters import parameters_of
from controller.events import Event
from controller.service.user_roles import UserRole
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from rules.records.record import evening
from tests.controller.service.arranged_hands import arrange
from tests.controller.service.test_entered_actions import robbed_kong, suits
from tests.controller.web.panel.browser import keep
from tests.controller.web.panel.evening import NAMES, WINDS
from tests.controller.web.panel.real_table import RealTable, real_table

pytestmark = pytest.mark.slow

EAST, SOUTH, WEST, NORTH = "East, Mei", "South, Ren", "West, Ligaya", "North, Jo"
SUITS = {"m": "characters", "p": "circles", "s": "bamboo"}


@pytest.fixture(scope="module")
def table() -> Iterator[RealTable]:
    """The table of all rounds."""
    with real_table(pace=30) as table:
        yield table


@pytest.fixture(scope="module")
def page(browser: Browser, table: RealTable) -> Iterator[Page]:
    """The dealer's view."""
    page = table.open(browser, UserRole.DEALER, "dealer", size=(1280, 900))
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []
    page.context.close()


def people_of(table: RealTable) -> SimulatedGuide:
    """The simulated people of the present run."""
    people = table.service.guide._hands
    assert isinstance(people, SimulatedGuide)
    return people


class Hand:
    """Taps actions in the prompt of a hand; a seat that is asked for another action passes."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._prompt = page.locator(".prompt.is-act")

    def asked(self) -> str:
        """The identity of the open prompt for an action."""
        heading = self._prompt.locator("h3")
        expect(heading).to_have_count(1)
        return heading.get_attribute("id") or ""

    def answered(self, asked: str) -> None:
        """Wait until the prompt with this identity is closed."""
        expect(self._page.locator(f"#{asked}")).to_have_count(0)

    def _offered(self, seat: str, verb: str, tiles: tuple[str, ...]) -> Locator:
        """The option for an action: a button if one seat has few, else an option of its group."""
        words = " ".join((verb, *tiles))
        if len(tiles) == 1:
            name = f"{seat} · {verb}: {tiles[0]}"
            return self._prompt.get_by_role("radio", name=name, include_hidden=True)
        options = self._prompt.get_by_role("group", name=seat, exact=True)
        option = options.get_by_role("radio", name=words, exact=True)
        heading = self._prompt.get_by_role("heading", name=f"To act: {seat}", exact=True)
        button = self._prompt.filter(has=heading).get_by_role("button", name=words, exact=True)
        return option.or_(button)

    def pass_until(self, wanted: Locator) -> str:
        """Tap pass or draw until this is offered; returns the identity of the prompt."""
        waits = re.compile("^(Pass|Draw)$")
        option = self._prompt.get_by_role("radio", name=waits)
        either = option.or_(self._prompt.get_by_role("button", name=waits))
        while True:
            asked = self.asked()
            if wanted.count():
                return asked
            self.take(either.first)
            self.answered(asked)

    def tap(self, seat: str, verb: str, *tiles: str) -> None:
        """Tap an action when it is offered."""
        wanted = self._offered(seat, verb, tiles)
        asked = self.pass_until(wanted)
        self.take(wanted)
        self.answered(asked)

    def take(self, option: Locator) -> None:
        """Tap an option or a button of the prompt."""
        if option.get_attribute("type") == "radio":
            folded = option.locator("xpath=ancestor::details[not(@open)]/summary")
            if folded.count():
                folded.click()
            option.check()
            option = self._prompt.get_by_role("button", name=re.compile("^Choose"))
        option.click()

    def declare(self, seat: str, verb: str, *tiles: str) -> None:
        """Declare a false win at once, or a win when the seat is asked."""
        heading = self._prompt.get_by_role("heading", name=seat)
        asked = self.pass_until(heading) if verb == "Win" else self.asked()
        self._prompt.get_by_text("Declare a win").click()
        self._prompt.get_by_role("radio", name=seat, exact=True).last.check()
        picker = self._prompt.get_by_role("group", name="Tiles", exact=True)
        for tile in tiles:
            picker.get_by_role("button", name=tile, exact=True).click()
        name = re.compile(f"^{verb}\\b")
        if tiles:
            keep(self._page, "hands_declared")
        self._prompt.get_by_role("button", name=name).click()
        self.answered(asked)


def test_a_kong_a_correction_a_false_win_and_a_robbed_kong_by_clicks(
    table: RealTable, page: Page
) -> None:
    expect(page.get_by_role("radio", name="Wenzhou mahjong")).to_be_visible()
    page.get_by_role("radio", name="Wenzhou mahjong").check()

    page.get_by_label("Follow the play").check()
    for wind, name in zip(WINDS, NAMES, strict=True):
        page.get_by_label(wind, exact=True).fill(name)
    # The hand is arranged before the deal begins, in the table's thread: a test that waits for the
    # round first could arrange it too late on a busy computer.
    arranged: list[Event] = []

    def arrange_at_walls(event: Event) -> None:
        if event["event"] == "walls_raised" and not arranged:
            arranged.append(event)
            arrange(people_of(table).hand_players, robbed_kong)

    forget = table.service.listen(arrange_at_walls)
    page.get_by_role("button", name="Start").click()
    table.until(lambda _: arranged)
    forget()
    expect(page.get_by_role("heading", name="The hand is played")).to_be_visible(timeout=60_000)
    present = table.status.round
    assert present is not None and present.indicator_face is not None
    a, b = (SUITS[suit] for suit in suits(present.indicator_face))
    hand = Hand(page)
    hand.tap(EAST, "Discard", f"1 {a}")
    hand.tap(WEST, "Pong")
    hand.tap(WEST, "Discard", f"3 {b}")
    hand.tap(NORTH, "Chow", f"4 {b}", f"5 {b}")

    page.get_by_role("tab", name="Correction").click()
    page.get_by_label("Reason").fill("another chow")
    asked = hand.asked()
    keep(page, "hands_correction")
    page.get_by_role("button", name=re.compile("Take back")).click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Take back")).click()
    expect(page.get_by_text("The last action is taken back.")).to_be_visible()
    expect(page.locator(f"#{asked}")).to_have_count(0)

    hand.tap(NORTH, "Chow", f"4 {b}", f"5 {b}")
    hand.tap(NORTH, "Discard", f"9 {b}")
    hand.declare(NORTH, "False win")
    hand.tap(SOUTH, "Kong")
    discard = page.get_by_role("radio", name=re.compile(f"{SOUTH} · Discard"))
    hand.pass_until(discard)
    legal = table.do(lambda: people_of(table).hand_players.truth.legal_actions)
    tile = next(str(each).split()[1] for each in legal if str(each).startswith("discard"))
    hand.tap(SOUTH, "Discard", f"{tile[0]} {SUITS[tile[1]]}")
    hand.tap(WEST, "Kong", f"1 {a}")
    keep(page, "hands_robbed")
    ranks = [f"{rank} {a}" for rank in range(2, 10)]
    pairs = [f"{rank} {b}" for rank in (6, 7, 8, 6, 7, 8, 2, 2)]
    hand.declare(EAST, "Win", *ranks, *pairs)

    page.get_by_role("tab", name="Scores").click()
    result = page.get_by_text(re.compile("Mei .*wins"))
    shows = page.get_by_role("radio", name="Let the simulated player act")
    alone = page.get_by_role("button", name="Let the simulated player act")
    shown = shows.or_(alone)
    while True:  # every player shows the caishen in hand
        expect(result.or_(shown).first).to_be_visible()
        if result.count():
            break
        asked = hand.asked()
        hand.take(shown.first)
        hand.answered(asked)
    keep(page, "hands_settled")
    session = table.status.session
    assert session is not None
    (settled,) = session.results
    assert settled.winner == 0
    record = table.do(lambda: table.port.record(session.id, 1))
    (replayed,) = evening(record.lines, parameters_of)
    assert tuple(replayed.match.scores) == settled.scores
    assert settled.sentence.startswith("Mei (East) wins: robbing a kong")
    assert any("false win" in each.why for each in settled.payments)
    assert sum('"kong' in line for line in record.lines) == 2
    # The winner has the robbed tile; the pong to which it was added has three tiles again.
    # The picture follows the result a frame or two later.
    one = f'[data-face="1{suits(present.indicator_face)[0]}"]'
    faces = page.locator(f".picture-frame .scene-tile{one} > .scene-face")
    expect(faces).to_have_count(4)


def test_mano_chooses_a_wall_of_a_filipino_hand_that_the_table_does_not_follow_by_clicks(
    table: RealTable, page: Page
) -> None:
    page.get_by_role("tab", name="Game").click()
    page.get_by_role("radio", name="Filipino mahjong").check()
    page.get_by_role("radio", name=re.compile("^The result")).check()
    page.get_by_role("button", name=re.compile("next", re.IGNORECASE)).click()
    take_in = page.get_by_role("button", name=re.compile("Take the tiles in|The tiles are in"))
    wall = page.get_by_role("heading", name="Choose: Wall")
    press_until(take_in, wall)
    mano = re.compile("Mei|Ren|Ligaya|Jo")
    expect(page.locator(".prompt.is-choice .over")).to_contain_text(mano)
    options = page.locator(".prompt.is-choice").get_by_role("radio")
    expect(options).to_have_count(6)
    keep(page, "hands_wall")
    names = options.evaluate_all("all => all.map((one) => one.labels[0].innerText.trim())")
    assert all(re.match("Wall of .*(Mei|Ren|Ligaya|Jo), (right|left) end", each) for each in names)
    options.nth(3).check()
    asked = table.status.prompts[0]
    expect(page.get_by_text(f"This is how the table deals with: {names[3]}.")).to_be_visible()
    page.get_by_role("button", name="Choose", exact=True).click()
    expect(page.get_by_role("heading", name="The hand is played")).to_be_visible(timeout=60_000)
    present = table.status.round
    assert present is not None
    assert present.choices["wall"] == asked.choices[3].value
    # The people play on their own: the table asks for no action, and counts the round.
    keep(page, "hands_alone")
    assert not present.to_act and not table.status.prompts
    expect(page.locator(".prompt")).to_have_count(0)
    session = table.status.session
    assert session is not None
    page.get_by_role("button", name="End session").click()
    page.get_by_role("dialog").get_by_role("button", name="End session").click()
    press_until(take_in, page.get_by_role("heading", name="The table is free"))
    (ended,) = table.do(lambda: table.port.sessions(None, 5))
    assert (ended.id, ended.rounds) == (session.id, session.rounds + 1)
    *_, alone = table.do(lambda: table.port.results(session.id, 0, 10))
    assert (alone.game, alone.winner, alone.payments) == ("filipino", None, ())


def press_until(key: Locator, wanted: Locator) -> None:
    """Press the lid's key, at most once a second, until this is shown."""
    for _ in range(60):
        if wanted.count():
            return
        if key.count():
            key.first.evaluate("key => key.click()")
        key.page.wait_for_timeout(1000)
    raise AssertionError(f"{wanted} is not shown")
