"""Serving: the address, TLS, and requests of all roles whose answers contain no secret."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import socket
import ssl
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import connect

from controller.service.user_roles import UserRole
from controller.web.api.accounts.identity import digest
from controller.web.api.accounts.store import TOUCHSCREEN_FILE
from controller.web.api.endpoints import ENDPOINTS, PREFIX, SUBSCRIBE
from controller.web.api.server.listen_address import ListenError, listen_address, require_tls
from controller.web.api.server.serving import listening, serve_api
from tests.controller.web.api.fake_service import FakeService, an_evening
from tests.controller.web.api.served import CHEAP, PASSWORD, an_api, run

V1 = PREFIX


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:8080", "127.0.0.1", 8080),
        ("localhost:0", "127.0.0.1", 0),
        ("[::1]:443", "::1", 443),
        ("0.0.0.0:65535", "0.0.0.0", 65535),  # noqa: S104 - refused below without TLS
    ],
)
def test_an_address_is_an_ip_address_and_a_port(text: str, host: str, port: int) -> None:
    address = listen_address(text)
    assert (address.host, address.port) == (host, port)
    assert address.is_loopback == (host != "0.0.0.0")  # noqa: S104


@pytest.mark.parametrize(
    "text",
    ["", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[127.0.0.1]:80", "a:1"],
)
def test_any_other_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ListenError, match=r"Give one such as 127\.0\.0\.1:8080"):
        listen_address(text)


def test_other_computers_may_connect_with_tls_only(tmp_path: Path) -> None:
    outside, file = listen_address("192.0.2.1:8443"), tmp_path / "x.pem"
    with pytest.raises(ListenError, match=r"which needs TLS\. Give `--cert FILE` and `--key FILE`"):
        require_tls(outside, None, None)
    with pytest.raises(ListenError, match="Give the key too"):
        require_tls(outside, file, None)
    with pytest.raises(ListenError, match="Give the certificate too"):
        require_tls(listen_address("127.0.0.1:1"), None, file)
    require_tls(outside, file, file)


def test_a_used_port_and_a_wrong_certificate_are_refused_with_a_sentence(tmp_path: Path) -> None:
    async def test() -> None:
        with socket.socket() as used:
            used.bind(("127.0.0.1", 0))
            used.listen()
            listen = f"127.0.0.1:{used.getsockname()[1]}"
            with pytest.raises(ListenError, match=f"cannot listen on {listen} .*in use"):
                async with serve_api(FakeService(), tmp_path, listen):
                    pass
        wrong = tmp_path / "wrong.pem"
        wrong.write_text("no certificate")
        with pytest.raises(ListenError, match="are not a certificate and its key"):
            async with serve_api(FakeService(), tmp_path, "127.0.0.1:0", wrong, wrong):
                pass

    run(test)


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1, and its key, as PEM files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .sign(key, hashes.SHA256())
    )
    files = folder / "cert.pem", folder / "key.pem"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


@pytest.mark.slow
def test_with_a_certificate_pages_stream_and_cookie_are_secure(tmp_path: Path) -> None:
    async def test() -> None:
        trusting = ssl.create_default_context()
        trusting.check_hostname = False
        trusting.verify_mode = ssl.CERT_NONE
        files = _certificate(tmp_path)
        async with (
            serve_api(FakeService(), tmp_path, "127.0.0.1:0", *files, passwords=CHEAP) as address,
            httpx.AsyncClient(base_url=address.url, verify=trusting, timeout=60) as client,
        ):
            assert address.url.startswith("https://127.0.0.1:")
            assert address.first_start is not None
            token = address.first_start.partition("=")[2]
            body = {"token": token, "name": "eva", "password": PASSWORD}
            made = await client.post(f"{V1}/first-start", json=body)
            assert "; Secure" in made.headers["set-cookie"]
            async with connect(
                address.url.replace("https", "wss") + "api/v1/stream",
                additional_headers={"Cookie": f"wallwright={made.cookies['wallwright']}"},
                origin=address.url.rstrip("/"),
                ssl=trusting,
                proxy=None,
                open_timeout=60,
            ) as stream:
                assert '"type":"snapshot"' in str(await stream.recv())

    run(test)


def test_a_worker_thread_gives_the_interpreter_up_soon_only_while_the_api_is_served(
    tmp_path: Path,
) -> None:
    import sys  # noqa: PLC0415 - for this test

    async def test() -> None:
        before = sys.getswitchinterval()
        async with serve_api(FakeService(), tmp_path, "127.0.0.1:0", passwords=CHEAP):
            assert sys.getswitchinterval() == pytest.approx(0.0005)
        assert sys.getswitchinterval() == before

    run(test)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", range(6))
def test_a_client_that_connects_in_the_instant_of_the_end_is_dropped(rounds: int) -> None:
    """A page connects again as soon as its stream ends."""

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("The client asks for nothing.")

    async def test() -> None:
        async with listening(page, "127.0.0.1:0") as address:
            await asyncio.sleep(0.1)  # until the server listens
            url = httpx.URL(address)
            # It blocks the event loop, so it is accepted while the server ends.
            client = socket.create_connection((url.host, url.port), 60)
            for _ in range(rounds):
                await asyncio.sleep(0)
        gc.collect()  # an open connection would be reported
        with client, suppress(ConnectionResetError):
            assert client.recv(1) == b""

    run(test)


@pytest.mark.slow
def test_no_answer_to_any_role_contains_a_password_a_hash_or_a_secret() -> None:
    async def test() -> None:
        async with an_api(an_evening()) as api, await api.logged_in(UserRole.DEALER) as ana:
            cookie = ana.cookies["wallwright"]
            touchscreen = (api.folder / TOUCHSCREEN_FILE).read_text().strip()
            secret = [*api.tokens.values(), cookie, touchscreen]
            hidden = [PASSWORD, "$argon2", *secret, *(digest(each) for each in secret)]
            seen = 0
            for role in UserRole:
                for endpoint in ENDPOINTS:
                    if endpoint.method in (SUBSCRIBE, "DELETE") or endpoint.name == "logout":
                        continue
                    path = endpoint.full_path.format(
                        session="s2", hand=1, game="wenzhou", user="ana"
                    )
                    async with api.client(role, address="127.0.0.1") as client:
                        body = {"name": "ana", "password": PASSWORD, "role": "dealer", "id": "c"}
                        given = body if endpoint.method != "GET" else None
                        answer = await client.request(endpoint.method, path, json=given)
                    text = answer.text + str(
                        [value for key, value in answer.headers.items() if key != "set-cookie"]
                    )
                    assert not [each for each in hidden if each in text], (role, endpoint.name)
                    seen += answer.status_code == 200
            assert seen > 80

    run(test)
