"""The audit log gets logins and changes of accounts, without passwords."""

from __future__ import annotations

from controller.service.user_roles import UserRole
from controller.web.api.endpoints import PREFIX as V1
from tests.controller.web.api.served import PASSWORD, an_api, run


def test_logins_failures_and_changes_of_accounts_are_recorded_without_passwords() -> None:
    async def test() -> None:
        async with an_api() as api, api.client() as client:
            token = api.accounts.issue_first_start()
            first = {"token": token, "name": "eva", "password": PASSWORD}
            await client.post(f"{V1}/first-start", json=first)
            wrong = {"name": "eva", "password": "not the password"}
            await client.post(f"{V1}/login", json=wrong)
            await client.post(f"{V1}/login", json=wrong | {"password": PASSWORD})
            await client.get(f"{V1}/status")
            stranger = api.client(address="10.0.0.77")
            await stranger.delete(f"{V1}/users/eva")
            await stranger.aclose()
            async with api.client(UserRole.TECHNICIAN) as technician:
                user = {"name": "ben", "role": "dealer", "password": PASSWORD}
                await technician.post(f"{V1}/users", json=user)
                await technician.post(f"{V1}/commands", json={"id": "a", "name": "pause"})
                await technician.post(f"{V1}/judge/wenzhou", json={})
            accesses, changes = api.service.accesses, api.service.changes
            assert [(what, status, who) for what, status, _, who, *_ in accesses[:2]] == [
                ("login", 401, "eva"),
                ("login", 200, "eva"),
            ]
            assert accesses[2:] == [
                ("delete_user", 401, f"{V1}/users/eva", "", "", "10.0.0.77"),
            ]
            assert [(what, details["name"], role) for what, details, _, role, _ in changes] == [
                ("first_start", "eva", ""),
                ("add_user", "ben", "technician"),
            ]
            assert changes[1][2]
            assert PASSWORD not in str(changes)
            assert PASSWORD not in str(accesses)

    run(test)
