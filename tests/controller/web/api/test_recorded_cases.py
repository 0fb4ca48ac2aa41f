"""A recorded hand becomes a case for the judge: as JSON for the panel, as YAML for the program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from config.judge_cases import load_case
from controller.proof.conformance.dealing import dealt
from controller.service.port import HandRecord
from controller.service.user_roles import UserRole
from controller.web.api.endpoints import PREFIX as V1
from rules.games import PLUGINS, judging_of
from rules.play import random_action
from rules.records.record import recorded
from tests.controller.web.api.fake_service import FakeService, an_evening
from tests.controller.web.api.served import an_api, run


def session_of(*hands: Sequence[str]) -> FakeService:
    """A service whose session s2 has these hands, each with the lines of its record."""
    service = an_evening()
    service.records = {
        ("s2", number): HandRecord("s2", number, tuple(lines), ())
        for number, lines in enumerate(hands, 1)
    }
    return service


def played(game: str, winner: int | None = None, match: Any = None) -> tuple[list[str], Any]:
    """The record of a hand that ends with a win, of this seat if one is given; and its play."""
    plugin = PLUGINS[game]
    rules = plugin.require_rules()
    for seed in range(400):
        chance = Random(seed)
        setup, tiles = dealt(
            plugin, chance, plugin.game.usual_players, match.dealer if match else 0
        )
        start = match or rules.match(setup.parameters, setup.seating.players, setup.seating.dealer)
        play, actions = rules.start(setup, tiles, start), []
        while play.settlement is None:
            wins = (each for each in play.legal_actions if str(each).startswith("win"))
            actions.append(next(wins, None) or random_action(play, chance.choice))
            play = play.apply(actions[-1])
        if play.settlement.winner is None and game == "wenzhou":
            continue
        if winner in (None, play.settlement.winner):
            return list(recorded(setup, tiles, actions)), play
    raise AssertionError("no such hand")


@pytest.mark.parametrize("game", ["wenzhou", "pai_gow", "draw"])
def test_a_hand_becomes_a_case_that_is_judged_as_it_was_settled(game: str, tmp_path: Path) -> None:
    lines, play = played(game)

    async def test() -> None:
        async with an_api(session_of(lines)) as api, api.client(UserRole.PLAYER) as player:
            made = (await player.get(f"{V1}/sessions/s2/hands/1/case")).json()
            assert (made["game"], made["settled"]) == (game, play.settlement.name)
            verdict = await player.post(f"{V1}/judge/{game}", json=made["case"])
            assert verdict.status_code == 200, verdict.text
            assert verdict.json()["legal"]
            if game != "pai_gow":
                assert verdict.json()["name"] == play.settlement.name
            file = await player.get(f"{V1}/sessions/s2/hands/1/case.yaml")
            assert 'filename="case-1.yaml"' in file.headers["content-disposition"]
            saved = tmp_path / "case.yaml"
            saved.write_bytes(file.content)
            by_program = judging_of(game).judge(load_case(game, saved)).facts()
            assert by_program == verdict.json()

    run(test)


def test_a_case_of_pai_gow_is_about_one_of_the_seats_that_bet() -> None:
    lines, play = played("pai_gow")

    async def test() -> None:
        async with an_api(session_of(lines)) as api, api.client(UserRole.PLAYER) as player:
            path = f"{V1}/sessions/s2/hands/1/case"
            seats = (await player.get(path)).json()["seats"]
            assert seats == [seat for seat in play.players if play.stakes[seat]]
            made = (await player.get(f"{path}?seat={seats[1]}")).json()
            assert made["case"]["seat"] == seats[1]
            refused = await player.get(f"{path}?seat={play.banker}")
            assert (refused.status_code, refused.json()["code"]) == (409, "no_case")
            assert f"seat {play.banker} has bet" in refused.json()["detail"]

    run(test)


def test_the_hands_before_decide_the_wins_in_a_row() -> None:
    rules = PLUGINS["wenzhou"].require_rules()
    first, play = played("wenzhou", winner=0)
    after = rules.match(PLUGINS["wenzhou"].game.parameters(), 4, 0).after(play)
    second, _ = played("wenzhou", match=after)

    async def test() -> None:
        async with an_api(session_of(first, second)) as api, api.client(UserRole.PLAYER) as player:
            streaks = [
                (await player.get(f"{V1}/sessions/s2/hands/{hand}/case")).json()["case"]["streak"]
                for hand in (1, 2)
            ]
            assert streaks == [1, 2]

    run(test)


def test_a_hand_of_which_no_case_can_be_made_says_why() -> None:
    lines, _ = played("wenzhou")

    async def test() -> None:
        service = session_of(lines, [], lines[:-1], ["not a record"])
        async with an_api(service) as api, api.client(UserRole.PLAYER) as player:
            reasons = {2: "did not follow its play", 3: "no seat has won it", 4: "Line"}
            for hand, reason in reasons.items():
                for path in ("case", "case.yaml"):
                    answer = await player.get(f"{V1}/sessions/s2/hands/{hand}/{path}")
                    assert (answer.status_code, answer.json()["code"]) == (409, "no_case")
                    assert reason in answer.json()["detail"]
            for path in ("s2/hands/9/case", "s9/hands/1/case", "s2/hands/0/case.yaml"):
                assert (await player.get(f"{V1}/sessions/{path}")).status_code == 404

    run(test)
