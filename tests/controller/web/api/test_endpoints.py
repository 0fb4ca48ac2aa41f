"""Every endpoint answers as its OpenAPI description says."""

from __future__ import annotations

import subprocess
import sys

import pytest

from config.loader import load_table
from controller.service.commands import COMMANDS
from controller.service.port import CommandReply
from controller.service.user_roles import UserRole
from controller.web.api.endpoints import ENDPOINTS, PREFIX, SUBSCRIBE
from tests.controller.web.api.served import an_api, run

V1 = PREFIX


@pytest.mark.slow
def test_the_status_has_a_sequence_number_and_the_id_of_this_start() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.DEALER) as dealer:
            api.service.show(w1="wall")
            status = (await dealer.get(f"{V1}/status")).json()
            assert (status["type"], status["sequence"]) == ("snapshot", 1)
            assert status["status"]["scene"]["places"] == {"w1": "wall"}
            assert status["run"] == api.hub.run

    run(test)


def test_the_table_of_commands_has_the_role_and_the_arguments_of_each() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as player:
            commands = (await player.get(f"{V1}/commands")).json()["commands"]
            assert [each["name"] for each in commands] == [kind.name for kind in COMMANDS]
            (answer,) = (each for each in commands if each["name"] == "answer")
            assert answer["role"] == "player"
            assert set(answer["arguments"]["properties"]) == {"prompt", "value"}

    run(test)


def test_an_accepted_command_reaches_the_service_with_the_callers_name() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as player:
            api.service.reply = CommandReply(id="", state="accepted", sentence="Soon.")
            given = {"id": "c1", "name": "pause"}
            answer = await player.post(
                f"{V1}/commands", json=given, headers={"X-Client-Id": "tab-1"}
            )
            assert (answer.status_code, answer.json()["state"]) == (202, "accepted")
            ((request, actor),) = api.service.given
            assert (request.id, actor.name, actor.role) == ("c1", "player", UserRole.PLAYER)
            assert actor.client.endswith(".tab-1")

    run(test)


@pytest.mark.parametrize(("code", "status"), [("busy", 409), ("role", 403), ("arguments", 422)])
def test_a_refused_command_is_a_problem_document(code: str, status: int) -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as player:
            api.service.reply = CommandReply(
                id="", state="refused", sentence="A round runs.", code=code, next_step="Wait."
            )
            answer = await player.post(f"{V1}/commands", json={"id": "c1", "name": "pause"})
            assert answer.status_code == status
            assert answer.headers["content-type"] == "application/problem+json"
            problem = answer.json()
            assert problem["type"] == f"urn:wallwright:problem:{code}"
            assert (problem["code"], problem["detail"]) == (code, "A round runs.")
            assert (problem["next_step"], problem["status"]) == ("Wait.", status)

    run(test)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"id": "c", "name": "dance"}, "unknown_command"),
        ({"id": "c", "name": "correct", "arguments": {"acts": 0}}, "arguments"),
        ({"id": "c c", "name": "pause"}, "invalid_request"),
        ({"id": "c", "name": "pause", "more": 1}, "invalid_request"),
    ],
)
def test_a_wrong_command_is_refused_before_the_service_sees_it(given: object, code: str) -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.TECHNICIAN) as client:
            answer = await client.post(f"{V1}/commands", json=given)
            assert (answer.status_code, answer.json()["code"]) == (422, code)
            assert not api.service.given

    run(test)


@pytest.mark.slow
def test_the_games_have_their_house_rules_as_a_form_with_meanings_and_defaults() -> None:
    async def test() -> None:
        table = load_table("pai_gow")
        async with an_api(table=table) as api, api.client(UserRole.PLAYER) as player:
            games = {
                each["name"]: each for each in (await player.get(f"{V1}/games")).json()["games"]
            }
            wenzhou = games["wenzhou"]
            reserve = wenzhou["house_rules"]["properties"]["reserve"]
            assert (reserve["type"], reserve["default"]) == ("integer", 16)
            assert "stay in the wall" in reserve["description"]
            assert (wenzhou["fits"], games["pai_gow"]["fits"]) == (False, True)
            assert wenzhou["reasons"]
            assert wenzhou["followed"]
            assert wenzhou["judged"]
            cuts = games["pai_gow"]["house_rules"]["properties"]["allowed_cuts"]
            assert "cup_say" in cuts["default"]

    run(test)


