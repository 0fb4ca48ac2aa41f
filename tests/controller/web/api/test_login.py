"""Logging in: the first start, passwords, cookies, lock-out, devices and the touchscreen."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from controller.service.user_roles import UserRole
from controller.web.api.accounts import accounts
from controller.web.api.accounts.accounts import LOGIN_LIFE, open_accounts
from controller.web.api.accounts.login_secrets import FIRST_START_LIFE, PAIRING_LIFE
from controller.web.api.accounts.store import FILE, TOUCHSCREEN_FILE, AccountsFileError
from controller.web.api.accounts.throttle import (
    FIRST_LOCK,
    FREE_ADDRESS,
    FREE_NAME,
    LONGEST_LOCK,
    Throttle,
)
from controller.web.api.endpoints import PREFIX as V1
from tests.controller.web.api.served import CHEAP, PASSWORD, an_api, run


class Clock:
    """A clock that a test sets, in seconds since 1970."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds


def _first(token: str | None, name: str = "eva") -> dict[str, str]:
    return {"token": token or "", "name": name, "password": PASSWORD}


def _login(name: str, password: str = PASSWORD) -> dict[str, str]:
    return {"name": name, "password": password}


def test_the_first_technician_sets_a_password_with_a_link_that_works_once() -> None:
    async def test() -> None:
        async with an_api() as api, api.client() as client:
            assert (await client.get(f"{V1}/health")).json() == {"state": "ok", "first_start": True}
            token = api.accounts.issue_first_start()
            made = await client.post(f"{V1}/first-start", json=_first(token))
            assert (made.status_code, made.json()["role"]) == (200, "technician")
            assert (await client.get(f"{V1}/me")).json()["name"] == "eva"
            again = await client.post(f"{V1}/first-start", json=_first(token, "mallory"))
            assert (again.status_code, again.json()["code"]) == (403, "link_not_valid")
            assert [user.name for user in api.accounts.users()] == ["eva"]
            assert api.accounts.issue_first_start() is None
            assert not (await client.get(f"{V1}/health")).json()["first_start"]

    run(test)


def test_of_two_people_who_use_the_link_at_the_same_time_one_is_refused() -> None:
    async def test() -> None:
        async with an_api() as api, api.client() as client:
            token = api.accounts.issue_first_start()
            answers = await asyncio.gather(
                *(
                    client.post(f"{V1}/first-start", json=_first(token, name))
                    for name in ("eva", "mallory")
                )
            )
            assert sorted(answer.status_code for answer in answers) == [200, 403]
            assert len(api.accounts.users()) == 1

    run(test)


def test_the_link_of_the_first_start_expires() -> None:
    async def test() -> None:
        clock = Clock()
        async with an_api(now=clock) as api, api.client() as client:
            token = api.accounts.issue_first_start()
            clock.seconds += FIRST_START_LIFE
            refused = await client.post(f"{V1}/first-start", json=_first(token))
            assert refused.status_code == 403
            assert not api.accounts.users()

    run(test)


def test_a_short_password_is_refused() -> None:
    async def test() -> None:
        async with an_api() as api, api.client() as client:
            token = api.accounts.issue_first_start()
            body = _first(token) | {"password": "short"}
            refused = await client.post(f"{V1}/first-start", json=body)
            assert refused.status_code == 422
            assert not api.accounts.users()
            assert (await client.post(f"{V1}/first-start", json=_first(token))).status_code == 200

    run(test)


@pytest.mark.parametrize(("base", "secure"), [("http://table", False), ("https://table", True)])
def test_the_cookie_is_hidden_from_scripts_and_from_other_sites(base: str, secure: bool) -> None:
    async def test() -> None:
        async with an_api() as api, api.client() as client:
            await api.accounts.add_user("ana", UserRole.PLAYER, PASSWORD)
            client.base_url = base
            answer = await client.post(f"{V1}/login", json=_login("ana"))
            cookie = answer.headers["set-cookie"].lower()
            assert "httponly" in cookie
            assert "samesite=strict" in cookie
            assert ("; secure" in cookie) == secure

    run(test)


def test_a_name_is_locked_after_failed_attempts_and_free_again_later() -> None:
    async def test() -> None:
        clock = Clock()
        async with an_api(now=clock) as api, api.client() as client:
            await api.accounts.add_user("ana", UserRole.PLAYER, PASSWORD)
            for _ in range(FREE_NAME):
                wrong = await client.post(f"{V1}/login", json=_login("ana", "wrong"))
                assert (wrong.status_code, wrong.json()["code"]) == (401, "wrong_password")
            locked = await client.post(f"{V1}/login", json=_login("ANA"))
            assert (locked.status_code, locked.json()["code"]) == (429, "locked")
            assert int(locked.headers["retry-after"]) == FIRST_LOCK + 1
            async with api.client(address="10.0.0.8") as elsewhere:
                assert (await elsewhere.post(f"{V1}/login", json=_login("ana"))).status_code == 200
            clock.seconds += FIRST_LOCK
            assert (await client.post(f"{V1}/login", json=_login("ana"))).status_code == 200

    run(test)


