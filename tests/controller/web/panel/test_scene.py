"""Tests the picture in Chromium, with the events of simulated rounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from config.loader import game_names, load_game, load_table
from controller.events.place_words import face_in_words
from controller.service.port import HandRecord
from controller.service.status import (
    GameChoice,
    HeadStatus,
    MachineStatus,
    OpenPrompt,
    SceneStatus,
    SeatStatus,
    SessionStatus,
    Status,
    TableFacts,
)
from controller.service.user_roles import UserRole
from controller.web.panel.geometry import geometry
from controller.web.panel.preview import preview_deal
from controller.web.panel.replay_export import export_replay
from controller.web.panel.scene_geometry import TableGeometry
from tests.controller.web.panel.browser import mount, panel_files, seek
from tests.controller.web.panel.recorded import Events, recorded_round
from tests.fitting import fits
from tests.quick import EVIDENCE_ONLY

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]

Box = tuple[float, float]
FACES = "dice => dice.map((die) => die.dataset.face)"
HAND = re.compile(r"Seat (\d): (\d+) tiles")
_TRANSLATE = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\)")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with panel_files() as served:
        yield served


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 700, "height": 700})
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    yield opened
    context.close()
    assert errors == []


def shown_for(game: str, table: str) -> TableGeometry:
    return geometry(load_table(table), load_game(game))


def time_of(events: Events, name: str, last: bool = False) -> float:
    """The time of the first or the last event with this name."""
    times = [float(str(event["t"])) for event in events if event["event"] == name]
    return times[-1 if last else 0]


def tiles_on(page: Page) -> dict[str, Box]:
    """The position of every tile that is drawn, in millimetres."""
    drawn = page.evaluate(
        "[...document.querySelectorAll('.scene-tile')].map((tile) => [tile.dataset.place,"
        " tile.getAttribute('transform')])"
    )
    found = {}
    for place, transform in drawn:
        match = _TRANSLATE.search(transform)
        assert match, transform
        found[place] = (float(match[1]), float(match[2]))
    return found


def seats_of(events: Events) -> dict[str, int]:
    """The seat of each delivered place."""
    return {
        place: int(str(event["seat"]))
        for event in events
        if event["event"] == "delivered"
        for place in event["from"]  # type: ignore[attr-defined]
    }


@pytest.mark.parametrize(
    ("game", "table"),
    [
        ("wenzhou", "robotic"),
        pytest.param("wenzhou", "classic", marks=EVIDENCE_ONLY),
        ("wenzhou", "auto_deal"),
        ("pai_gow", "pai_gow"),
        pytest.param("filipino", "robotic", marks=EVIDENCE_ONLY),
        ("draw", "robotic"),
    ],
)
def test_at_the_end_of_a_deal_every_tile_is_at_its_seat_or_at_its_place(
    page: Page, address: str, game: str, table: str
) -> None:
    events = recorded_round(game, table)
    shown = shown_for(game, table)
    mount(page, address, shown)
    seek(page, events, time_of(events, "ready") + 5)
    drawn = tiles_on(page)
    assert drawn.keys() == shown.slots.keys()
    seats = seats_of(events)
    for seat in shown.seats:
        hand = [place for place, owner in seats.items() if owner == seat.seat]
        across = [drawn[place] for place in hand]
        for x, y in across:
            # Within the seat's row, or in the second row before it.
            near = abs(x / 1000 - seat.x) if seat.side % 2 == 0 else abs(-y / 1000 - seat.y)
            deep = abs(-y / 1000 - seat.y) if seat.side % 2 == 0 else abs(x / 1000 - seat.x)
            assert near <= seat.half + 0.01
            assert deep <= 0.065
        assert len(set(across)) == len(hand)
    if table != "auto_deal":
        for place in drawn.keys() - seats.keys():
            slot = shown.slots[place]
            assert drawn[place][0] == pytest.approx(slot.x * 1000, abs=0.11)
            assert drawn[place][1] == pytest.approx(-slot.y * 1000 - 5.5 * slot.level, abs=0.2)


def test_the_walls_rise_before_the_dice_and_the_arm_carries_a_packet(
    page: Page, address: str
) -> None:
    events = recorded_round("wenzhou", "robotic")
    mount(page, address, shown_for("wenzhou", "robotic"))
    seek(page, events, time_of(events, "walls_raised") - 1.2)
    faint = page.locator(".scene-tile").evaluate_all(
        "tiles => tiles.filter((tile) => Number(tile.getAttribute('opacity')) < 1).length"
    )
    assert 0 < faint < 136
    seek(page, events, time_of(events, "dice_thrown", last=True) + 0.5)
    thrown = [event for event in events if event["event"] == "dice_thrown"][-1]
    faces = page.locator(".scene-dice [data-face]").evaluate_all(FACES)
    assert [int(face) for face in faces] == thrown["dice"]
    carry = next(event for event in events if event.get("move") == "carry")
    begin = float(str(carry["t"]))
    after = next(float(str(event["t"])) for event in events if float(str(event["t"])) > begin)
    seek(page, events, (begin + after) / 2)
    assert page.locator(".scene-gantry.is-busy").count() == 1
    assert page.locator(".scene-flying .scene-tile").count() == len(list(carry["tiles"]))  # type: ignore[call-overload]
    seek(page, events, begin - 0.01)
    assert page.locator(".scene-flying .scene-tile").count() == 0


def test_the_indicator_shows_its_face_in_its_place_and_in_the_corner(
    page: Page, address: str
) -> None:
    events = recorded_round("wenzhou", "robotic")
    mount(page, address, shown_for("wenzhou", "robotic"))
    turned = next(event for event in events if event["event"] == "tile_turned_up")
    seek(page, events, float(str(turned["t"])) + 2)
    assert page.locator(f".scene-tile[data-place='{turned['at']}'] .scene-face").count() == 1
    assert page.locator(".scene-indicator").get_attribute("visibility") == "visible"
    label = page.locator(".table-scene").get_attribute("aria-label") or ""
    assert f"{face_in_words(str(turned['tile']))} is turned up: wall of Seat " in label
    assert re.search(r"stack \d+ from its right end, (upper|lower) tile\.", label)
    assert not re.search(r"\bw\d\.|\b[1-9][mpsz]\b", label), "no notation of the files"
    assert "Seat 0: 17 tiles." in label
    assert page.locator(".table-scene").get_attribute("role") == "img"


def test_a_jam_is_marked_at_its_head_until_it_is_cleared(page: Page, address: str) -> None:
    events = recorded_round("wenzhou", "robotic", "--fault", "jam:head2#30~9")
    shown = shown_for("wenzhou", "robotic")
    mount(page, address, shown)
    prompted = next(event for event in events if event["event"] == "operator_prompted")
    seek(page, events, float(str(prompted["t"])) + 0.1)
    mark = page.locator(".scene-mark")
    assert mark.get_attribute("data-part") == "head 2"
    spot = _TRANSLATE.search(mark.get_attribute("transform") or "")
    assert spot
    head = shown.heads["head 2"]
    assert (float(spot[1]), float(spot[2])) == (head.x * 1000, -head.y * 1000)
    recovered = next(event for event in events if event["event"] == "recovered")
    seek(page, events, float(str(recovered["t"])) + 0.1)
    assert mark.count() == 0


def test_while_a_cut_is_set_up_the_pile_is_shown_from_the_front(page: Page, address: str) -> None:
    events = recorded_round("pai_gow", "pai_gow", "--cut", "chee_yee")
    mount(page, address, shown_for("pai_gow", "pai_gow"))
    pushed = next(event for event in events if event.get("step") == "arrange")
    seek(page, events, float(str(pushed["t"])) + 0.1)
    assert page.locator(".scene-elevation").get_attribute("visibility") == "visible"
    assert page.locator(".scene-side").count() == 32
    assert page.locator(".scene-side.is-moved").count() == len(list(pushed["from"]))  # type: ignore[call-overload]
    seek(page, events, time_of(events, "ready") + 1)
    assert page.locator(".scene-elevation").get_attribute("visibility") == "hidden"


def test_statuses_and_events_give_the_same_picture_as_the_recording(
    page: Page, address: str
) -> None:
    """A client that joins late has only the status; its hands are at the same seats."""
    events = recorded_round("wenzhou", "robotic")
    shown = shown_for("wenzhou", "robotic")
    mount(page, address, shown, reducedMotion=True)
    seek(page, events, time_of(events, "ready") + 5)
    recorded = tiles_on(page)
    seats = seats_of(events)
    turned = next(event for event in events if event["event"] == "tile_turned_up")
    places = {place: f"seat {seats[place]}" if place in seats else "wall" for place in shown.slots}
    places[str(turned["at"])] = f"up {turned['tile']}"
    status = status_with(places)
    page.evaluate("status => scene.update(status)", status.model_dump(mode="json"))
    drawn = tiles_on(page)
    assert sorted(drawn.values()) == sorted(recorded.values())
    assert page.locator(".scene-seat-name").first.text_content() == "East · Mei · 17 tiles · 12"


def test_a_build_shows_the_counts_of_the_heads_the_trays_and_the_seat_that_is_asked(
    page: Page, address: str
) -> None:
    mount(page, address, shown_for("wenzhou", "robotic"), reducedMotion=True)
    lifted = {f"head {number}": HeadStatus(lifted=10 + number, target=34) for number in range(4)}
    asked = OpenPrompt(id="1", kind="act", role=UserRole.PLAYER, text="Act.", seats=(3,))
    status = status_with({}).model_copy(
        update={
            "machine": MachineStatus(under="building", top="clear", mode="going"),
            "scene": SceneStatus(drum=80, drum_turns=True, trays={"0": 10}, heads=lifted),
            "prompts": (asked,),
        }
    )
    page.evaluate("status => scene.update(status)", status.model_dump(mode="json"))
    counts = page.locator(".scene-head.is-counting .scene-count").all_text_contents()
    assert counts == ["10/34", "11/34", "12/34", "13/34"]
    assert page.locator(".scene-staged[visibility='visible']").count() == 5
    assert page.locator(".scene-drum-count").text_content() == "80"
    assert page.locator(".scene-seat.is-asked").text_content() == "Seat 3"
    still = status.model_copy(
        update={"machine": MachineStatus(under="shuffling", top="clear", mode="going")}
    )
    page.evaluate("status => scene.update(status)", still.model_dump(mode="json"))
    assert page.locator(".scene-head.is-counting").count() == 0


def status_with(places: dict[str, str]) -> Status:
    """The status of a table in play, with these places."""
    seat = SeatStatus(seat=0, wind="East", name="Mei", dealer=True, tiles=17, score=12)
    return Status(
        table=TableFacts(name="robotic", seats=4, simulated=True, software="test"),
        session=SessionStatus(id="s", started="", game="wenzhou", title="Wenzhou", seats=(seat,)),
        machine=MachineStatus(under="building", top="playing", mode="going"),
        scene=SceneStatus(places=places, drum=90, drum_turns=True),
    )


def test_with_reduced_motion_every_change_is_shown_at_once(page: Page, address: str) -> None:
    events = recorded_round("wenzhou", "robotic")
    mount(page, address, shown_for("wenzhou", "robotic"), reducedMotion=True)
    shown = page.evaluate(
        """(events) => {
          for (const event of events) {
            scene.event(event);
            if (event.event === "delivered") break;
          }
          return document.querySelectorAll(".scene-flying .scene-tile").length;
        }""",
        list(events),
    )
    assert shown == 0
    first = next(event for event in events if event["event"] == "delivered")
    drawn = tiles_on(page)
    hand = [drawn[place] for place in first["from"]]  # type: ignore[attr-defined]
    assert {y for _, y in hand} == {400.0}


def test_a_preview_plays_and_gives_the_picture_back(page: Page, address: str) -> None:
    config = load_game("pai_gow")
    deal = preview_deal(
        load_table("pai_gow"), config, GameChoice(game="pai_gow", answers={"cut": "cup_say"})
    )
    mount(page, address, deal.geometry)
    hands = page.evaluate(
        """async (deal) => {
          const shown = scene.preview(deal, { seconds: 0.6 });
          await shown.done;
          const hands = document.querySelector(".table-scene").getAttribute("aria-label");
          shown.stop();
          return hands;
        }""",
        deal.model_dump(mode="json"),
    )
    assert hands.count(": 4 tiles.") == 8
    assert page.locator(".scene-tile").count() == 0


def test_a_played_hand_shows_discards_in_the_middle_and_sets_before_the_seats(
    page: Page, address: str
) -> None:
    events = recorded_round("wenzhou", "robotic", "--play", "--seed", "2")
    mount(page, address, shown_for("wenzhou", "robotic"))
    acts = [event for event in events if event["event"] == "action_taken"]
    discards = [str(event["do"]).split()[1] for event in acts if "discard" in str(event["do"])]
    win = next(event for event in acts if str(event["do"]).startswith("win"))
    seek(page, events, float(str(win["t"])) - 0.01)
    label = page.locator(".table-scene").get_attribute("aria-label") or ""
    counts = [int(count) for _, count in HAND.findall(label)]
    assert len(counts) == 4
    assert all(16 <= count <= 18 for count in counts)
    faces = page.locator(".scene-tile .scene-face").evaluate_all(
        "faces => faces.map((face) => face.parentNode.dataset.face)"
    )
    for face in set(discards):
        assert faces.count(face) >= discards.count(face)
    own = {"chow": 2, "pong": 2, "kong": 3}
    claims = [own[verb] for event in acts if (verb := str(event["do"]).split()[0]) in own]
    assert claims, "the round has no claim; take another seed"
    assert len(faces) == 1 + len(discards) + sum(claims)
    seek(page, events, float(str(win["t"])) + 2)
    shown = page.locator(".scene-tile .scene-face").count()
    assert len(faces) + 10 <= shown <= len(faces) + len(str(win["do"]).split()) - 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_labels_are_readable_on_a_phone_in_both_themes(
    page: Page, address: str, theme: str
) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    events = recorded_round("wenzhou", "robotic")
    mount(page, address, shown_for("wenzhou", "robotic"))
    page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
    seek(page, events, time_of(events, "ready") + 5)
    sizes = page.evaluate(
        """() => [...document.querySelectorAll(".scene-seat-name")].map((label) => {
          const matrix = label.getScreenCTM();
          return parseFloat(getComputedStyle(label).fontSize) * Math.hypot(matrix.a, matrix.b);
        })"""
    )
    assert all(size >= 11.5 for size in sizes)
    assert len(sizes) == 4


def test_an_exported_replay_opens_offline_and_steps_through_the_round(
    browser: Browser, tmp_path: Path
) -> None:
    events = recorded_round("wenzhou", "robotic")
    file = tmp_path / "replay.html"
    record = HandRecord("evening", 1, (), events)
    file.write_text(export_replay(record, shown_for("wenzhou", "robotic")), "utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    page.goto(file.as_uri())
    page.get_by_label("Next step").click()
    captions = []
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        captions.append(page.locator(".scene-replay-caption").inner_text())
    assert requests == [file.as_uri()]
    assert errors == []
    assert "Seat 0 has thrown" in " ".join(captions)
    assert "The table is ready to play." in captions
    page.keyboard.press("Home")
    assert page.evaluate("replay.time") == 0
    ready = page.evaluate("replay.film.events.find((event) => event.event === 'ready').t")
    page.evaluate("time => replay.seek(time + 0.5)", ready)
    label = page.locator(".table-scene").get_attribute("aria-label") or ""
    assert "Seat 0: 17 tiles. Seat 1: 16 tiles. Seat 2: 16 tiles. Seat 3: 16 tiles." in label
    page.get_by_label("Play", exact=True).click()
    page.wait_for_function("time => replay.time > time + 0.7", arg=ready)
    page.get_by_label("Pause").click()
    assert page.evaluate("replay.playing") is False
    context.close()


def test_the_deal_of_every_game_and_on_every_table_can_be_shown(page: Page, address: str) -> None:
    pairs = [("robotic", game) for game in game_names() if fits("robotic", game)]
    pairs += [("auto_deal", "da_san"), ("bench", "wenzhou"), ("single_port", "draw")]
    pairs += [("classic", "filipino"), ("pai_gow", "bergen")]
    for table, game in pairs:
        deal = preview_deal(load_table(table), load_game(game), GameChoice(game=game))
        mount(page, address, deal.geometry)
        seek(page, deal.model_dump(mode="json")["events"], deal.seconds + 5)
        assert tiles_on(page).keys() == deal.geometry.slots.keys(), (table, game)
        label = page.locator(".table-scene").get_attribute("aria-label") or ""
        counts = {int(seat): int(count) for seat, count in HAND.findall(label)}
        assert counts == {hand.seat: len(hand.places) for hand in deal.hands}, (table, game)


def test_the_throw_before_the_last_one_stays_in_view(page: Page, address: str) -> None:
    events = recorded_round("wenzhou", "robotic")
    mount(page, address, shown_for("wenzhou", "robotic"))
    seek(page, events, time_of(events, "dice_thrown", last=True) + 4)
    thrown = [event["dice"] for event in events if event["event"] == "dice_thrown"]
    for group, faces in ((".scene-dice-before", thrown[0]), (".scene-dice", thrown[1])):
        dice = page.locator(f"{group} [data-face]")
        assert [int(face) for face in dice.evaluate_all(FACES)] == faces


def test_a_picture_in_which_nothing_moves_draws_no_frames(page: Page, address: str) -> None:
    events = recorded_round("wenzhou", "robotic")
    mount(page, address, shown_for("wenzhou", "robotic"), rate=2)
    still = ["walls_raised", "dice_thrown", "delivered", "ready"]
    # The page's clock advances by 50 ms with each frame that the picture requests. The motions
    # therefore take the same number of frames on a computer that draws few frames a second.
    requested, in_last_window, pending = page.evaluate(
        """async (events) => {
          let [requested, drawn, now] = [0, 0, performance.now()];
          performance.now = () => now;
          const request = window.requestAnimationFrame.bind(window);
          window.requestAnimationFrame = (act) => {
            requested += 1;
            return request((time) => {
              drawn += 1;
              now += 50;
              act(time);
            });
          };
          for (const event of events) scene.event(event);
          let before = 0;
          for (let window = 0; window < 60; window += 1) {
            before = requested;
            await new Promise((done) => setTimeout(done, 400));
            if (requested === before && requested === drawn) break;
          }
          return [requested, requested - before, requested - drawn];
        }""",
        [event for event in events if event["event"] in still],
    )
    assert requested > 1, "the picture requests further frames while something moves"
    assert (in_last_window, pending) == (0, 0)