def test_the_judge_returns_the_verdict_of_the_example_case() -> None:
    async def test() -> None:
        from config.strict_yaml import parse  # noqa: PLC0415 - the example is YAML

        async with an_api() as api, api.client(UserRole.PLAYER) as player:
            form = (await player.get(f"{V1}/judge/wenzhou")).json()
            case = parse(form["example"], "case").value
            verdict = await player.post(f"{V1}/judge/wenzhou", json=case)
            assert verdict.status_code == 200, verdict.text
            assert verdict.json()["reasons"]
            wrong = await player.post(f"{V1}/judge/wenzhou", json={"hand": 5})
            assert (wrong.status_code, wrong.json()["code"]) == (422, "invalid_case")
            assert "hand" in wrong.json()["detail"]
            assert (await player.post(f"{V1}/judge/chess", json={})).status_code == 404

    run(test)


def test_the_fault_catalogue_names_who_may_clear_each_fault() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as player:
            faults = (await player.get(f"{V1}/faults")).json()["faults"]
            (jam,) = (each for each in faults if each["code"] == "JAM")
            assert jam["role"] == "attendant"
            assert jam["request"]

    run(test)


def test_sessions_and_results_are_read_page_by_page() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as player:
            first = (await player.get(f"{V1}/sessions?limit=1")).json()
            assert ([each["id"] for each in first["sessions"]], first["next"]) == (["s2"], "s2")
            last = (await player.get(f"{V1}/sessions?limit=5&before=s2")).json()
            assert ([each["id"] for each in last["sessions"]], last["next"]) == (["s1"], None)
            hands, after = [], 0
            while after is not None:
                path = f"{V1}/sessions/s2/results?limit=2&after={after}"
                page = (await player.get(path)).json()
                hands += [each["number"] for each in page["results"]]
                after = page["next"]
            assert hands == [1, 2, 3, 4, 5]

    run(test)


def test_a_hands_record_has_its_lines_and_an_unknown_hand_is_not_found() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as player:
            record = (await player.get(f"{V1}/sessions/s2/hands/1/record")).json()
            assert record["lines"] == ["a line"]
            missing = await player.get(f"{V1}/sessions/s2/hands/9/record")
            assert (missing.status_code, missing.json()["code"]) == (404, "unknown_hand")

    run(test)


def test_the_journal_is_read_page_by_page_or_as_a_stream_from_any_line_on() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.AUDITOR) as auditor:
            journal = api.service.journal
            assert (await auditor.get(f"{V1}/journal")).text.splitlines() == journal[:50]
            page = (await auditor.get(f"{V1}/journal?after=50&limit=200")).text.splitlines()
            assert page == journal[50:]
            for limit in (0, 201, -1, "9" * 5000, "many"):
                assert (await auditor.get(f"{V1}/journal?limit={limit}")).status_code == 422
            api.service.journal_calls = 0
            whole = await auditor.get(f"{V1}/journal.ndjson")
            assert whole.text.splitlines() == journal
            assert api.service.journal_calls == 3
            assert 'filename="journal.ndjson"' in whole.headers["content-disposition"]
            rest = (await auditor.get(f"{V1}/journal.ndjson?after=240")).text.splitlines()
            assert rest == journal[240:]

    run(test)


@pytest.mark.slow
def test_the_description_has_every_endpoint_with_its_least_role_and_its_problems() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as player:
            described = (await player.get(f"{V1}/openapi.json")).json()
            for endpoint in ENDPOINTS:
                if endpoint.method == SUBSCRIBE:
                    continue
                operation = described["paths"][endpoint.full_path][endpoint.method.lower()]
                assert operation["operationId"] == endpoint.name
                assert operation["summary"] == endpoint.summary
                if isinstance(endpoint.least, UserRole):
                    assert operation["x-least-role"] == endpoint.least.value
                    content = operation["responses"]["403"]["content"]
                    assert list(content) == ["application/problem+json"]
            count = sum(len(methods) for methods in described["paths"].values())
            assert count == len([each for each in ENDPOINTS if each.method != SUBSCRIBE])

    run(test)


@pytest.mark.slow
def test_fastapi_is_not_imported_by_the_other_commands() -> None:
    check = (
        "import sys; from controller.cli import main; main(['games']);"
        "sys.exit('fastapi' in sys.modules or 'uvicorn' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", check], capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