def test_typing_errors_of_a_whole_evening_lock_nobody_who_logs_in_between() -> None:
    """Each right password ends the count of the wrong ones before it."""

    async def test() -> None:
        async with an_api() as api, api.client() as client:
            await api.accounts.add_user("ana", UserRole.PLAYER, PASSWORD)
            for _ in range(3):
                for password in ["wrong"] * (FREE_NAME - 1):
                    wrong = await client.post(f"{V1}/login", json=_login("ana", password))
                    assert wrong.status_code == 401
                assert (await client.post(f"{V1}/login", json=_login("ana"))).status_code == 200

    run(test)


def test_a_lock_never_lasts_longer_than_fifteen_minutes() -> None:
    """A guest who guesses all night must not keep the owner out on the next evening."""
    throttle = Throttle()
    for failures in range(1, 60):
        throttle.failed("ana", "10.0.0.8", 1000.0)
        waits = throttle.locked_for("ana", "10.0.0.8", 1000.0)
        assert waits <= LONGEST_LOCK
        assert (waits > 0) == (failures >= FREE_NAME)
    assert waits == LONGEST_LOCK == 900.0
    assert throttle.locked_for("ana", "10.0.0.8", 1000.0 + LONGEST_LOCK) == 0.0


@pytest.mark.slow
def test_an_address_that_tries_many_names_is_locked() -> None:
    async def test() -> None:
        clock = Clock()
        async with an_api(now=clock) as api, api.client() as client:
            await api.accounts.add_user("ana", UserRole.PLAYER, PASSWORD)
            for n in range(FREE_ADDRESS):
                assert (
                    await client.post(f"{V1}/login", json=_login(f"name{n}"))
                ).status_code == 401
            assert (await client.post(f"{V1}/login", json=_login("ana"))).status_code == 429
            for _ in range(20):
                clock.seconds += LONGEST_LOCK
                assert (await client.post(f"{V1}/login", json=_login("x"))).status_code == 401
            clock.seconds += LONGEST_LOCK - 1
            assert (await client.post(f"{V1}/login", json=_login("ana"))).status_code == 429

    run(test)


@pytest.mark.slow
def test_many_right_passwords_lock_nobody() -> None:
    async def test() -> None:
        async with an_api() as api, api.client() as client:
            await api.accounts.add_user("ana", UserRole.PLAYER, PASSWORD)
            for _ in range(2 * FREE_ADDRESS):
                assert (await client.post(f"{V1}/login", json=_login("ana"))).status_code == 200
            assert len(api.accounts.credentials()) == 20 + len(UserRole)

    run(test)


def test_a_change_by_cookie_needs_the_csrf_token() -> None:
    async def test() -> None:
        async with an_api() as api, await api.logged_in(UserRole.PLAYER) as client:
            command = {"id": "c", "name": "pause"}
            assert (await client.post(f"{V1}/commands", json=command)).status_code == 200
            right = client.headers.pop("X-CSRF-Token")
            for wrong in ({}, {"X-CSRF-Token": ""}, {"X-CSRF-Token": right[:-1] + "x"}):
                refused = await client.post(f"{V1}/commands", json=command, headers=wrong)
                assert (refused.status_code, refused.json()["code"]) == (403, "csrf_token_missing")
            assert (await client.get(f"{V1}/me")).json()["csrf"] == right
            assert len(api.service.given) == 1

    run(test)


def test_a_cookies_secret_is_not_accepted_as_an_api_token() -> None:
    async def test() -> None:
        async with an_api() as api, await api.logged_in(UserRole.PLAYER) as client:
            secret = client.cookies["wallwright"]
            async with api.client() as other:
                headers = {"Authorization": f"Bearer {secret}"}
                assert (await other.get(f"{V1}/status", headers=headers)).status_code == 401

    run(test)


def test_a_request_from_a_page_of_another_site_is_refused() -> None:
    async def test() -> None:
        async with an_api() as api, await api.logged_in(UserRole.PLAYER) as client:
            command = {"id": "c", "name": "pause"}
            for origin, status in (
                ("http://table", 200),
                ("http://evil.example", 403),
                ("null", 403),
            ):
                answer = await client.post(
                    f"{V1}/commands", json=command, headers={"Origin": origin}
                )
                assert answer.status_code == status

    run(test)


def test_logout_ends_the_login() -> None:
    async def test() -> None:
        async with an_api() as api, await api.logged_in(UserRole.PLAYER) as client:
            secret = client.cookies["wallwright"]
            assert (await client.post(f"{V1}/logout")).status_code == 204
            headers = {"Cookie": f"wallwright={secret}"}
            assert (await client.get(f"{V1}/me", headers=headers)).status_code == 401

    run(test)


