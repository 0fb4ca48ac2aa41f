"""Service mode of the real service in a browser: live sensors; each motion ends with its press."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, Page, expect

from controller.service.user_roles import UserRole
from controller.upkeep.service_mode.jogging import RENEWAL
from tests.controller.web.panel.browser import PATIENCE, keep
from tests.controller.web.panel.real_table import RealTable, real_table

pytestmark = pytest.mark.slow

LATE = 1.5
"""Seconds that a browser may need on a loaded machine until it sends no further renewal."""
BEGINS = 5.0
"""Seconds in which a drum begins to run on a loaded machine, if the press was accepted."""
ATTEMPTS = 5
"""Presses after which a jog that stops by itself is a defect of the page."""
DRUM = "Hold to move drum forward"
HIDDEN = """() => {
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
"""Hides the page as another tab would; Chromium without a window hides no page by itself."""

HANG = """() => {
  setTimeout(() => { for (const end = performance.now() + 1000; performance.now() < end; ); });
}"""
"""Keeps the page busy for a second, as a device does that is overloaded or asleep. The busy loop
starts in a timer, so that the test does not wait for its end."""
COUNT_LOSSES = """() => {
  window.losses = 0;
  let wasShown = false;
  new MutationObserver(() => {
    const isShown = Boolean(document.getElementById("connection-lost"));
    if (isShown && !wasShown) window.losses += 1;
    wasShown = isShown;
  }).observe(document.body, { childList: true, subtree: true });
}"""
"""Counts in the page how often it shows that its connection is lost."""


class Workshop:
    """The table in service mode, with every change of its plant's outputs."""

    def __init__(self, table: RealTable, browser: Browser) -> None:
        self.table = table
        self.browser = browser
        self.outputs: list[tuple[float, str, int]] = []
        """The time of the table's clock, the channel and the value of each change."""

    def observe(self, channel: str, value: int) -> None:
        """Record a change of an output."""
        self.outputs.append((self.table.now(), channel, value))

    def open(self, **how: object) -> Page:
        """A further page of the technician, with the sensors and motors."""
        page = self.table.open(self.browser, UserRole.TECHNICIAN, "technician", **how)
        page.get_by_role("button", name=DRUM).scroll_into_view_if_needed()
        page.evaluate(COUNT_LOSSES)
        return page

    def is_on(self, channel: str) -> bool:
        """Whether the plant's output is on."""
        values = [value for _, name, value in self.outputs if name == channel]
        return bool(values and values[-1])

    def moves(
        self,
        page: Page,
        press: Callable[[], object],
        let_go: Callable[[], object],
        reached: Callable[[], bool],
    ) -> None:
        """Press a button of the page until `reached` is true while it is held; it stays pressed.

        A busy computer can send a jog or its renewal too late, which stops the motor, perhaps
        before this test looks; then the button is released by `let_go` and pressed again. A page
        that has lost its connection meanwhile ends the press by itself.
        """
        for _ in range(ATTEMPTS):
            page.evaluate("window.losses = 0")
            expect(page.locator("#connection-lost")).to_have_count(0)
            press()
            if reached():
                return
            let_go()
            time.sleep(2 * RENEWAL)
        raise AssertionError(f"The motor did not run as required in {ATTEMPTS} presses.")

    def stops(
        self,
        page: Page,
        press: Callable[[], object],
        end: Callable[[], object],
        let_go: Callable[[], object],
    ) -> None:
        """Require that the drum runs from `press` to `end`, and stops within the limit of a jog.

        The limit is longer by the time for which the computer did not run this test meanwhile, and
        by the time that the browser needed for `end`.
        """
        self.moves(page, press, let_go, partial(self.runs_on, page))
        began, ended = self.table.now(), time.monotonic()
        end()
        took = time.monotonic() - ended
        late = until(lambda: not self.is_on("drum"))
        off, renewed = self._stopped()
        assert off - renewed < RENEWAL + 0.1 + late
        assert off - began < LATE + took + late

    def runs_on(self, page: Page) -> bool:
        """Whether the drum begins to run in the time that a page may need, and is renewed."""
        before = self._changes()
        ends = time.monotonic() + BEGINS
        while not self.is_on("drum"):
            if self._changes() > before or time.monotonic() > ends:
                return False
            time.sleep(0.005)
        time.sleep(2 * RENEWAL)
        if self.is_on("drum"):
            return True
        off, renewed = self._stopped()
        is_late = off - renewed > 0.8 * RENEWAL
        assert is_late or page.evaluate("window.losses"), "A held button renews the jog."
        return False

    def _changes(self) -> int:
        """How often the drum's output has changed."""
        return sum(name == "drum" for _, name, _ in self.outputs)

    def _stopped(self) -> tuple[float, float]:
        """When the drum's output last changed, and when the jog was last renewed before."""
        off = next(at for at, name, _ in reversed(self.outputs) if name == "drum")
        return off, max(at for at, name in self.table.port.commands if name == "jog" and at <= off)


def until(reached: Callable[[], bool], limit: float = 120.0) -> float:
    """Wait in real time, at most `limit` seconds; returns the longest pause between two looks."""
    looked = time.monotonic()
    ends, longest = looked + limit, 0.0
    while not reached():
        time.sleep(0.005)
        longest, looked = max(longest, time.monotonic() - looked), time.monotonic()
        assert looked < ends
    return longest


def seen(reached: Callable[[], bool], holds: Callable[[], bool], seconds: float) -> bool:
    """Whether `reached` becomes true in this time, and while `holds` is true."""
    ends = time.monotonic() + seconds
    while not reached():
        if not holds() or time.monotonic() > ends:
            return False
        time.sleep(0.005)
    return True


def hold(page: Page, name: str = DRUM) -> None:
    """Press the mouse button on a button of the page, and keep it pressed."""
    page.get_by_role("button", name=name).hover()
    page.mouse.down()


@pytest.fixture(scope="module")
def shop(browser: Browser) -> Iterator[Workshop]:
    """A table in service mode."""
    with real_table() as table:
        shop = Workshop(table, browser)
        page = table.open(browser, UserRole.TECHNICIAN, "technician")
        page.get_by_role("button", name="Enter service mode").click()
        page.get_by_role("dialog").get_by_role("button", name="Enter service mode").click()
        expect(page.get_by_role("button", name=DRUM)).to_be_visible()
        page.close()
        table.plant.output_observers.append(shop.observe)
        yield shop


@pytest.fixture(scope="module")
def page(shop: Workshop) -> Page:
    """The technician's page, which several tests use."""
    return shop.open()


def test_a_motor_stops_when_its_button_or_key_is_released_or_the_pointer_leaves(
    shop: Workshop, page: Page
) -> None:
    notice = page.get_by_text("drum moves; technician holds the button")

    def is_announced() -> bool:
        runs = partial(shop.is_on, "drum")
        return shop.runs_on(page) and seen(notice.is_visible, runs, PATIENCE / 1000)

    shop.moves(page, partial(hold, page), page.mouse.up, is_announced)
    keep(page, "service")
    page.mouse.up()
    expect(page.get_by_text("drum moves;")).to_have_count(0)
    shop.stops(page, partial(hold, page), page.mouse.up, page.mouse.up)
    shop.stops(page, partial(hold, page), lambda: page.mouse.move(5, 5), page.mouse.up)
    page.mouse.up()
    page.get_by_role("button", name=DRUM).focus()
    released = partial(page.keyboard.up, " ")
    shop.stops(page, partial(page.keyboard.down, " "), released, released)


def test_a_motor_stops_when_the_page_is_hidden_or_hangs(shop: Workshop, page: Page) -> None:
    shop.stops(page, partial(hold, page), lambda: page.evaluate(HIDDEN), page.mouse.up)
    page.mouse.up()
    page.evaluate("delete document.visibilityState")
    shop.stops(page, partial(hold, page), lambda: page.evaluate(HANG), page.mouse.up)
    expect(page.get_by_text("Release the button, then press it again.")).to_be_visible()
    assert not shop.is_on("drum"), "renewals after the end of the motion do not resume it"
    page.mouse.up()


def test_a_motor_stops_when_the_network_fails_and_does_not_start_again_with_it(
    shop: Workshop, page: Page
) -> None:
    shop.stops(page, partial(hold, page), lambda: page.context.set_offline(True), page.mouse.up)
    changes = len(shop.outputs)
    page.context.set_offline(False)
    page.wait_for_timeout(1500)
    assert len(shop.outputs) == changes, "the late renewals and repetitions have no effect"
    page.mouse.up()


def test_a_motor_stops_when_a_second_finger_touches_or_the_finger_slides_off_or_the_page_closes(
    shop: Workshop,
) -> None:
    page = shop.open(size=(360, 740), has_touch=True, is_mobile=True, color_scheme="dark")
    devtools = page.context.new_cdp_session(page)
    first = {"x": 0.0, "y": 0.0, "id": 1}

    def touch(kind: str, *points: dict[str, float]) -> None:
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    def press() -> None:
        """Touch the button where it is now: a notice that appears or goes moves it."""
        box = page.get_by_role("button", name=DRUM).bounding_box()
        assert box is not None
        first.update(x=box["x"] + 20, y=box["y"] + 20)
        touch("touchStart", first)

    def second_finger() -> None:
        touch("touchStart", first, {"x": first["x"] - 50, "y": first["y"], "id": 2})

    cancel = partial(touch, "touchCancel")
    shop.stops(page, press, second_finger, cancel)
    cancel()
    shop.stops(page, press, lambda: touch("touchMove", {**first, "y": first["y"] + 200}), cancel)
    cancel()
    keep(page, "service_phone")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    shop.stops(page, press, page.context.close, cancel)


def test_an_axis_moves_after_homing_and_stops_with_its_ramp(shop: Workshop, page: Page) -> None:
    gantry = page.get_by_role("listitem").filter(has_text=re.compile("^gantry_z"))
    page.get_by_label("Search").fill("gantry_z")
    page.get_by_role("button", name="Hold to move gantry_z backward").scroll_into_view_if_needed()
    page.get_by_role("button", name="Home", exact=True).click()
    expect(page.get_by_text(re.compile("gantry_z.* is at home|at home"))).to_be_visible()
    before = position(shop, "gantry_z")
    has_moved = partial(seen, lambda: position(shop, "gantry_z") != before, lambda: True, BEGINS)
    press = partial(hold, page, "Hold to move gantry_z backward")
    shop.moves(page, press, page.mouse.up, has_moved)
    page.mouse.up()
    expect(page.get_by_text("gantry_z moves;")).to_have_count(0)
    assert standing(shop, page, "gantry_z") != before
    expect(gantry.first).to_contain_text("mm")
    page.get_by_label("Search").fill("")


def position(shop: Workshop, axis: str) -> float:
    """The position of an axis in the live channels, millimetres."""
    mode = shop.table.status.service_mode
    assert mode is not None
    value = mode.channels[axis].value
    assert value is not None
    return float(value)


def standing(shop: Workshop, page: Page, axis: str) -> float:
    """Wait until an axis has not moved for 0.5 s of the table's clock; returns its position."""
    ends = time.monotonic() + PATIENCE / 1000
    since, stopped = shop.table.now(), position(shop, axis)
    while shop.table.now() - since < 0.5:
        assert time.monotonic() < ends, f"{axis} does not stop"
        page.wait_for_timeout(20)
        if (present := position(shop, axis)) != stopped:
            since, stopped = shop.table.now(), present
    return stopped


def test_a_sensor_is_shown_live_with_its_last_seconds(shop: Workshop, page: Page) -> None:
    page.get_by_label("Search").fill("lid")
    closed = page.get_by_role("listitem").filter(has=page.get_by_text("lid_closed", exact=True))
    expect(closed.locator(".channel-value")).to_have_text(re.compile("^active"))
    value = closed.locator(".channel-value")
    line = closed.locator(".trace .line")

    def has_left() -> bool:
        """Whether the switch is left, and its trace falls; it may begin before it was active."""
        if not value.inner_text().startswith("inactive"):
            return False
        path = line.get_attribute("d") or ""
        heights = [float(each) for each in re.findall(r"V([\d.]+)", path)]
        return bool(heights) and heights[-1] > min(heights)

    def is_left() -> bool:
        return not value.inner_text().startswith("active")

    def close_again() -> None:
        """Close the lid: an open lid leaves the switch no more, and a trace has 10 s only."""
        page.mouse.up()
        backward = partial(hold, page, "Hold to move lid backward")
        is_closed = partial(seen, lambda: not is_left(), lambda: True, BEGINS)
        if is_left():
            shop.moves(page, backward, page.mouse.up, is_closed)
        page.mouse.up()

    is_shown = partial(seen, has_left, lambda: True, BEGINS)
    shop.moves(page, partial(hold, page, "Hold to move lid forward"), close_again, is_shown)
    page.wait_for_timeout(1200)
    page.mouse.up()
    keep(page, "service_trace")
    page.get_by_label("Search").fill("")


def test_leaving_service_mode_restores_the_state_before(shop: Workshop, page: Page) -> None:
    plant = shop.table.plant
    page.get_by_role("button", name="Leave service mode").click()
    expect(page.get_by_role("button", name="Enter service mode")).to_be_visible()
    state = shop.table.status.service
    assert (state.state, state.sentence) == (
        "idle",
        "The table is free; choose a game to begin.",
    )
    assert plant.lid is not None and not plant.lid.is_open()
    assert not [name for name in ("drum", "lid") if shop.is_on(name)]
