"""The role matrix: every endpoint with every role, and every command with every role."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from controller.service.commands import COMMANDS
from controller.service.user_roles import UserRole
from controller.web.api.app import api_application
from controller.web.api.endpoints import ENDPOINTS, PREFIX, SUBSCRIBE, Endpoint
from controller.web.api.worker_thread import WorkerThread
from controller.web.metrics.table_metrics import TableMetrics
from tests.controller.web.api.served import Api, an_api, run
from tests.quick import slow_except

V1 = PREFIX
ROLES = (None, *UserRole)

MAY: dict[str, str] = {
    "-": "health login first_start pair",
    "table": "me logout change_password logins end_login metrics status status_schema stream"
    " commands give_command games presets sessions results result_form record case case_file replay"
    " receipt receipt_text receipt_pdf rounds judge_form judge faults geometry preview openapi",
    "player": "=table",
    "dealer": "=table",
    "attendant": "=table",
    "technician": "=table journal journal_file audit_events diagnostics selftest change users"
    " add_user change_user delete_user keys add_token add_pairing_code revoke_key",
    "metrics": "me logout change_password logins end_login metrics",
    "auditor": "me logout change_password logins end_login metrics status status_schema stream"
    " commands games presets sessions results result_form record case case_file replay receipt"
    " receipt_text receipt_pdf rounds judge_form judge faults geometry"
    " preview openapi journal journal_file audit_events diagnostics selftest change users keys",
}
"""What each role may use, written out: a change of the table of endpoints has to change this."""


def _may(role: UserRole | None) -> set[str]:
    names = set(MAY["-"].split())
    if role is not None:
        words = MAY[role.value].split()
        names |= set(words) - {"=table"}
        if "=table" in words:
            names |= set(MAY["table"].split())
    return names


async def _use(client: httpx.AsyncClient, endpoint: Endpoint) -> httpx.Response:
    path = endpoint.full_path.format(
        login="x", session="s2", hand=1, game="wenzhou", user="x", key="x"
    )
    body: Any = {} if endpoint.method in ("POST", "PATCH") else None
    return await client.request(endpoint.method, path, json=body)


@pytest.mark.parametrize("role", slow_except([UserRole.PLAYER, None], ROLES), ids=str)
def test_a_role_may_use_exactly_its_endpoints(role: UserRole | None) -> None:
    async def test() -> None:
        async with an_api() as api:
            admitted = set()
            for endpoint in ENDPOINTS:
                if endpoint.method == SUBSCRIBE:
                    admitted |= {endpoint.name} if endpoint.admits(role) else set()
                    continue
                async with await _client(api, role) as client:
                    answer = await _use(client, endpoint)
                assert answer.status_code < 500, answer.text
                refused = (401, "login_required") if role is None else (403, "role_too_low")
                code = answer.json().get("code") if answer.status_code >= 400 else ""
                if (answer.status_code, code) != refused:
                    admitted.add(endpoint.name)
            assert admitted == _may(role)

    run(test)


async def _client(api: Api, role: UserRole | None) -> httpx.AsyncClient:
    """A client with a new token, because `logout` ends the token that it is called with."""
    if role is not None:
        api.tokens[role], _ = await api.accounts.add_token("machine", role, None)
    return api.client(role, address="127.0.0.1")


@pytest.mark.parametrize("role", UserRole, ids=lambda role: role.value)
@pytest.mark.slow
def test_a_role_may_give_exactly_its_commands(role: UserRole) -> None:
    ranks = [UserRole.PLAYER, UserRole.DEALER, UserRole.ATTENDANT, UserRole.TECHNICIAN]
    rank = {UserRole.TABLE: 0, UserRole.AUDITOR: -1, UserRole.METRICS: -1}.get(role, -2)
    rank = ranks.index(role) if rank == -2 else rank

    async def test() -> None:
        async with an_api() as api, api.client(role, address="127.0.0.1") as client:
            for kind in COMMANDS:
                body = {"id": kind.name, "name": kind.name}
                answer = await client.post(f"{V1}/commands", json=body)
                may = rank >= ranks.index(kind.role)
                # Commands with required arguments fail at the next check.
                required = any(
                    field.is_required() for field in kind.arguments.model_fields.values()
                )
                expected = (422 if required else 200) if may else 403
                assert answer.status_code == expected, (kind.name, answer.text)
                given = [request.name for request, _ in api.service.given]
                assert (kind.name in given) == (expected == 200)

    run(test)


@pytest.mark.parametrize(
    "role", slow_except([UserRole.TECHNICIAN], UserRole), ids=lambda role: role.value
)
def test_a_prompt_is_answered_by_its_own_role_only(role: UserRole) -> None:
    async def test() -> None:
        async with an_api() as api, api.client(role, address="127.0.0.1") as client:
            for prompt in api.service.prompts:
                arguments = {"prompt": prompt.id, "value": "done"}
                body = {"id": prompt.id, "name": "answer", "arguments": arguments}
                answer = await client.post(f"{V1}/commands", json=body)
                reads_only = role in (UserRole.AUDITOR, UserRole.METRICS)
                may = not reads_only and role.includes(prompt.role)
                assert answer.status_code == (200 if may else 403), prompt.role

    run(test)


def test_every_route_of_the_application_is_in_the_table_of_endpoints_and_in_the_matrix() -> None:
    async def test() -> None:
        async with an_api() as api:
            judge = WorkerThread("judge")
            metrics = TableMetrics(api.service)
            app = api_application(api.service, api.accounts, api.hub, judge, metrics)
            judge.close()
        routes = {
            (method, getattr(route, "path", ""))
            for route in app.routes
            for method in (getattr(route, "methods", None) or {SUBSCRIBE})
        }
        assert routes == {(endpoint.method, endpoint.full_path) for endpoint in ENDPOINTS}

    run(test)
    rows = {word for words in MAY.values() for word in words.split()} - {"=table"}
    assert rows == {endpoint.name for endpoint in ENDPOINTS}


def test_a_path_beside_the_table_of_endpoints_is_not_found() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.TECHNICIAN) as client:
            for path in ("/api", "/api/v1/", "/api/v1/status/", "/api/v1/docs", "/api/v2/status"):
                answer = await client.get(path)
                assert (answer.status_code, answer.json()["code"]) == (404, "unknown_path"), path
            wrong = await client.delete(f"{V1}/status")
            assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET")
            assert (await client.get(f"{V1}/stream")).status_code == 426

    run(test)
