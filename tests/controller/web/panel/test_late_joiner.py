"""A page that is loaded during a hand shows the same discards and sets as one that saw it all.

The hand of Wenzhou contains a chow that a pong beats. Only the rules give the result of these two
actions, so the page that received them takes the sets from the status as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Page

from config.loader import load_game, load_table
from controller.events import Event
from controller.service.status import Status
from controller.service.status.players_view import players_status
from controller.web.panel.geometry import geometry
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.controller.web.panel.browser import SharedChromium, keep, mount, panel_files
from tests.controller.web.panel.recorded import Events

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]
_TRANSLATE = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\)")


@pytest.fixture(scope="module")
def pages(shared_chromium: SharedChromium) -> Iterator[tuple[Page, Page, str]]:
    """Two pages of one browser, and the address of the panel's files."""
    with panel_files() as address, shared_chromium.lent() as browser:
        yield browser.new_page(), browser.new_page(), address


def middle_of_a_hand(game: str, acts: int) -> tuple[Events, Status]:
    """The events of a hand up to this number of actions, and the status at that time."""
    events: list[Event] = []
    found: list[Status] = []

    async def scenario(guests: Guests) -> None:
        guests.service.listen(events.append)
        await guests.give("start_session", choice={"game": game, "follow_play": True})
        await guests.until(lambda s: bool(s.round and s.round.acts >= acts), limit=7200)
        found.append(guests.status)

    with ThreadPoolExecutor(1) as apart:  # Playwright's event loop runs in this thread.
        apart.submit(at_a_table, scenario).result()
    now = found[0].round
    assert now is not None
    ends = [at for at, event in enumerate(events) if event["event"] == "action_taken"]
    return tuple(events[: ends[now.acts - 1] + 1]), found[0]


def open_faces(page: Page) -> Counter[tuple[str, int, int]]:
    """Each face that is drawn, with its position in millimetres."""
    drawn = page.evaluate(
        "[...document.querySelectorAll('.scene-tile')].map((tile) => "
        "[tile.dataset.face ?? '', tile.getAttribute('transform')])"
    )
    found = Counter[tuple[str, int, int]]()
    for face, transform in drawn:
        match = _TRANSLATE.search(transform)
        assert match
        if face:
            found[face, round(float(match[1])), round(float(match[2]))] += 1
    return found


def test_W18_players_see_the_discards_mixed_in_the_middle_and_the_dealer_in_rows(
    pages: tuple[Page, Page, str],
) -> None:
    """The spots of mixed discards are those of the places, whatever the order of the discards."""
    players, dealer, address = pages
    _, status = middle_of_a_hand("wenzhou", 60)
    seen = players_status(status)
    assert status.round is not None and status.round.open_tiles is not None
    assert seen.round is not None and seen.round.open_tiles is not None
    pool = seen.round.open_tiles.pool
    assert len(pool) >= 8 and not seen.round.open_tiles.played
    shown = geometry(load_table("robotic"), load_game("wenzhou"))
    for page, each in ((players, seen), (dealer, status)):
        mount(page, address, shown, reducedMotion=True)
        page.evaluate("status => scene.update(status)", each.model_dump(mode="json"))
        keep(page, f"discards_{'players' if each is seen else 'dealer'}")
    faces = open_faces(players)
    assert Counter(face for face, *_ in faces.elements()) == Counter(
        face for face, *_ in open_faces(dealer).elements()
    )
    half = 1000 * shown.field.wall_distance
    inside = [face for face, x, y in faces.elements() if max(abs(x), abs(y)) < half - 20]
    assert Counter(pool) - Counter(inside) == Counter()
    # A later status of the same hand moves no tile.
    players.evaluate("status => scene.update(status)", seen.model_dump(mode="json"))
    assert open_faces(players) == faces


@pytest.mark.parametrize(("game", "acts", "least"), [("wenzhou", 60, 12), ("block", 9, 6)])
def test_a_page_loaded_during_a_hand_shows_the_picture_of_a_page_that_saw_every_action(
    pages: tuple[Page, Page, str], game: str, acts: int, least: int
) -> None:
    early, late, address = pages
    events, status = middle_of_a_hand(game, acts)
    shown = geometry(load_table("robotic"), load_game(game))
    for page in (early, late):
        mount(page, address, shown, reducedMotion=True)
    early.evaluate("events => events.forEach((event) => scene.event(event))", list(events))
    for page in (early, late):
        page.evaluate("status => scene.update(status)", status.model_dump(mode="json"))
    faces = open_faces(late)
    assert faces.total() >= least
    assert faces == open_faces(early)
    # A later status of the same hand moves no tile.
    late.evaluate("status => scene.update(status)", status.model_dump(mode="json"))
    assert open_faces(late) == faces
