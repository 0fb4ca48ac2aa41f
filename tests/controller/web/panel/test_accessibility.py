"""axe-core finds no serious defect of accessibility on any view, in light and in dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from controller.service.status import OpenPrompt, PromptChoice, ServiceStatus
from controller.service.user_roles import UserRole
from tests.controller.web.api.test_recorded_cases import played
from tests.controller.web.panel.conftest import PHONE, TABLET, OpenPage
from tests.controller.web.panel.evening import CUT, DICE, JAM, MODE, PAST, RESULTS, session
from tests.controller.web.panel.served_panel import RunningPanel
from tests.controller.web.panel.test_case_of_a_hand import judge_of, with_hands
from tests.quick import EVIDENCE_ONLY

VENDOR = Path(__file__).parent / "vendor"
AXE = (VENDOR / "axe.min.js").read_text("utf-8")

pytestmark = pytest.mark.slow

DESK = (1280, 800)
Step = Callable[[Page, RunningPanel], None]


def _tab(name: str) -> Step:
    return lambda page, table: page.get_by_role("tab", name=name).click()


def _view(name: str) -> Step:
    def go(page: Page, table: RunningPanel) -> None:
        page.evaluate("name => { location.hash = `#/${name}`; }", name)

    return go


def _status(**values: Any) -> Step:
    return lambda page, table: table.change(**values)


def _settings(page: Page, table: RunningPanel) -> None:
    page.get_by_role("button", name="Settings").click()


def _escape(page: Page, table: RunningPanel) -> None:
    page.keyboard.press("Escape")


def _verdict(page: Page, table: RunningPanel) -> None:
    page.get_by_role("button", name="Show an example").click()
    page.get_by_role("button", name="Judge", exact=True).click()
    expect(page.get_by_text("The claim is valid.")).to_be_visible()


def _recorded_case(page: Page, table: RunningPanel) -> None:
    lines, _ = played("pai_gow")
    with_hands(table, "pai_gow", lines)
    page.evaluate("location.hash = '#/player'")
    page.get_by_role("tab", name="Scores").click()
    judge_of(page, 1)
    expect(page.get_by_text("This case was made of hand 1.")).to_be_visible()


PACKET = OpenPrompt(
    id="p-8",
    kind="step",
    role=UserRole.PLAYER,
    text="Seat 1 takes 4 tiles: wall of seat 1, stacks 8 and 9 from its right end.",
    seats=(1,),
    choices=(PromptChoice(value="", label="done"),),
)
TURNED = OpenPrompt(
    id="p-9",
    kind="face",
    role=UserRole.PLAYER,
    text="Seat 2 turns up a tile: wall of seat 2. Tap what it shows.",
    choices=(PromptChoice(value="", label="unknown"),),
    default="4p",
)
CLAIM = OpenPrompt(
    id="p-7",
    kind="act",
    role=UserRole.PLAYER,
    text="To act: seat 1.",
    seats=(1,),
    choices=tuple(PromptChoice(value=f"1 {do}", label=do) for do in ("pass", "chow 1m 3m")),
    declarations=("win", "false win"),
)


def _declared(page: Page, table: RunningPanel) -> None:
    page.get_by_text("Declare a win").click()
    tiles = page.get_by_role("group", name="Tiles", exact=True)
    for name in ("1 characters", "2 circles", "Red dragon"):
        tiles.get_by_role("button", name=name).click()
    expect(page.get_by_role("button", name="Remove 2 circles")).to_be_visible()


TECHNICIAN: dict[str, tuple[Step, ...]] = {
    "game of an idle table": (_view("player"),),
    "settings": (_settings,),
    "prompts and seats": (_escape, _status(**session(prompts=(CUT, DICE)))),
    "next game": (_tab("Game"),),
    "scores": (_tab("Scores"),),
    "dealer's correction": (_view("dealer"), _tab("Correction")),
    "steps by hand": (_view("player"), _status(**session(prompts=(PACKET, TURNED)))),
    "declaring a win": (_status(**session(prompts=(CLAIM,))), _declared),
    "attendant's cure": (_view("attendant"), _status(**session(prompts=(JAM,)))),
    "technician's first tab": (_view("technician"),),
    "state of the table": (_tab("Table"),),
    "users": (_tab("Users"),),
    "devices": (_tab("Devices"),),
    "service mode": (
        _tab("Service mode"),
        _status(service_mode=MODE, service=ServiceStatus(state="service_mode")),
    ),
    "leaving service mode and the question before it": (
        _status(service_mode=None, service=ServiceStatus()),
        lambda page, table: page.get_by_role("button", name="Enter service mode").click(),
    ),
    "judge": (_escape, _view("judge"), _verdict),
    "judge of a recorded hand": (_recorded_case,),
}
"""Steps of a technician through the views; each view is checked after its steps."""


def defects(page: Page) -> list[str]:
    """Serious and critical violations in the page, each with its first element."""
    page.wait_for_timeout(150)
    found: list[dict[str, Any]] = page.evaluate(
        "async () => (await axe.run(document, { resultTypes: ['violations'] })).violations"
    )
    return [
        f"{each['id']} ({each['impact']}): {each['nodes'][0]['html'][:160]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.fixture
def evening(table: RunningPanel) -> Iterator[RunningPanel]:
    """A table with two sessions of the past."""
    table.service.past[:] = PAST
    table.service.hands[:] = RESULTS
    table.service.journal[:] = [f'{{"number":{n},"kind":"note"}}' for n in range(1, 121)]
    return table


@pytest.mark.parametrize(
    ("theme", "size"),
    [
        ("light", DESK),
        ("dark", PHONE),
        pytest.param("dark", TABLET, marks=EVIDENCE_ONLY),
        pytest.param("light", PHONE, marks=EVIDENCE_ONLY),
    ],
)
def test_no_view_has_a_serious_defect(
    evening: RunningPanel, open_page: OpenPage, theme: str, size: tuple[int, int]
) -> None:
    page = open_page("player", role="technician", theme=theme, size=size)
    expect(page.get_by_role("heading", name="The table is free")).to_be_visible()
    page.evaluate(AXE)
    found = {}
    for name, steps in TECHNICIAN.items():
        for step in steps:
            step(page, evening)
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
        if wrong := defects(page):
            found[name] = wrong
    assert found == {}


@pytest.mark.parametrize(("theme", "size"), [("light", PHONE), ("dark", DESK)])
def test_the_auditors_view_and_the_signed_out_pages_have_no_serious_defect(
    evening: RunningPanel, open_page: OpenPage, theme: str, size: tuple[int, int]
) -> None:
    page = open_page(role="auditor", theme=theme, size=size)
    expect(page.get_by_text("Sessions")).to_be_visible()
    page.get_by_role("button", name="Wenzhou mahjong").click()
    page.evaluate(AXE)
    found = {"auditor": defects(page)}
    out = open_page(theme=theme, size=size)
    expect(out.get_by_role("heading", name="Sign in")).to_be_visible()
    out.evaluate(AXE)
    found["sign in"] = defects(out)
    for page_name in ("/pair", "first-start=token"):
        out.evaluate("name => { location.hash = name; }", page_name)
        found[page_name] = defects(out)
    assert not any(found.values()), found


def test_the_checker_reports_a_defect_that_exists(open_page: OpenPage) -> None:
    page = open_page()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.evaluate(AXE)
    page.evaluate(
        "document.querySelector('input').parentElement.replaceWith(document.createElement('input'))"
    )
    assert any(each.startswith("label (critical)") for each in defects(page))


def test_the_checker_is_the_recorded_version() -> None:
    record = (VENDOR / "VENDORED.md").read_text("utf-8")
    assert sha256((VENDOR / "axe.min.js").read_bytes()).hexdigest() in record
    assert "MPL-2.0" in record
    assert (VENDOR / "LICENSE-axe-core.txt").stat().st_size > 1000
