"""The metrics are served at /metrics to logged-in users and tokens, and to nobody else."""

from __future__ import annotations

from controller.service.user_roles import UserRole
from tests.controller.web.api.served import PASSWORD, an_api, run
from tests.controller.web.metrics.scraped import value, values_of


def test_a_token_with_the_role_metrics_reads_the_metrics_and_nothing_else_of_the_table() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.METRICS) as prometheus:
            answer = await prometheus.get("/metrics")
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
            assert answer.headers["cache-control"] == "no-store"
            assert value(values_of(answer.content), "scrapes_total") == 1
            for path in ("status", "journal", "audit/events", "rounds", "users", "presets"):
                assert (await prometheus.get(f"/api/v1/{path}")).status_code == 403, path
            pause = await prometheus.post("/api/v1/commands", json={"id": "1", "name": "pause"})
            assert pause.status_code == 403

    run(test)


def test_a_technician_makes_a_token_with_the_role_metrics_but_no_user_with_it() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.TECHNICIAN) as technician:
            body = {"name": "prometheus", "role": "metrics"}
            made = await technician.post("/api/v1/tokens", json=body)
            assert made.status_code == 201, made.text
            async with api.client() as prometheus:
                prometheus.headers["Authorization"] = f"Bearer {made.json()['token']}"
                assert (await prometheus.get("/metrics")).status_code == 200
            for path, more in (("users", {"password": PASSWORD}), ("pairing-codes", {})):
                refused = await technician.post(f"/api/v1/{path}", json=body | more)
                assert refused.status_code == 422, path

    run(test)


def test_a_stranger_gets_no_metrics_also_not_on_the_tables_computer() -> None:
    async def test() -> None:
        async with an_api() as api:
            for address in ("10.0.0.9", "127.0.0.1"):
                async with api.client(address=address) as stranger:
                    answer = await stranger.get("/metrics")
                    assert answer.status_code == 401
                    assert answer.json()["code"] == "login_required"
                    assert (await stranger.post("/metrics")).status_code == 405

    run(test)


def test_the_number_of_watching_clients_is_a_metric() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.METRICS) as prometheus:
            found = values_of((await prometheus.get("/metrics")).content)
            assert value(found, "api_streams") == 0
            api.hub._present["a"] = 2
            found = values_of((await prometheus.get("/metrics")).content)
            assert value(found, "api_clients") == 1

    run(test)
