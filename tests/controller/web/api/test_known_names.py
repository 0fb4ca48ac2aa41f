"""The host that a request names: the table's own names, a site that resolves to it, and proxies."""

from __future__ import annotations

import asyncio
import datetime as dt
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import sync_playwright
from starlette.types import Message, Receive, Scope, Send
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from controller.web.api.endpoints import PREFIX as V1
from controller.web.api.server.known_names import (
    UNKNOWN,
    KnownNames,
    NamedRequests,
    forwarded_address,
    names_of_certificate,
)
from controller.web.panel.pages import panel_app
from tests.controller.web.api.fake_service import an_evening
from tests.controller.web.api.served import PASSWORD, a_server, first_login, run
from tests.controller.web.panel.browser import ARGUMENTS, CHROMIUM, PATIENCE

OWN = socket.gethostname().lower()
NAMES = KnownNames(["Table.Club.example", "*.tables.example"], lambda: "Table-7.lan")


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.0.0.1:8080", "192.0.2.7:8443", "[::1]:8080", "[2001:db8::7]"),
        *("localhost:8080", "LOCALHOST", "localhost.", "table-7", "table-7.lan:80"),
        *("Table-7.local:8443", "table-7.local.", "table-7-2.local", "table-7-12.local:1"),
        *("table.club.example:8443", "TABLE.CLUB.EXAMPLE.", "one.tables.example"),
    ],
)
def test_a_table_is_known_by_its_addresses_and_its_names(host: str) -> None:
    assert NAMES.knows(host)


@pytest.mark.parametrize(
    "host",
    [
        *("", " ", ":8080", ".", "evil.example", "evil.example:8080", "table-7.evil.example"),
        *("127.0.0.1.evil.example", "evil.example:80:80", "127.0.0.1@evil.example", "a@127.0.0.1"),
        *(
            "localhost.evil.example",
            "evil.localhost",
            "table-7.local.evil.example",
            "table-7-.local",
        ),
        *(
            "table-77.local",
            "x.table-7.local",
            "club.example",
            "tables.example",
            "a.b.tables.example",
        ),
        *("2130706433", "0x7f.1", "127.1", "[evil.example]", "[::1", "::1", "127.0.0.1:999999"),
        *("evil.example\x00.local", "table-7.local/evil.example", "x" * 400),
    ],
)
def test_no_other_name_is_known(host: str) -> None:
    assert not NAMES.knows(host)


def test_a_computer_without_a_name_and_one_that_is_renamed() -> None:
    names = iter(["", "", "old", "new"])
    known = KnownNames((), lambda: next(names))
    hosts = (".local", "-1.local", "old.local", "old.local")
    assert [known.knows(host) for host in hosts] == [False, False, True, False]


def test_the_names_of_the_certificate_are_known(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "t")])
    now, file = dt.datetime.now(dt.UTC), tmp_path / "cert.pem"
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).serial_number(1)
    made = made.public_key(key.public_key()).not_valid_before(now)
    made = made.not_valid_after(now + dt.timedelta(hours=1))
    names = x509.SubjectAlternativeName([x509.DNSName("t.example"), x509.DNSName("*.d.example")])
    for each in (made, made.add_extension(names, critical=False)):
        signed = each.sign(key, hashes.SHA256())
        file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        found = names_of_certificate(file)
    assert found == {"t.example", "*.d.example"}
    assert KnownNames(found).knows("t.example:8443")
    assert names_of_certificate(None) == names_of_certificate(tmp_path / "none") == frozenset()


async def _statuses(url: str, host: str, cookie: str) -> list[int]:
    """Statuses of the page, of a login and of the stream's handshake for a named host."""
    found = []
    async with httpx.AsyncClient(base_url=url, headers={"Host": host}, timeout=60) as client:
        found.append((await client.get("/")).status_code)
        body = {"name": "first", "password": PASSWORD}
        answer = await client.post(f"{V1}/login", json=body, headers={"Origin": f"http://{host}"})
        found.append(answer.status_code)
        if answer.status_code == 421:
            assert answer.json()["code"] == "unknown_host"
            assert "--host-name" in answer.json()["next_step"]
            assert OWN not in answer.text.replace(host, "").lower()
    stream = connect(
        f"ws://{host}{V1}/stream",
        host="127.0.0.1",
        port=httpx.URL(url).port,
        additional_headers={"Cookie": cookie},
        origin=Origin(f"http://{host}"),
        proxy=None,
        open_timeout=60,
    )
    try:
        async with stream:
            found.append(101)
    except InvalidStatus as refused:
        found.append(refused.response.status_code)
    return found


def test_a_site_that_resolves_to_the_table_gets_nothing_and_leaves_no_trace(tmp_path: Path) -> None:
    async def test() -> None:
        service = an_evening()
        async with a_server(service, tmp_path, panel=panel_app()) as served:
            cookie = await first_login(served)
            before = len(service.accesses)
            port = served.url.rpartition(":")[2].rstrip("/")
            assert await _statuses(served.url, f"evil.example:{port}", cookie) == [421] * 3
            assert len(service.accesses) == before
            for host in (f"127.0.0.1:{port}", f"{OWN}.local:{port}", f"{OWN}:{port}"):
                assert await _statuses(served.url, host, cookie) == [200, 200, 101]

    run(test)


