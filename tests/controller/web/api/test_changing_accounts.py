"""Accounts that change while requests are in flight, and changes that leave a trace."""

from __future__ import annotations

import asyncio
from pathlib import Path

import jsonschema_rs
import pytest
from pydantic import TypeAdapter, ValidationError

from controller.records.audit.errors import AuditError
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import Accounts, open_accounts
from controller.web.api.accounts.identity import AccountRefusedError, defect_of_name, looks_like
from controller.web.api.endpoints import PREFIX as V1
from controller.web.api.routes.login import UserName
from tests.controller.web.api.served import CHEAP, PASSWORD, an_api, run

NEW = "another horse"
AWAY = "10.0.0.9"
TECHNICIAN = UserRole.TECHNICIAN


async def outcomes(*attempts: object) -> list[object]:
    return list(await asyncio.gather(*attempts, return_exceptions=True))  # type: ignore[call-overload]


@pytest.mark.parametrize("turns", range(6))
def test_a_login_in_flight_does_not_survive_a_change_of_the_password(
    turns: int, tmp_path: Path
) -> None:
    async def test() -> None:
        accounts = await open_accounts(tmp_path, passwords=CHEAP)
        await accounts.add_user("eva", TECHNICIAN, PASSWORD)
        flying = [asyncio.ensure_future(accounts.login("eva", PASSWORD, AWAY)) for _ in range(3)]
        for _ in range(turns):
            await asyncio.sleep(0)
        await accounts.change_user("eva", password=NEW)
        found = await outcomes(*flying)
        late = await outcomes(accounts.login("eva", PASSWORD, AWAY))
        assert isinstance(late[0], AccountRefusedError)
        for each in found:
            if isinstance(each, tuple):
                assert accounts.identify(each[0], AWAY) is None, "a login by the old password"
        await accounts.close()
        again = await open_accounts(tmp_path, passwords=CHEAP)
        assert not again.credentials(), "nor after a restart"
        await again.close()

    run(test)


@pytest.mark.parametrize("turns", range(4))
def test_a_deleted_users_login_is_not_that_of_the_next_user_of_the_name(
    turns: int, tmp_path: Path
) -> None:
    async def test() -> None:
        accounts = await open_accounts(tmp_path, passwords=CHEAP)
        await accounts.add_user("tess", TECHNICIAN, PASSWORD)
        await accounts.add_user("eva", UserRole.PLAYER, PASSWORD)
        flying = [asyncio.ensure_future(accounts.login("eva", PASSWORD, AWAY)) for _ in range(3)]
        for _ in range(turns):
            await asyncio.sleep(0)
        await accounts.delete_user("eva")
        await accounts.add_user("eva", TECHNICIAN, PASSWORD)
        for each in await outcomes(*flying):
            if isinstance(each, tuple):
                identity = accounts.identify(each[0], AWAY)
                assert identity is None or identity.role is UserRole.PLAYER
        await accounts.close()

    run(test)


async def _made_by(accounts: Accounts) -> tuple[str, str, str]:
    """A token, a paired device's secret and an unused code that the technician bob has made."""
    token, _ = await accounts.add_token("screen", TECHNICIAN, None, "bob")
    code, _ = accounts.add_pairing_code("tablet", UserRole.ATTENDANT, "bob")
    device, _ = await accounts.pair(code, AWAY)
    unused, _ = accounts.add_pairing_code("other", UserRole.ATTENDANT, "bob")
    return token, device, unused


@pytest.mark.parametrize("demoted", [False, True])
def test_what_a_technician_has_made_ends_with_the_rights_of_the_technician(
    demoted: bool, tmp_path: Path
) -> None:
    async def test() -> None:
        accounts = await open_accounts(tmp_path, passwords=CHEAP)
        await accounts.add_user("tess", TECHNICIAN, PASSWORD)
        await accounts.add_user("bob", TECHNICIAN, PASSWORD)
        token, device, unused = await _made_by(accounts)
        second, _ = await accounts.add_token(
            "deeper", TECHNICIAN, None, getattr(accounts.identify(token, AWAY), "maker", "")
        )
        if demoted:
            await accounts.change_user("bob", UserRole.PLAYER)
        else:
            await accounts.delete_user("bob")
        for secret in (token, device, second):
            assert accounts.identify(secret, AWAY) is None
        with pytest.raises(AccountRefusedError):
            await accounts.pair(unused, AWAY)
        with pytest.raises(AccountRefusedError):
            await accounts.add_token("late", TECHNICIAN, None, "bob")
        await accounts.close()
        again = await open_accounts(tmp_path, passwords=CHEAP)
        assert again.identify(token, AWAY) is None
        await again.close()

    run(test)