def test_a_login_expires() -> None:
    async def test() -> None:
        clock = Clock()
        async with an_api(now=clock) as api, await api.logged_in(UserRole.PLAYER) as client:
            clock.seconds += LOGIN_LIFE - 1
            assert (await client.get(f"{V1}/me")).status_code == 200
            clock.seconds += 1
            assert (await client.get(f"{V1}/me")).status_code == 401

    run(test)


def test_people_see_and_end_their_own_logins_and_a_technician_those_of_all() -> None:
    async def test() -> None:
        async with (
            an_api() as api,
            await api.logged_in(UserRole.PLAYER, "ana") as ana,
            await api.logged_in(UserRole.TECHNICIAN, "eva") as eva,
        ):
            (own,) = (await ana.get(f"{V1}/logins")).json()["logins"]
            assert (own["name"], own["own"]) == ("ana", True)
            everybodys = (await eva.get(f"{V1}/logins")).json()["logins"]
            assert {each["name"] for each in everybodys} == {"ana", "eva"}
            (evas,) = (each["id"] for each in everybodys if each["name"] == "eva")
            assert (await ana.delete(f"{V1}/logins/{evas}")).status_code == 404
            assert (await eva.delete(f"{V1}/logins/{own['id']}")).status_code == 204
            assert (await ana.get(f"{V1}/me")).status_code == 401

    run(test)


def test_a_device_is_paired_with_a_code_that_works_once() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.TECHNICIAN) as technician:
            wanted = {"name": "rail", "role": "player"}
            made = (await technician.post(f"{V1}/pairing-codes", json=wanted)).json()
            code = made["code"]
            async with api.client() as tablet:
                typed = {"code": f" {code[:4].lower()}-{code[4:].lower()} "}
                paired = await tablet.post(f"{V1}/pair", json=typed)
                assert (paired.status_code, paired.json()["kind"]) == (200, "device")
                me = (await tablet.get(f"{V1}/me")).json()
                assert (me["name"], me["role"]) == ("rail", "player")
                again = await tablet.post(f"{V1}/pair", json={"code": code})
                assert (again.status_code, again.json()["code"]) == (401, "wrong_code")
                (key,) = (
                    each["id"]
                    for each in (await technician.get(f"{V1}/keys")).json()["keys"]
                    if each["kind"] == "device"
                )
                assert (await technician.delete(f"{V1}/keys/{key}")).status_code == 204
                assert (await tablet.get(f"{V1}/me")).status_code == 401

    run(test)


def test_a_pairing_code_expires_and_no_device_becomes_a_technician() -> None:
    async def test() -> None:
        clock = Clock()
        async with an_api(now=clock) as api, api.client(UserRole.TECHNICIAN) as technician:
            wanted = {"name": "rail", "role": "player"}
            code = (await technician.post(f"{V1}/pairing-codes", json=wanted)).json()["code"]
            clock.seconds += PAIRING_LIFE
            async with api.client() as tablet:
                assert (await tablet.post(f"{V1}/pair", json={"code": code})).status_code == 401
            too_high = {"name": "rail", "role": "technician"}
            refused = await technician.post(f"{V1}/pairing-codes", json=too_high)
            assert refused.status_code == 422

    run(test)


def test_the_touchscreen_logs_in_without_a_password_on_the_tables_own_computer_only() -> None:
    async def test() -> None:
        async with an_api() as api:
            path = api.folder / TOUCHSCREEN_FILE
            assert path.stat().st_mode & 0o777 == 0o600
            token = {"code": path.read_text().strip()}
            async with api.client(address="127.0.0.1") as touchscreen:
                paired = await touchscreen.post(f"{V1}/pair", json=token)
                assert (paired.status_code, paired.json()["role"]) == (200, "table")
                secret = touchscreen.cookies["wallwright"]
            async with api.client(address="10.0.0.9") as elsewhere:
                assert (await elsewhere.post(f"{V1}/pair", json=token)).status_code == 403
                stolen = {"Cookie": f"wallwright={secret}"}
                assert (await elsewhere.get(f"{V1}/me", headers=stolen)).status_code == 401

    run(test)


def test_a_new_role_or_password_ends_the_logins_of_the_user() -> None:
    async def test() -> None:
        async with (
            an_api() as api,
            api.client(UserRole.TECHNICIAN) as technician,
            await api.logged_in(UserRole.PLAYER, "ana") as ana,
        ):
            changed = await technician.patch(f"{V1}/users/ana", json={"role": "dealer"})
            assert changed.json()["role"] == "dealer"
            assert (await ana.get(f"{V1}/me")).status_code == 401
            assert (await ana.post(f"{V1}/login", json=_login("ana"))).json()["role"] == "dealer"
            await technician.patch(f"{V1}/users/ana", json={"password": "another password"})
            assert (await ana.get(f"{V1}/me")).status_code == 401
            assert (await ana.post(f"{V1}/login", json=_login("ana"))).status_code == 401
            new = _login("ana", "another password")
            assert (await ana.post(f"{V1}/login", json=new)).json()["role"] == "dealer"

    run(test)