REBOUND = """async () => {
  const body = JSON.stringify({name: "first", password: "correct horse"});
  const headers = {"Content-Type": "application/json"};
  const login = await fetch("/api/v1/login", {method: "POST", body, headers});
  return login.status;
}"""
"""What a page of a site does whose name has been resolved to the table's address."""
WATCHED = """() => new Promise((done) => {
  const stream = new WebSocket(`ws://${location.host}/api/v1/stream`);
  stream.onmessage = (message) => done(JSON.parse(message.data).type);
  stream.onclose = (close) => done(close.code);
})"""


GUARD = "LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests"
"""Chromium's own defence, which other browsers do not have."""


@pytest.mark.slow
def test_a_browser_comes_in_by_address_and_by_mdns_name_and_a_rebound_page_does_not(
    tmp_path: Path,
) -> None:
    def browse(port: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        names = f"MAP evil.example 127.0.0.1, MAP {OWN}.local 127.0.0.1"
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM,
                args=[*ARGUMENTS, f"--host-resolver-rules={names}", f"--disable-features={GUARD}"],
            )
            for host in ("127.0.0.1", f"{OWN}.local"):
                page = browser.new_page()
                page.set_default_timeout(PATIENCE)
                page.goto(f"http://{host}:{port}/")
                page.wait_for_selector("input[type=password]")
                found[host] = [page.evaluate(REBOUND), page.evaluate(WATCHED)]
            evil = browser.new_page()
            first = f"http://evil.example:{port}/"
            evil.route(first, lambda route: route.fulfill(body="<html>", content_type="text/html"))
            evil.goto(first)
            found["evil"] = [evil.evaluate(REBOUND), evil.evaluate(WATCHED)]
            browser.close()
        return found

    async def test() -> None:
        async with a_server(an_evening(), tmp_path, panel=panel_app()) as served:
            await first_login(served)
            port = served.url.rpartition(":")[2].rstrip("/")
            found = await asyncio.to_thread(browse, port)
        own = [200, "snapshot"]
        assert found == {"127.0.0.1": own, f"{OWN}.local": own, "evil": [421, 1006]}

    run(test)


# Addresses that proxies state


@pytest.mark.parametrize(
    ("stated", "client"),
    [
        ([], "127.0.0.1"),
        (["  "], "127.0.0.1"),
        (["192.0.2.9"], "192.0.2.9"),
        (["192.0.2.9:51234"], "192.0.2.9"),
        (["[2001:db8::9]:51234"], "2001:db8::9"),
        (["[2001:DB8::9]"], "2001:db8::9"),
        (["2001:db8:0:0::9"], "2001:db8::9"),
        (["::ffff:192.0.2.9"], "192.0.2.9"),
        (["fe80::1%eth0"], "fe80::1"),
        (["6.6.6.6, 192.0.2.9"], "192.0.2.9"),
        (["6.6.6.6", "192.0.2.9"], "192.0.2.9"),
        (["192.0.2.9, 127.0.0.1"], "192.0.2.9"),
        (["192.0.2.9, [::ffff:127.0.0.1]:9, 10.0.0.1"], "192.0.2.9"),
        (["127.0.0.1"], "127.0.0.1"),
        (["192.0.2.9, unknown"], UNKNOWN),
        (["192.0.2.9, _hidden"], UNKNOWN),
        (["192.0.2.9:port"], UNKNOWN),
        (["x" * 9000], UNKNOWN),
        (["1" * 9000], UNKNOWN),
    ],
)
def test_the_last_address_that_is_no_proxys_is_the_clients(stated: list[str], client: str) -> None:
    assert forwarded_address("127.0.0.1", stated, frozenset({"127.0.0.1", "10.0.0.1"})) == client


@pytest.mark.parametrize("stated", ["127.0.0.1", "::1", "[::1]:5", "::ffff:127.0.0.1", "127.9.9.9"])
def test_a_proxy_on_another_computer_makes_nobody_the_touchscreen(stated: str) -> None:
    proxies = frozenset({"10.0.0.1"})
    assert forwarded_address("10.0.0.1", [stated], proxies) == UNKNOWN
    assert forwarded_address("10.0.0.1", [f"{stated}, 192.0.2.9"], proxies) == "192.0.2.9"


@given(st.lists(st.text(), max_size=4))
def test_no_text_of_a_proxy_becomes_a_long_address(stated: list[str]) -> None:
    found = forwarded_address("10.0.0.1", stated, frozenset({"10.0.0.1"}))
    assert len(found) <= 45
    assert not found.startswith("127.")


@pytest.mark.parametrize("peer", ["10.0.0.1", "::ffff:10.0.0.1"])
def test_the_headers_of_a_proxy_count_and_those_of_others_do_not(peer: str) -> None:
    seen: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)

    async def receive() -> Message:
        raise AssertionError("Nothing is read.")

    async def send(message: Message) -> None:
        raise AssertionError(message)

    async def ask(client: str, kind: str) -> tuple[str, str]:
        headers = [(b"host", b"10.0.0.7"), (b"x-forwarded-for", b"192.0.2.9")]
        headers.append((b"x-forwarded-proto", b"https"))
        scheme = "http" if kind == "http" else "ws"
        scope = {"type": kind, "client": (client, 1), "headers": headers, "scheme": scheme}
        await NamedRequests(app, KnownNames(), frozenset({"10.0.0.1"}))(scope, receive, send)
        return seen[-1]["client"][0], seen[-1]["scheme"]

    assert asyncio.run(ask(peer, "http")) == ("192.0.2.9", "https")
    assert asyncio.run(ask(peer, "websocket")) == ("192.0.2.9", "wss")
    assert asyncio.run(ask("10.0.0.2", "http")) == ("10.0.0.2", "http")
