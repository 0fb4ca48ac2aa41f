"""Random requests from all roles, valid and invalid by the description: no 5xx, no mismatch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.checks import CHECKS, load_all_checks

from controller.service.user_roles import UserRole
from controller.web.api.accounts.login_secrets import OneTimeSecrets
from controller.web.api.accounts.throttle import Attempts
from controller.web.api.endpoints import ENDPOINTS, PREFIX, SUBSCRIBE
from tests.controller.web.api.served import PASSWORD, Api, an_api
from tests.quick import tries

load_all_checks()
# The cases bring credentials of their own, which the role's token replaces; test_roles.py tries
# every endpoint without login.
EXCLUDED = [CHECKS.get_one("ignored_auth")]
OPERATIONS = [endpoint.name for endpoint in ENDPOINTS if endpoint.method != SUBSCRIBE]
BOUNDED = settings(
    max_examples=tries(8, quick=4, evidence=200),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    stateful_step_count=8,
)


class Table:
    """The API with its description, and a valid token for each role."""

    def __init__(self, runner: asyncio.Runner, api: Api) -> None:
        self.runner = runner
        self.api = api
        self.schema: Any = schemathesis.openapi.from_dict(runner.run(self._described()))
        self.schema.app = api.app

    async def _described(self) -> Any:
        async with self.api.client(UserRole.PLAYER) as player:
            return (await player.get(f"{PREFIX}/openapi.json")).json()

    def headers(self, role: UserRole | None) -> dict[str, str]:
        """The token of a role; a new one if a request has logged it out or revoked it."""
        if role is None:
            return {}
        accounts, tokens = self.api.accounts, self.api.tokens
        if accounts.identify(tokens[role], "127.0.0.1") is None:
            tokens[role], _ = self.runner.run(accounts.add_token("machine", role, None))
        return {"Authorization": f"Bearer {tokens[role]}"}

    def reset(self) -> None:
        """Bring the accounts to the same state before every sequence."""
        accounts = self.api.accounts
        accounts._attempts = Attempts(accounts._elapsed, accounts._known)
        accounts._one_time = OneTimeSecrets()
        self.runner.run(self._forget())
        for role in UserRole:
            self.headers(role)

    async def _forget(self) -> None:
        accounts = self.api.accounts
        await accounts._book.end([each.id for each in accounts.credentials()])
        for user in accounts.users():
            del accounts._users[user.key]
            await accounts._worker.run(accounts._store.delete_user, user)
        await accounts.add_user("eva", UserRole.TECHNICIAN, PASSWORD)

    def operation(self, name: str) -> Any:
        """An operation of the description by its id."""
        for result in self.schema.get_all_operations():
            if result.ok().definition.raw["operationId"] == name:
                return result.ok()
        raise AssertionError(name)


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        api = runner.run(stack.enter_async_context(an_api()))
        yield Table(runner, api)
        runner.run(stack.aclose())


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize("name", OPERATIONS)
def test_random_requests_of_all_roles_get_the_described_answers(table: Table, name: str) -> None:
    operation = table.operation(name)

    @BOUNDED
    @given(
        case=operation.as_strategy()
        | operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE),
        role=st.sampled_from([None, *UserRole]),
    )
    def answers_as_described(case: Case, role: UserRole | None) -> None:
        case.call_and_validate(headers=table.headers(role), excluded_checks=EXCLUDED)

    answers_as_described()


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize("role", [None, *UserRole], ids=str)
def test_random_sequences_of_requests_get_the_described_answers(
    table: Table, role: UserRole | None
) -> None:
    class Sequence(table.schema.as_state_machine()):  # type: ignore[misc]
        def setup(self) -> None:
            table.reset()

        def get_call_kwargs(self, case: Case) -> dict[str, Any]:
            return {"headers": table.headers(role)}

        def validate_response(self, response: Any, case: Case, *args: Any, **kwargs: Any) -> None:
            case.validate_response(response, excluded_checks=EXCLUDED)

    Sequence.run(settings=BOUNDED)
