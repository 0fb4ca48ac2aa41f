"""Every view of the panel on the real service in every size, theme and language."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser

from controller.service.user_roles import UserRole
from tests.controller.web.panel.browser import keep
from tests.controller.web.panel.real_table import RealTable, real_table

pytestmark = pytest.mark.slow


class Shown(NamedTuple):
    """A window: its size in pixels, theme, language, and whether it is a touchscreen."""

    name: str
    size: tuple[int, int]
    language: str
    theme: str
    touch: bool = False
    motion: str = "no-preference"


WINDOWS = (
    Shown("phone", (360, 740), "fil", "dark", touch=True),
    Shown("tablet", (800, 1280), "ja", "light", touch=True),
    Shown("laptop", (1280, 800), "zh", "dark", motion="reduce"),
    Shown("4k", (3840, 2160), "en", "light"),
)
PRESENT: dict[str, tuple[str, ...]] = {
    "idle": ("player", "technician"),
    "fault": ("player", "attendant"),
    "play": ("player", "dealer", "attendant", "technician", "judge"),
    "service_mode": ("technician",),
}
"""The states of the table, and the views that show something of their own in that state."""

WALK = Path(__file__).with_name("walk_through_views.js").read_text("utf-8")
"""Opens views and all of their tabs; reports each place's defects, and its words not in English."""

NAMES = ("Mei", "Ren", "Ligaya", "Jo")
OWN_WORDS = re.compile(
    r"Mei|Ren|Ligaya|Jo|Four-port table with a robot arm|robotic|API|zip|"
    r"technician|attendant|dealer|player|auditor|[0-9a-f]{64}"
)
"""Words that no catalogue translates: names of players, users and the table, two terms, and random
shares in hexadecimal digits."""
MESSAGES = Path(__file__).parents[4] / "controller/web/panel/static/messages"
ENGLISH, FILIPINO = (
    json.loads((MESSAGES / f"{language}.json").read_text("utf-8")) for language in ("en", "fil")
)
LOAN = re.compile(
    "|".join(
        re.sub(r"\\{\w+\\}", ".+", re.escape(word))
        for key, word in FILIPINO.items()
        if word == ENGLISH[key] and re.search("[A-Za-z]{3}", re.sub(r"{\w+}", "", word))
    )
)
"""The messages that are the same in Filipino and in English."""


class Windows:
    """One page that is shown in every window, and what was wrong in each."""

    def __init__(self, browser: Browser, table: RealTable) -> None:
        self.table = table
        self.wrong: dict[str, set[str]] = defaultdict(set)
        self.words: dict[str, set[str]] = defaultdict(set)
        """The words of each language."""
        self.page = table.open(browser, UserRole.TECHNICIAN, "player")
        self.page.on("pageerror", lambda error: self.wrong[f"error {error}"].add("page"))
        self.channels = {"head 2"}
        """Names of the table's parts and channels."""
        self._device = self.page.context.new_cdp_session(self.page)

    def show(self, shown: Shown) -> None:
        """Show the page in this window."""
        width, height = shown.size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": shown.touch}
        self.page.set_viewport_size({"width": width, "height": height})
        self._device.send("Emulation.setDeviceMetricsOverride", metrics)
        self._device.send("Emulation.setTouchEmulationEnabled", {"enabled": shown.touch})
        self.page.emulate_media(color_scheme=shown.theme, reduced_motion=shown.motion)  # type: ignore[arg-type]
        self.page.evaluate(
            """async (language) => {
              await (await import("./data/messages.js")).changeLanguage(language);
              (await import("./data/store.js")).change({});
              await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            }""",
            shown.language,
        )

    def check(self, state: str) -> None:
        """Walk through the views of a state of the table in every window."""
        for shown in WINDOWS:
            self.show(shown)
            for place in self.page.evaluate(WALK, list(PRESENT[state])):
                for defect in place["defects"]:
                    self.wrong[defect].add(f"{state}, {shown.name}, {place['place']}")
                self.words[shown.language].update(place["words"])
            self.page.evaluate(
                """async ([view]) => {
                  location.hash = `#/${view}`;
                  await new Promise((done) => setTimeout(done, 100));
                  document.querySelector("main [role=tab]")?.click();
                  scrollTo(0, 0);
                }""",
                PRESENT[state],
            )
            keep(self.page, f"{state}_{shown.name}")

    def untranslated(self) -> dict[str, list[str]]:
        """The English words on pages of each other language that are not marked as English."""
        names = re.compile("|".join(sorted(self.channels, key=len, reverse=True)))

        def is_foreign(language: str, words: str) -> bool:
            parts = [OWN_WORDS.sub("", names.sub("", part)) for part in words.split(" · ")]
            if language == "fil":
                if words not in self.words["en"]:
                    return False
                parts = [part for part in parts if not LOAN.fullmatch(part)]
            return any(re.search("[A-Za-z]{3}", part) for part in parts)

        return {
            language: found
            for language in ("ja", "zh", "fil")
            if (found := sorted(w for w in self.words[language] if is_foreign(language, w)))
        }


def test_every_view_fits_every_window_and_speaks_its_language(browser: Browser) -> None:
    with real_table(pace=60, faults=("jam:head2@20~60",)) as table:
        windows = Windows(browser, table)
        windows.check("idle")
        choice = {"game": "wenzhou", "follow_play": True}
        table.give("start_session", choice=choice, names=dict(enumerate(NAMES)))
        table.until(lambda status: any(each.kind == "fault" for each in status.prompts))
        windows.check("fault")
        table.answer("fault", "done")
        table.give("automatic", on=True)
        table.until(
            lambda status: status.session.results and status.round and not status.round.over
        )
        table.give("automatic", on=False)
        table.until(lambda status: any(each.kind == "act" for each in status.prompts))
        windows.check("play")
        table.give("end_session")
        table.give("press_lid_key")
        table.until(lambda status: status.session is None)
        assert table.give("enter_service_mode").state == "done"
        table.until(lambda status: status.service_mode is not None)
        mode = table.status.service_mode
        assert mode is not None
        windows.channels |= {*mode.channels}
        windows.check("service_mode")
        assert windows.wrong == {}
        assert windows.untranslated() == {}
        windows.page.context.close()
