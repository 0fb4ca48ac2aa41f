"""The audit log gets logins and changes of accounts, without passwords."""

from __future__ import annotations

from controller.api.endpoints import PREFIX as V1
from controller.service.user_roles import UserRole
from tests.controller.api.served import PASSWORD, an_api, run


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
            accesses = api.service.accesses
            assert [(what, status, who) for what, status, _, who, *_ in accesses[:3]] == [
                ("first_start", 200, "eva"),
                ("login", 401, "eva"),
                ("login", 200, "eva"),
            ]
            assert accesses[3] == ("delete_user", 401, f"{V1}/users/eva", "", "", "10.0.0.77")
            what, status, path, who, role, _ = accesses[4]
            assert (what, status, path, role) == ("add_user", 201, f"{V1}/users", "technician")
            assert who
            assert len(accesses) == 5
            assert PASSWORD not in str(accesses)

    run(test)
