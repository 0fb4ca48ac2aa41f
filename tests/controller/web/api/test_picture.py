"""The picture's geometry and the preview of a deal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from config.loader import load_game, load_table
from controller.service.port import HandRecord
from controller.service.status import GameChoice, Programme
from controller.service.user_roles import UserRole
from controller.web.panel.geometry import geometry
from tests.controller.web.api.fake_service import FakeService
from tests.controller.web.api.served import an_api, run

GEOMETRY, PREVIEW = "/api/v1/geometry", "/api/v1/preview"


def test_the_picture_shows_the_game_on_the_table() -> None:
    async def test() -> None:
        service = FakeService()
        table = load_table("robotic")
        async with an_api(service, table) as api, api.client(UserRole.PLAYER) as player:
            empty = (await player.get(GEOMETRY)).json()
            assert (empty["game"], empty["slots"]) == ("", {})
            choice = GameChoice(game="wenzhou")
            programme = Programme(now=choice)
            service.feed.publish(service.feed.status.model_copy(update={"programme": programme}))
            shown = (await player.get(GEOMETRY)).json()
            assert (shown["game"], len(shown["slots"])) == ("wenzhou", 136)

    run(test)


def test_a_cut_is_previewed_before_it_is_chosen() -> None:
    async def test() -> None:
        async with (
            an_api(table=load_table("pai_gow")) as api,
            api.client(UserRole.PLAYER) as player,
        ):
            choice = {"game": "pai_gow", "answers": {"cut": "chee_yee"}}
            dealt = (await player.post(PREVIEW, json={"choice": choice})).json()
            assert [hand["number"] for hand in dealt["hands"]]
            assert {"event": "choice_made", "what": "cut", "answer": "chee_yee"}.items() <= next(
                each.items() for each in dealt["events"] if each["event"] == "choice_made"
            )

    run(test)


@pytest.mark.parametrize(
    ("choice", "part"),
    [
        ({"game": "chess"}, "chess"),
        ({"game": "wenzhou", "house_rules": {"reserve": 200}}, "reserve"),
        ({"game": "wenzhou", "house_rules": {"no_such": 1}}, "no_such"),
        ({"game": "pai_gow", "players": 9}, "9"),
        ({"game": "pai_gow", "answers": {"cut": "sideways"}}, "sideways"),
    ],
)
def test_an_impossible_choice_is_a_problem_with_the_value(
    choice: dict[str, Any], part: str
) -> None:
    async def test() -> None:
        async with (
            an_api(table=load_table("pai_gow")) as api,
            api.client(UserRole.PLAYER) as player,
        ):
            answer = await player.post(PREVIEW, json={"choice": choice})
            assert (answer.status_code, answer.json()["code"]) == (422, "impossible_choice")
            assert part in answer.json()["detail"]

    run(test)


def test_without_a_table_there_is_no_picture() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as player:
            assert (await player.get(GEOMETRY)).status_code == 404

    run(test)


def test_a_recorded_hand_is_saved_as_a_page_that_replays_it() -> None:
    async def test() -> None:
        service = FakeService()
        events: tuple[dict[str, object], ...] = (
            {"t": 1.0, "event": "walls_raised", "set": 0},
            {"t": 2.0, "event": "dice_thrown", "by": 0, "dice": [3, 5]},
            {"t": 3.0, "event": "dice_thrown", "by": 3, "dice": [2, 4]},
            {"t": 9.0, "event": "ready", "dealer": 0, "set": 0},
        )
        choice = GameChoice(game="wenzhou")
        service.records["s1", 3] = HandRecord("s1", 3, (), events, choice)
        service.records["s1", 4] = HandRecord("s1", 4, (), events)
        table = load_table("auto_deal")
        async with an_api(service, table) as api, api.client(UserRole.PLAYER) as player:
            page = await player.get("/api/v1/sessions/s1/hands/3/replay.html")
            assert page.status_code == 200
            assert page.headers["content-type"] == "text/html; charset=utf-8"
            assert "attachment" in page.headers["content-disposition"]
            assert '"dice":[3,5]' in page.text
            shown = geometry(table, load_game("wenzhou"), choice, [(3, 5), (2, 4)])
            assert shown != geometry(table, load_game("wenzhou"), choice)
            assert (
                json.dumps(shown.model_dump(mode="json")["slots"]["w0.1u"]).replace(" ", "")
                in page.text
            )
            for unknown in (4, 5):
                answer = await player.get(f"/api/v1/sessions/s1/hands/{unknown}/replay.html")
                assert answer.status_code == 404

    run(test)
