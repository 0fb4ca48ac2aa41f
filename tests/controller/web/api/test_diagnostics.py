"""The diagnostics bundle, the self-test report and the proposed change can be saved as files."""

from __future__ import annotations

import asyncio
import re
import secrets
import shlex
import signal
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path

import httpx
import pytest

from controller.service.user_roles import UserRole
from controller.upkeep.service_mode.mode_status import ProposedChange, ServiceModeStatus
from controller.web.api.endpoints import PREFIX as V1
from firmware_bridge.commissioning.device_keys import DeviceKeys
from tests.controller.web.api.served import an_api, run
from tests.waiting import wait_until

WALLWRIGHT = (sys.executable, "-m", "controller.cli")
PASSWORD = "a long password of Tess"  # noqa: S105 - of a user that the test creates


async def _ready(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """A function that makes a bundle, as the service returns it."""
    return make


def test_other_requests_are_answered_while_the_bundle_is_made() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.TECHNICIAN) as technician:
            answered = threading.Event()
            content = secrets.token_bytes(200_000)

            def make() -> bytes:
                assert answered.wait(60)
                return content

            api.service.diagnostics = partial(_ready, make)  # type: ignore[method-assign]
            saving = asyncio.ensure_future(technician.get(f"{V1}/diagnostics.zip"))
            await asyncio.sleep(0.05)
            assert (await technician.get(f"{V1}/status")).status_code == 200
            assert not saving.done()
            answered.set()
            bundle = await saving
            assert bundle.content == content
            assert bundle.headers["content-type"] == "application/zip"
            assert 'filename="diagnostics.zip"' in bundle.headers["content-disposition"]

    run(test)


def test_the_report_and_the_proposed_change_are_files_once_they_exist() -> None:
    async def test() -> None:
        async with an_api() as api, api.client(UserRole.TECHNICIAN) as technician:
            for path, code in (("selftest.md", "no_selftest"), ("change.diff", "no_change")):
                none = await technician.get(f"{V1}/service-mode/{path}")
                assert (none.status_code, none.json()["code"]) == (404, code)
            api.service.report = "# Self-test of bench\n"
            diff = "-  debounce: 3ms\n+  debounce: 5ms\n"
            change = ProposedChange(id="d1", file="b.yaml", summary=(), diff=diff, writable=True)
            mode = ServiceModeStatus(
                since=0.0, name="Tess", renewal_s=0.3, trace_s=10.0, change=change
            )
            status = api.service.feed.status.model_copy(update={"service_mode": mode})
            api.service.feed.publish(status)
            report = await technician.get(f"{V1}/service-mode/selftest.md")
            assert report.text == "# Self-test of bench\n"
            saved = await technician.get(f"{V1}/service-mode/change.diff")
            assert (saved.text, saved.headers["cache-control"]) == (diff, "no-store")

    run(test)


@contextmanager
def _started(line: str) -> Iterator[subprocess.Popen[str]]:
    """A process of the program; it is stopped at the end."""
    with subprocess.Popen(
        (*WALLWRIGHT, *shlex.split(line)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=120)


def _line(process: subprocess.Popen[str], pattern: str) -> str:
    """What a line of the process's output has at the pattern."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(pattern, line):
            return found[0]
    raise AssertionError(pattern)


@pytest.mark.slow
def test_the_bundle_of_a_real_data_folder_has_no_secret(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    key = secrets.token_bytes(32)
    DeviceKeys(data / "device.keys").remember("WW000099", key)
    with _started("board --pty --game wenzhou") as board:
        port = _line(board, r"/dev/\S+")
        line = f"serve --port {port} --allow-simulated --listen 127.0.0.1:0 --data {data}"
        with _started(f"{line} --game wenzhou") as service:
            link = _line(service, r"http://\S+#first-start=\S+")
            address, token = link.split("/#first-start=")
            known, bundle = _used(address, token)
        known |= _stored(data)
    known |= {key.hex(), token, (data / "touchscreen.token").read_text().strip()}
    with zipfile.ZipFile(BytesIO(bundle)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    text = "\n".join(files.values())
    assert {"versions.json", "table.yaml", "status.json", "journal_tail.jsonl"} <= set(files)
    assert "Ann of the bundle" in text, "the search finds what is in the bundle"
    assert len(known) > 15
    assert [each for each in known if each in text] == []
    assert (data / "device.keys").read_text().count(key.hex()) == 1


def _used(address: str, token: str) -> tuple[set[str], bytes]:
    """Use the table as a technician; returns every secret that was seen, and the bundle."""
    known = {token, PASSWORD}
    with httpx.Client(base_url=address, timeout=60) as tess:
        body = {"token": token, "name": "Tess", "password": PASSWORD}
        made = tess.post(f"{V1}/first-start", json=body)
        assert made.status_code == 200, made.text
        tess.headers["X-CSRF-Token"] = made.json()["csrf"]
        known |= {made.json()["csrf"], made.cookies["wallwright"]}
        user = {"name": "Pam", "role": "player", "password": f"{PASSWORD} and Pam"}
        assert tess.post(f"{V1}/users", json=user).status_code == 201
        known.add(tess.post(f"{V1}/tokens", json={"name": "m", "role": "auditor"}).json()["token"])
        code = tess.post(f"{V1}/pairing-codes", json={"name": "tablet", "role": "player"}).json()
        with httpx.Client(base_url=address, timeout=60) as tablet:
            paired = tablet.post(f"{V1}/pair", json={"code": code["code"]})
            known |= {code["code"], paired.cookies["wallwright"], paired.json()["csrf"]}
        wrong = {"name": "Pam", "password": "a wrong password"}
        assert tess.post(f"{V1}/login", json=wrong).status_code == 401
        known.add("a wrong password")
        names = {"names": {"0": "Ann of the bundle"}}
        command = {"id": "n1", "name": "name_players", "arguments": names}
        assert tess.post(f"{V1}/commands", json=command).status_code == 200
        # The journal begins when the table has found its zero positions.
        wait_until(lambda: tess.get(f"{V1}/journal.ndjson").text)
        bundle = tess.get(f"{V1}/diagnostics.zip")
        assert bundle.status_code == 200, bundle.text
    return known, bundle.content


def _stored(data: Path) -> set[str]:
    """The hashes of passwords and the digests of secrets in the accounts' file."""
    accounts = sqlite3.connect(data / "accounts.sqlite")
    try:
        hashes = [row[0] for row in accounts.execute("SELECT password FROM users")]
        digests = [row[0] for row in accounts.execute("SELECT digest FROM credentials")]
    finally:
        accounts.close()
    assert all(each.startswith("$argon2") for each in hashes)
    return {*hashes, *digests, *(each.rpartition("$")[2] for each in hashes)}