def test_people_change_their_own_password_and_stay_logged_in_at_one_place() -> None:
    async def test() -> None:
        async with (
            an_api() as api,
            await api.logged_in(UserRole.PLAYER, "ana") as ana,
            api.client() as other,
        ):
            await other.post(f"{V1}/login", json=_login("ana"))
            body = {"old": "wrong", "new": "another password"}
            assert (await ana.post(f"{V1}/me/password", json=body)).status_code == 401
            done = await ana.post(f"{V1}/me/password", json=body | {"old": PASSWORD})
            assert done.status_code == 200
            assert (await ana.get(f"{V1}/me")).status_code == 200
            assert (await other.get(f"{V1}/me")).status_code == 401

    run(test)


def test_the_last_technician_can_neither_be_deleted_nor_become_anything_else() -> None:
    async def test() -> None:
        async with an_api() as api, await api.logged_in(UserRole.TECHNICIAN, "eva") as eva:
            for answer in (
                await eva.delete(f"{V1}/users/eva"),
                await eva.patch(f"{V1}/users/EVA", json={"role": "player"}),
            ):
                assert (answer.status_code, answer.json()["code"]) == (409, "last_technician")
            second = {"name": "Ana", "role": "technician", "password": PASSWORD}
            assert (await eva.post(f"{V1}/users", json=second)).status_code == 201
            assert (await eva.post(f"{V1}/users", json=second | {"name": "ANA"})).status_code == 409
            assert (await eva.delete(f"{V1}/users/eva")).status_code == 204
            assert (await eva.get(f"{V1}/me")).status_code == 401

    run(test)


def test_logins_and_users_survive_a_restart(tmp_path: Path) -> None:
    async def test() -> None:
        first = await open_accounts(tmp_path, passwords=CHEAP)
        await first.add_user("eva", UserRole.TECHNICIAN, PASSWORD)
        secret, _ = await first.login("eva", PASSWORD, "10.0.0.9")
        await first.close()
        second = await open_accounts(tmp_path, passwords=CHEAP)
        identity = second.identify(secret, "10.0.0.9")
        assert identity is not None
        assert (identity.name, identity.role) == ("eva", UserRole.TECHNICIAN)
        assert second.issue_first_start() is None
        await second.close()

    run(test)


def test_the_file_has_neither_passwords_nor_secrets_and_only_its_owner_reads_it(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        accounts = await open_accounts(tmp_path)
        await accounts.add_user("eva", UserRole.TECHNICIAN, PASSWORD)
        secret, _ = await accounts.login("eva", PASSWORD, "10.0.0.9")
        await accounts.close()
        path = tmp_path / FILE
        content = path.read_bytes()
        assert PASSWORD.encode() not in content
        assert secret.encode() not in content
        assert b"$argon2id$v=19$m=19456,t=2,p=1$" in content
        assert path.stat().st_mode & 0o777 == 0o600

    run(test)


def test_a_file_of_a_newer_program_is_refused_with_a_sentence(tmp_path: Path) -> None:
    async def test() -> None:
        accounts = await open_accounts(tmp_path)
        await accounts.close()
        with sqlite3.connect(tmp_path / FILE) as file:
            file.execute("PRAGMA user_version = 9")
        file.close()
        with pytest.raises(AccountsFileError, match="has version 9; this program reads version 3"):
            await open_accounts(tmp_path)

    run(test)


def test_users_and_keys_have_a_largest_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "MOST_USERS", 2)
    monkeypatch.setattr(accounts, "MOST_KEYS", len(UserRole) + 2)

    async def test() -> None:
        async with an_api() as api, api.client(UserRole.TECHNICIAN) as client:
            for number, status in ((1, 201), (2, 201), (3, 409)):
                user = {"name": f"user{number}", "role": "player", "password": PASSWORD}
                answer = await client.post(f"{V1}/users", json=user)
                assert answer.status_code == status
            assert answer.json()["code"] == "full"
            # The test's own clients have a token for each role.
            token = {"name": "machine", "role": "player"}
            statuses = [
                (await client.post(f"{V1}/tokens", json=token)).status_code for _ in range(3)
            ]
            assert statuses == [201, 201, 409]
            code = {"name": "tablet", "role": "player"}
            refused = await client.post(f"{V1}/pairing-codes", json=code)
            assert (refused.status_code, refused.json()["code"]) == (409, "full")

    run(test)