def test_of_two_technicians_who_delete_each_other_one_remains(tmp_path: Path) -> None:
    async def test() -> None:
        accounts = await open_accounts(tmp_path, passwords=CHEAP)
        for name in ("tess", "bob"):
            await accounts.add_user(name, TECHNICIAN, PASSWORD)
        found = await outcomes(accounts.delete_user("tess"), accounts.delete_user("bob"))
        assert sum(isinstance(each, AccountRefusedError) for each in found) == 1
        assert accounts.has_technician
        await accounts.close()

    run(test)


def test_a_program_at_the_table_cannot_lock_out_the_technician_at_it(tmp_path: Path) -> None:
    async def test() -> None:
        clock = [0.0]
        accounts = await open_accounts(tmp_path, passwords=CHEAP, elapsed=lambda: clock[0])
        await accounts.add_user("tess", TECHNICIAN, PASSWORD)
        for _ in range(30):
            clock[0] += 1.0
            with pytest.raises(AccountRefusedError, match="is wrong"):
                await accounts.login("tess", "guess", "127.0.0.1")
        await accounts.login("tess", PASSWORD, "127.0.0.1")
        waiting = [
            asyncio.ensure_future(accounts.login("tess", "guess", "127.0.0.1")) for _ in range(40)
        ]
        await asyncio.sleep(0.1)
        refused = [each for each in waiting if each.done() and "wait" in str(each.exception())]
        assert len(refused) >= 15, "at most one guess a second"
        for each in waiting:
            each.cancel()
        await outcomes(*waiting)
        await accounts.close()

    run(test)


def test_nothing_of_the_accounts_changes_before_it_is_recorded() -> None:
    async def test() -> None:
        async with an_api() as api, await api.logged_in(TECHNICIAN, "tess") as tess:
            body = {"name": "eva", "password": PASSWORD, "role": "dealer"}
            assert (await tess.post(f"{V1}/users", json=body)).status_code == 201
            what, details, who, role, address = api.service.changes[-1]
            assert (what, who, role, address) == ("add_user", "tess", "technician", AWAY)
            assert details == {"name": "eva", "role": "dealer"}
            await tess.post(f"{V1}/tokens", json={"name": "screen", "role": "player"})
            assert api.service.changes[-1][:2] == (
                "add_token",
                {"name": "screen", "role": "player", "days": None},
            )
            assert not [
                each for each in api.service.accesses if each[0] in ("add_user", "add_token")
            ]
            api.service.audit_error = AuditError("The audit log is locked.")
            before = [*api.accounts.users()], [*api.accounts.credentials()]
            requests = [
                tess.post(f"{V1}/users", json={**body, "name": "mia"}),
                tess.post(f"{V1}/tokens", json={"name": "late", "role": "technician"}),
                tess.post(f"{V1}/pairing-codes", json={"name": "late", "role": "player"}),
                tess.patch(f"{V1}/users/eva", json={"role": "technician"}),
                tess.delete(f"{V1}/users/eva"),
                tess.post(f"{V1}/me/password", json={"old": PASSWORD, "new": NEW}),
            ]
            for request in requests:
                answer = await request
                assert (answer.status_code, answer.json()["code"]) == (503, "audit")
            assert ([*api.accounts.users()], [*api.accounts.credentials()]) == before

    run(test)


def test_a_password_in_the_field_of_the_name_is_not_recorded() -> None:
    async def test() -> None:
        async with an_api() as api, api.client() as client:
            await api.accounts.add_user("tess", TECHNICIAN, PASSWORD)
            for name in (PASSWORD, "tess"):
                await client.post(f"{V1}/login", json={"name": name, "password": "x"})
        assert [each[3] for each in api.service.accesses] == ["", "tess"]

    run(test)


