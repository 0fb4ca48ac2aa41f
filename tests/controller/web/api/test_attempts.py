"""Attempts to log in: floods from this computer, networks, browsers that are known, and the log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import LOGIN_LIFE, Accounts, open_accounts
from controller.web.api.accounts.identity import AccountRefusedError
from controller.web.api.accounts.login_secrets import FIRST_START_LIFE, PAIRING_LIFE
from controller.web.api.accounts.store import SAVE_EVERY, TOUCHSCREEN_FILE
from controller.web.api.accounts.throttle import (
    FREE_ADDRESS,
    FREE_NAME,
    LOGIN_EVERY,
    LOGINS_AT_ONCE,
    MARKS,
    KnownBrowsers,
)
from controller.web.api.endpoints import PREFIX as V1
from tests.controller.web.api.served import CHEAP, PASSWORD, an_api, run

HERE, AWAY = "127.0.0.1", "192.0.2.9"
TECHNICIAN = UserRole.TECHNICIAN


class Clocks:
    """The date, which people can set, and the time that has passed since the start."""

    def __init__(self) -> None:
        self.date = 1_800_000_000.0
        self.elapsed = 100.0

    def wait(self, seconds: float) -> None:
        """Let time pass by both."""
        self.date += seconds
        self.elapsed += seconds

    def restart(self) -> None:
        """The clock of a new start begins anywhere."""
        self.elapsed = 7.0


@asynccontextmanager
async def accounts_of(folder: Path, clocks: Clocks) -> AsyncIterator[Accounts]:
    opened = await open_accounts(folder, lambda: clocks.date, CHEAP, lambda: clocks.elapsed)
    try:
        yield opened
    finally:
        await opened.close()


async def refused(accounts: Accounts, name: str, password: str, address: str, marks: str) -> str:
    """The code with which an attempt is refused; empty if it is not."""
    try:
        await accounts.login(name, password, address, marks)
    except AccountRefusedError as error:
        return error.code
    return ""


# Known browsers


@pytest.mark.parametrize("address", [HERE, AWAY])
def test_a_flood_of_guesses_does_not_delay_a_technician_in_a_known_browser(
    address: str, tmp_path: Path
) -> None:
    async def test() -> None:
        async with accounts_of(tmp_path, Clocks()) as accounts:
            await accounts.add_user("tess", TECHNICIAN, PASSWORD)
            _, identity = await accounts.login("tess", PASSWORD, address)
            marks = accounts.marked("", identity)
            flood = [
                asyncio.ensure_future(refused(accounts, "tess", "guess", address, ""))
                for _ in range(100)
            ]
            await asyncio.sleep(0.05)
            for _ in range(10):
                async with asyncio.timeout(0.9):
                    await accounts.login("tess", PASSWORD, address, marks)
            assert await refused(accounts, "tess", PASSWORD, address, "") == "locked"
            for each in flood:
                each.cancel()

    run(test)


def test_a_known_browser_that_guesses_is_limited_like_every_other(tmp_path: Path) -> None:
    async def test() -> None:
        async with accounts_of(tmp_path, Clocks()) as accounts:
            await accounts.add_user("tess", TECHNICIAN, PASSWORD)
            _, identity = await accounts.login("tess", PASSWORD, AWAY)
            marks = accounts.marked("", identity)
            codes = [
                await refused(accounts, "tess", "guess", f"192.0.2.{n}", marks) for n in range(9)
            ]
            assert codes == ["wrong_password"] * FREE_NAME + ["locked"] * (9 - FREE_NAME)
            assert await refused(accounts, "tess", PASSWORD, AWAY, "") == ""

    run(test)


def test_a_mark_counts_for_its_own_user_and_cannot_be_made_without_the_key() -> None:
    known = KnownBrowsers(b"key of the table")
    anas = known.marked("", "ana")
    source = known.source(anas, "ana")
    assert source.startswith("browser ")
    assert known.marked(anas, "ana") == anas
    number, _, tag = anas.partition(".")
    wrong = [
        anas[:-1] + "x",
        f"{number}.",
        f".{tag}",
        f"{number} ana.{tag}",
        "",
        ".",
        "_",
        "\xe9.\xe9",
    ]
    for each in (*wrong, KnownBrowsers(b"another key").marked("", "ana")):
        assert known.source(each, "ana") == ""
    assert known.source(anas, "tess") == known.source(anas, "") == ""
    both = known.marked(anas, "tess")
    assert known.source(both, "ana") == source != known.source(both, "tess") != ""
    for n in range(MARKS):
        both = known.marked(both, f"user{n}")
    assert known.source(both, "ana") == "" and len(both) < 500


def test_the_touchscreen_is_a_known_browser_for_everybody_and_stays_one_after_a_logout() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(address=HERE) as screen:
            await api.accounts.add_user("tess", TECHNICIAN, PASSWORD)
            code = (api.folder / TOUCHSCREEN_FILE).read_text().strip()
            answer = await screen.post(f"{V1}/pair", json={"code": code})
            screen.headers["X-CSRF-Token"] = answer.json()["csrf"]
            assert (await screen.post(f"{V1}/logout")).status_code == 204
            assert [*screen.cookies] == ["wallwright-browser"]
            flood = [
                asyncio.ensure_future(refused(api.accounts, "tess", "guess", HERE, ""))
                for _ in range(60)
            ]
            await asyncio.sleep(0.05)
            body = {"name": "tess", "password": PASSWORD}
            async with asyncio.timeout(0.9):
                assert (await screen.post(f"{V1}/login", json=body)).status_code == 200
            for each in flood:
                each.cancel()

    run(test)


# Sources


def test_a_client_with_a_network_of_addresses_is_one_client(tmp_path: Path) -> None:
    """A network of 64 bits has more addresses than there are attempts to make."""

    async def test() -> None:
        async with accounts_of(tmp_path, Clocks()) as accounts:
            codes = [
                await refused(accounts, f"n{n}", "guess", f"2001:db8::{n:x}:1", "")
                for n in range(25)
            ]
            assert codes == ["wrong_password"] * FREE_ADDRESS + ["locked"] * 5
            assert await refused(accounts, "x", "guess", "2001:db8:0:1::1", "") == "wrong_password"
            assert await refused(accounts, "x", "guess", AWAY, "") == "wrong_password"

    run(test)


def test_wrong_codes_lock_an_address_after_twenty_as_wrong_names_do(tmp_path: Path) -> None:
    async def test() -> None:
        async with accounts_of(tmp_path, Clocks()) as accounts:
            codes = []
            for _ in range(FREE_ADDRESS + 1):
                with pytest.raises(AccountRefusedError) as error:
                    await accounts.pair("WRONG", AWAY)
                codes.append(error.value.code)
            assert codes == ["wrong_code"] * FREE_ADDRESS + ["locked"]

    run(test)


def test_a_program_at_the_table_cannot_keep_people_from_the_link_of_the_first_start(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        clocks = Clocks()
        async with accounts_of(tmp_path, clocks) as accounts:
            token = accounts.issue_first_start()
            assert token is not None
            for _ in range(3 * FREE_ADDRESS):
                clocks.wait(1.0)
                with pytest.raises(AccountRefusedError, match="or is wrong"):
                    await accounts.first_start("guess", "mallory", PASSWORD, HERE)
            clocks.wait(1.0)
            await accounts.first_start(token, "tess", PASSWORD, HERE)

    run(test)


# The log


def test_logins_without_end_do_not_fill_the_log(tmp_path: Path) -> None:
    async def test() -> None:
        clocks = Clocks()
        async with accounts_of(tmp_path, clocks) as accounts:
            await accounts.add_user("ana", UserRole.PLAYER, PASSWORD)
            await accounts.add_user("ben", UserRole.PLAYER, PASSWORD)
            codes = [
                await refused(accounts, "ana", PASSWORD, AWAY, "")
                for _ in range(LOGINS_AT_ONCE + 3)
            ]
            assert codes == [""] * LOGINS_AT_ONCE + ["locked"] * 3
            assert await refused(accounts, "ben", PASSWORD, AWAY, "") == ""
            clocks.wait(LOGIN_EVERY)
            assert await refused(accounts, "ana", PASSWORD, AWAY, "") == ""

    run(test)


def test_wrong_passwords_of_a_player_are_no_changes_in_the_log() -> None:
    async def test() -> None:
        async with an_api() as api, await api.logged_in(UserRole.PLAYER, "ana") as ana:
            for _ in range(FREE_NAME + 3):
                body = {"old": "guess", "new": "another password"}
                answer = await ana.post(f"{V1}/me/password", json=body)
                assert answer.status_code in (401, 429)
            assert not api.service.changes
            assert (await ana.get(f"{V1}/me")).status_code == 200

    run(test)


def test_of_two_changes_of_a_password_at_the_same_time_one_counts() -> None:
    async def test() -> None:
        async with an_api() as api, await api.logged_in(UserRole.PLAYER, "ana") as ana:
            bodies = [{"old": PASSWORD, "new": f"the new one {n}"} for n in range(2)]
            answers = await asyncio.gather(
                *(ana.post(f"{V1}/me/password", json=body) for body in bodies)
            )
            assert sorted(answer.status_code for answer in answers) == [200, 401]

    run(test)


def test_the_path_of_a_refused_request_is_recorded_up_to_a_length() -> None:
    async def test() -> None:
        async with an_api() as api, api.client() as stranger:
            answer = await stranger.delete(f"{V1}/users/{'x' * 15_000}")
            assert answer.status_code == 401
            (access,) = api.service.accesses
            assert len(str(access)) < 300

    run(test)


# Clocks


@pytest.mark.parametrize("jump", [-1e9, -FIRST_START_LIFE, FIRST_START_LIFE, 1e9])
def test_a_jump_of_the_clock_neither_ends_nor_extends_what_is_used_once(
    jump: float, tmp_path: Path
) -> None:
    async def test() -> None:
        clocks = Clocks()
        async with accounts_of(tmp_path, clocks) as accounts:
            token = accounts.issue_first_start()
            assert token is not None
            clocks.wait(FIRST_START_LIFE - 1)
            clocks.date += jump
            assert accounts.is_first_start(token)
            clocks.wait(1.5)
            assert not accounts.is_first_start(token)
            clocks.date -= 2 * FIRST_START_LIFE
            assert not accounts.is_first_start(token), "nor does a jump back revive it"
            codes = [accounts.add_pairing_code(f"t{n}", UserRole.PLAYER)[0] for n in range(2)]
            clocks.wait(PAIRING_LIFE - 1)
            clocks.date += jump
            await accounts.pair(codes[0], AWAY)
            clocks.wait(1.5)
            clocks.date -= 2 * PAIRING_LIFE
            with pytest.raises(AccountRefusedError, match="has expired"):
                await accounts.pair(codes[1], AWAY)
            shown = accounts.add_pairing_code("t3", UserRole.PLAYER)[1]
            assert shown.expires == clocks.date + PAIRING_LIFE, "people read the date"

    run(test)


def test_a_clock_that_is_set_back_extends_no_login_also_between_two_starts(tmp_path: Path) -> None:
    async def test() -> None:
        clocks = Clocks()
        async with accounts_of(tmp_path, clocks) as accounts:
            await accounts.add_user("tess", TECHNICIAN, PASSWORD)
            secret, _ = await accounts.login("tess", PASSWORD, AWAY)
            token, _ = await accounts.add_token("screen", UserRole.PLAYER, LOGIN_LIFE)
        used = 0.0
        while used + LOGIN_LIFE / 10 < LOGIN_LIFE:
            # Each start begins with the date of the first one, as a computer without a battery.
            clocks.date = 1_800_000_000.0
            clocks.restart()
            async with accounts_of(tmp_path, clocks) as accounts:
                assert accounts.identify(secret, AWAY) is not None, used
                clocks.wait(LOGIN_LIFE / 10)
                used += LOGIN_LIFE / 10
        clocks.date = 1_800_000_000.0
        clocks.restart()
        async with accounts_of(tmp_path, clocks) as accounts:
            clocks.wait(LOGIN_LIFE / 10 + 1)
            clocks.date = 1_800_000_000.0
            assert accounts.identify(secret, AWAY) is None
            assert accounts.identify(token, AWAY) is None

    run(test)


def test_a_login_that_has_expired_is_not_revived(tmp_path: Path) -> None:
    async def test() -> None:
        clocks = Clocks()
        async with accounts_of(tmp_path, clocks) as accounts:
            await accounts.add_user("tess", TECHNICIAN, PASSWORD)
            secret, _ = await accounts.login("tess", PASSWORD, AWAY)
            clocks.date += LOGIN_LIFE
            assert accounts.identify(secret, AWAY) is None
            clocks.date -= LOGIN_LIFE
            assert accounts.identify(secret, AWAY) is None
        clocks.restart()
        async with accounts_of(tmp_path, clocks) as accounts:
            assert accounts.identify(secret, AWAY) is None
            assert not accounts.credentials()

    run(test)


def test_a_power_cut_loses_ten_minutes_of_the_time_that_logins_have_lasted(tmp_path: Path) -> None:
    async def test() -> None:
        clocks = Clocks()
        killed = await open_accounts(tmp_path, lambda: clocks.date, CHEAP, lambda: clocks.elapsed)
        await killed.add_user("tess", TECHNICIAN, PASSWORD)
        secret, _ = await killed.login("tess", PASSWORD, AWAY)
        for _ in range(10):
            clocks.wait(LOGIN_LIFE / 10 - 1)
            assert killed.identify(secret, AWAY) is not None
            await asyncio.sleep(0.05)
        clocks.date = 1_800_000_000.0
        clocks.restart()
        async with accounts_of(tmp_path, clocks) as accounts:
            assert accounts.identify(secret, AWAY) is not None
            clocks.wait(SAVE_EVERY + 10)
            clocks.date = 1_800_000_000.0
            assert accounts.identify(secret, AWAY) is None
        killed._worker.close()

    run(test)
