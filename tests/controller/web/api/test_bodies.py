"""Bodies that would break the status of every client are refused where they enter."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from config.loader import load_table
from controller.service.user_roles import UserRole
from controller.web.api.endpoints import ENDPOINTS
from controller.web.api.endpoints import PREFIX as V1
from controller.web.api.json_text import DEEPEST, LONGEST_BODY, LONGEST_LOGIN
from tests.controller.web.api.served import an_api, run

PAUSE = b'{"id": "c1", "name": "pause"%s}'
START = b'{"id": "c1", "name": "start_session", "arguments": {"choice": {"game": "a"}, %s}}'


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (START % b'"names": {"0": NaN}', "NaN is not a number of JSON"),
        (START % b'"names": {"0": -Infinity}', "-Infinity is not a number of JSON"),
        (START % b'"names": {"0": 1e999}', "1e999 is too large"),
        (START % b'"names": {"0": "\\ud800"}', "not UTF-8"),
        (START % b'"names": {"0": "\xff"}', "not UTF-8"),
        (b"[" * 16_000, "more than 32 levels"),
        (b'{"a":' * 3_000, "more than 32 levels"),
        (START % b"x", "not JSON"),
        (b"9" * 5000, "not JSON"),
    ],
)
def test_a_body_that_is_not_proper_json_is_a_problem(body: bytes, sentence: str) -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as client:
            headers = {"Content-Type": "application/json"}
            answer = await client.post(f"{V1}/commands", content=body, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (400, "not_json")
            assert sentence in answer.json()["detail"]
            assert not api.service.given

    run(test)


def _fields(value: object) -> dict[str, object]:
    """The fields of every body, each with this value."""
    names = "id name arguments choice throws token password old new code role days hand tile seat"
    return dict.fromkeys([*names.split(), "house_rules", "answers", "parameters"], value)


@pytest.mark.parametrize("levels", [30, 33])
def test_a_deep_value_at_any_field_of_any_endpoint_is_a_problem(levels: int) -> None:
    deep: object = 1
    for _ in range(levels - 1):
        deep = [deep]
    bodies = [
        json.dumps(_fields(deep)),
        json.dumps({"id": "c", "name": "pause", "arguments": deep}),
    ]
    for field in ("house_rules", "answers"):
        choice = {"game": "wenzhou", field: {"reserve": deep}}
        bodies += [
            json.dumps({"choice": choice}),
            json.dumps({"id": "c", "name": "choose_next", "arguments": {"choice": choice}}),
        ]
    bodies += [json.dumps(each) for each in ({"parameters": {"reserve": deep}}, {"hand": deep})]

    async def test() -> None:
        async with an_api(table=load_table("robotic")) as api:
            for endpoint in ENDPOINTS:
                if endpoint.method not in ("POST", "PATCH"):
                    continue
                path = endpoint.full_path.format(game="wenzhou", user="x")
                for body in bodies:
                    async with api.client(UserRole.TECHNICIAN) as client:
                        answer = await client.request(
                            endpoint.method,
                            path,
                            content=body,
                            headers={"Content-Type": "application/json"},
                        )
                    assert answer.status_code < 500, (endpoint.name, body[:80], answer.text)
                    if levels > DEEPEST and endpoint.name != "logout":
                        assert answer.status_code in (400, 401, 409, 422, 429), answer.text

    run(test)


def test_a_body_of_one_byte_too_many_is_refused() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as client:
            headers = {"Content-Type": "application/json"}
            filler = b" " * (LONGEST_BODY - len(PAUSE % b""))
            largest = await client.post(f"{V1}/commands", content=PAUSE % filler, headers=headers)
            assert largest.status_code == 200, largest.text
            answer = await client.post(
                f"{V1}/commands", content=PAUSE % (filler + b" "), headers=headers
            )
            assert (answer.status_code, answer.json()["code"]) == (413, "too_large")

    run(test)


@pytest.mark.parametrize("path", ["login", "first-start", "pair"])
def test_what_a_client_without_login_sends_is_bounded_before_it_is_read(path: str) -> None:
    async def test() -> None:
        async with an_api() as api, api.client() as client:
            read = 0

            async def parts() -> AsyncIterator[bytes]:
                nonlocal read
                for _ in range(16):
                    read += LONGEST_LOGIN // 4
                    yield b" " * (LONGEST_LOGIN // 4)

            answer = await client.post(f"{V1}/{path}", content=parts())
            assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
            assert read <= 1.5 * LONGEST_LOGIN
            read = 0
            stated = {"Content-Length": str(LONGEST_LOGIN + 1)}
            answer = await client.post(f"{V1}/{path}", content=parts(), headers=stated)
            assert (answer.status_code, read) == (413, 0)

    run(test)


def test_a_body_of_another_type_is_not_read_as_json() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as client:
            for kind in ("text/plain", "application/x-www-form-urlencoded"):
                headers = {"Content-Type": kind}
                answer = await client.post(f"{V1}/commands", content=PAUSE % b"", headers=headers)
                assert answer.status_code == 422
            assert not api.service.given

    run(test)
