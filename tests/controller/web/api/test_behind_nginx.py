"""The API behind Debian's nginx: logins, the stream, a restarted proxy, TLS and other sites."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from controller.floor.demo.preparation import free_port
from controller.service.status.feed import patched
from controller.web.api.accounts.store import TOUCHSCREEN_FILE
from controller.web.api.endpoints import PREFIX as V1
from tests.controller.web.api.fake_service import an_evening
from tests.controller.web.api.served import PASSWORD, a_server, run
from tests.pages import TOP

PROXIES = frozenset({"127.0.0.1"})
_NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin")
_CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 128; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        {location}
    }}
}}
"""


def _location(upstream: str) -> str:
    """The nginx configuration that docs/reference/API.md shows, with the test's address."""
    page = (TOP / "docs/reference/API.md").read_text("utf-8")
    shown = page.partition("```nginx\n")[2].partition("```")[0]
    assert "http://127.0.0.1:8080" in shown
    return shown.replace("http://127.0.0.1:8080", upstream)


@asynccontextmanager
async def _nginx(folder: Path, port: int, location: str) -> AsyncIterator[Process]:
    assert _NGINX is not None, "nginx is missing; run `make browser-tools`."
    configuration = folder / "nginx.conf"
    text = _CONFIGURATION.format(folder=folder, port=port, location=location)
    configuration.write_text(text, encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(_NGINX, "-e", "stderr", "-p", folder, "-c", configuration), stderr=DEVNULL
    )
    try:
        async with asyncio.timeout(60):
            while not _listens(port):
                assert process.returncode is None, "nginx has ended"
                await asyncio.sleep(0.01)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def _message(stream: Any) -> Any:
    while True:
        message = json.loads(await stream.recv())
        if message["type"] != "heartbeat":
            return message


@pytest.mark.slow
def test_people_log_in_watch_and_reconnect_through_a_proxy_that_restarts(tmp_path: Path) -> None:
    async def test() -> None:
        service, port = an_evening(), free_port()
        address = f"http://127.0.0.1:{port}"
        async with a_server(service, tmp_path / "data", proxies=PROXIES) as served:
            location = _location(served.url.rstrip("/"))
            headers: dict[str, str] = {}

            def watch(query: str = "") -> Any:
                url = f"ws://127.0.0.1:{port}{V1}/stream?{query}"
                return connect(
                    url, additional_headers=headers, origin=address, proxy=None, open_timeout=60
                )

            assert served.first_start is not None
            token = served.first_start.partition("=")[2]
            async with httpx.AsyncClient(base_url=address, timeout=60) as eva:
                async with _nginx(tmp_path, port, location):
                    body = {"token": token, "name": "eva", "password": PASSWORD}
                    made = await eva.post(f"{V1}/first-start", json=body)
                    assert made.status_code == 200, made.text
                    eva.headers["X-CSRF-Token"] = made.json()["csrf"]
                    headers["Cookie"] = f"wallwright={made.cookies['wallwright']}"
                    command = {"id": "c1", "name": "pause"}
                    origin = {"Origin": address}
                    given = await eva.post(f"{V1}/commands", json=command, headers=origin)
                    assert given.status_code == 200, given.text
                    journal = (await eva.get(f"{V1}/journal.ndjson")).text.splitlines()
                    assert journal == service.journal
                    stream = await watch()
                    first = await _message(stream)
                    service.show(w1="wall")
                    assert (await _message(stream))["sequence"] == 1
                    with pytest.raises(InvalidStatus) as refused:
                        await connect(
                            f"ws://127.0.0.1:{port}{V1}/stream",
                            additional_headers=headers,
                            origin="http://evil.example",
                            proxy=None,
                            open_timeout=60,
                        )
                    assert refused.value.response.status_code == 403
                with pytest.raises(ConnectionClosed):
                    await _message(stream)
                service.show(w1="seat 1")
                service.show(w1="seat 2")
                async with _nginx(tmp_path, port, location):
                    async with watch(f"run={first['run']}&since=1") as again:
                        status = patched(first["status"], {"scene": {"places": {"w1": "wall"}}})
                        for sequence in (2, 3):
                            delta = await _message(again)
                            assert (delta["type"], delta["sequence"]) == ("delta", sequence)
                            status = patched(status, delta["patch"])
                        assert status == service.feed.snapshot().status
                    assert (await eva.get(f"{V1}/me")).json()["name"] == "eva"

    run(test)


@pytest.mark.slow
def test_the_proxys_headers_make_the_cookie_secure_and_show_the_clients_address(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        port = free_port()
        async with a_server(an_evening(), tmp_path / "data", proxies=PROXIES) as served:
            location = _location(served.url.rstrip("/"))
            location = location.replace("$scheme", "https").replace("$remote_addr", "203.0.113.5")
            assert served.first_start is not None
            token = served.first_start.partition("=")[2]
            async with (
                _nginx(tmp_path, port, location),
                httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client,
            ):
                code = (tmp_path / "data" / TOUCHSCREEN_FILE).read_text().strip()
                refused = await client.post(f"{V1}/pair", json={"code": code})
                assert (refused.status_code, refused.json()["code"]) == (403, "not_the_touchscreen")
                body = {"token": token, "name": "eva", "password": PASSWORD}
                made = await client.post(f"{V1}/first-start", json=body)
                assert "; Secure" in made.headers["set-cookie"]

    run(test)