def test_a_caller_cannot_give_commands_without_limit_but_can_always_stop_the_table() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.PLAYER) as player:
            codes = []
            for number in range(120):
                body = {"id": f"c{number}", "name": "correct", "arguments": {"acts": 1}}
                codes.append((await player.post(f"{V1}/commands", json=body)).status_code)
            assert codes[:60] == [403] * 60 and set(codes[60:]) == {429}
            assert not api.service.given
            stop = await player.post(f"{V1}/commands", json={"id": "p", "name": "pause"})
            assert stop.status_code == 200
            async with api.client(UserRole.DEALER) as dealer:
                other = {"id": "d", "name": "end_session"}
                assert (await dealer.post(f"{V1}/commands", json=other)).status_code == 200

    run(test)


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("an\u0430", ""),  # a Cyrillic letter among Latin ones
        ("a\u200bna", ""),  # an invisible character
        ("an\u202ea", ""),  # a character that reverses the text
        ("\uff41na", ""),  # a wide letter
        ("\u0430\u0435\u043e", "aeo"),  # Cyrillic letters only
        ("Ian", "lan"),
        ("b0b", "bob"),
        ("ana\u1160", ""),  # an invisible letter of Hangul
        ("ana\u115f", ""),
        ("ana\ufe0f", ""),  # an invisible mark
        ("ana\U000e0100", ""),
        ("ana\u034f", ""),
        ("\u0301ana", ""),  # a mark without a letter
        ("a\u0332\u0333\u0330\u0331na", ""),  # a pile of marks
        ("ana\u0663", ""),  # a digit of another script
        ("\u039d\u0399\u039d\u0391", "NINA"),  # Greek capitals
        ("\u0412\u041e\u0412", "BOB"),  # Cyrillic capitals
        ("arno", "amo"),
        ("vvill", "will"),
    ],
)
def test_names_that_look_like_another_are_refused(name: str, like: str) -> None:
    assert defect_of_name(name) is not None or looks_like(name, like)

    async def test() -> None:
        async with an_api() as api, await api.logged_in(TECHNICIAN, "tess") as tess:
            body = {"name": like or "x", "password": PASSWORD, "role": "player"}
            assert (await tess.post(f"{V1}/users", json=body)).status_code == 201
            answer = await tess.post(f"{V1}/users", json={**body, "name": name})
            assert answer.status_code in (409, 422), answer.text

    run(test)


@pytest.mark.parametrize(
    "name",
    [
        "Jos\u00e9",
        "\u738b\u5c0f\u660e",
        "\u0410\u043d\u043d\u0430",
        "\u0639\u0644\u064a",
        "mei-2",
        "o'neil",
        "\u0a05\u0a2e\u0a3e\u0a26\u0a40\u0a2a",
        "\u0939\u093f\u0928\u094d\u0926\u0940\u0968",  # Devanagari with its digit
        "\u0639\u0644\u064a\u06f2",
        "\u5e83\u702c\u3059\u305a",
        "Nguy\u1ec5n",
    ],
)
def test_names_of_all_alphabets_are_permitted(name: str) -> None:
    assert defect_of_name(name) is None


def test_names_and_passwords_of_another_keyboard_are_the_same() -> None:
    """Some keyboards write an accent as a character of its own."""

    async def test() -> None:
        async with an_api() as api, api.client() as client:
            composed, typed = "Jos\u00e9", "Jose\u0301"
            await api.accounts.add_user(composed, UserRole.PLAYER, f"{composed} {PASSWORD}")
            for name, password in ((composed, typed), (typed, composed), (typed, typed)):
                body = {"name": name, "password": f"{password} {PASSWORD}"}
                answer = await client.post(f"{V1}/login", json=body)
                assert (answer.status_code, answer.json().get("name")) == (200, composed)

    run(test)


def test_cookies_of_other_programs_at_this_host_do_not_hide_the_login() -> None:
    async def test() -> None:
        async with an_api() as api, await api.logged_in(UserRole.PLAYER) as ana:
            own = f"wallwright={ana.cookies['wallwright']}"
            ana.cookies.clear()
            for cookie in (
                own,
                f'other={{"a": [1]}}; {own}',
                f"{own}; x",
                f"a=b=c;{own} ; =",
                f"\xe9;{own}",
            ):
                headers = {"Cookie": cookie.encode("latin-1")}
                assert (await ana.get(f"{V1}/me", headers=headers)).status_code == 200, cookie
            for cookie in ("", "wallwright", "wallwright=", "xwallwright=1", f"x{own}"):
                assert (await ana.get(f"{V1}/me", headers={"Cookie": cookie})).status_code == 401

    run(test)


def test_the_schema_and_the_service_permit_the_same_characters_in_a_name() -> None:
    r"""`\s` of JSON Schema lacks U+0085, which the service takes for a space, and has U+FEFF."""
    names = TypeAdapter[str](UserName)
    described = jsonschema_rs.validator_for(names.json_schema())
    for code in (*range(0x3100), 0xFEFF, 0xFFFD):
        name = f"a{chr(code)}"
        try:
            names.validate_python(name)
            is_taken = True
        except ValidationError:
            is_taken = False
        assert described.is_valid(name) == is_taken, f"U+{code:04X}"
