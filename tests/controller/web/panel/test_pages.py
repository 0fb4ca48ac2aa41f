"""Tests of the panel's files: types, headers, sizes, and that no other host is needed."""

from __future__ import annotations

import asyncio
import re
from hashlib import sha256
from pathlib import PurePosixPath

import httpx
import pytest

from controller.web.panel.pages import TYPES, panel_app, static_files

MOST = 300_000
"""Bytes of the first view, without compression."""
IMPORT = re.compile(r"""(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"(\.[^"]+)";""")


PANEL = panel_app()


class Client:
    """Requests to the panel, without a socket."""

    def send(self, method: str, path: str, headers: dict[str, str]) -> httpx.Response:
        async def sent() -> httpx.Response:
            transport = httpx.ASGITransport(PANEL)
            async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
                return await client.request(method, path, headers=headers)

        return asyncio.run(sent())

    def get(self, path: str, headers: dict[str, str] | None = None) -> httpx.Response:
        return self.send("GET", path, headers or {})


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


def files() -> dict[str, bytes]:
    """Every file of the panel by its path."""
    return {name: file.read_bytes() for name, file in static_files()}


def first_view() -> set[str]:
    """The paths of the page, its styles and icon, its modules, and the longest catalogue."""
    every = files()
    page = every["index.html"].decode()
    found = {"index.html", *re.findall(r'(?:href|src)="([^"]+)"', page)}
    left = [name for name in found if name.endswith(".js")]
    while left:
        name = left.pop()
        for other in IMPORT.findall(every[name].decode()):
            path = resolved(PurePosixPath(name).parent / other)
            if path not in found:
                found.add(path)
                left.append(path)
    catalogues = [name for name in every if name.startswith("messages/")]
    return found | {max(catalogues, key=lambda name: len(every[name]))}


def resolved(path: PurePosixPath) -> str:
    """A path without `.` and `..`."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def test_the_first_view_needs_at_most_300_kilobytes() -> None:
    every = files()
    sizes = {name: len(every[name]) for name in first_view()}
    assert sum(sizes.values()) <= MOST, sizes


def test_the_first_view_includes_the_player_s_view_and_the_picture() -> None:
    assert {"views/player.js", "scene/table_scene.js", "vendor/htm_preact.js"} <= first_view()


@pytest.mark.parametrize("name", sorted(files()))
def test_every_file_is_served_with_its_type_and_the_strict_policy(
    client: Client, name: str
) -> None:
    reply = client.get(f"/{name}")
    assert reply.status_code == 200
    assert reply.content == files()[name]
    assert reply.headers["content-type"] == TYPES[PurePosixPath(name).suffix]
    assert reply.headers["x-content-type-options"] == "nosniff"
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_the_panel_s_address_without_a_file_is_the_page(client: Client) -> None:
    assert client.get("/").text.startswith("<!doctype html>")


def test_a_current_copy_in_the_browser_is_not_sent_again(client: Client) -> None:
    tag = client.get("/app.js").headers["etag"]
    again = client.get("/app.js", headers={"If-None-Match": f'"other", {tag}'})
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["cache-control"] == "no-cache"
    assert client.get("/app.js", headers={"If-None-Match": '"other"'}).status_code == 200


def test_files_are_compressed_for_browsers_that_accept_it(client: Client) -> None:
    plain = client.get("/style/views.css", headers={"Accept-Encoding": "identity"})
    packed = client.get("/style/views.css", headers={"Accept-Encoding": "br, gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    assert packed.content == plain.content
    refused = client.get("/style/views.css", headers={"Accept-Encoding": "gzip;q=0"})
    assert "content-encoding" not in refused.headers


@pytest.mark.parametrize("path", ["/../pages.py", "/%2e%2e/pages.py", "/style", "/no_such.js"])
def test_a_path_outside_the_panel_s_files_is_not_served(client: Client, path: str) -> None:
    reply = client.get(path)
    assert reply.status_code == 404
    assert "content-security-policy" in reply.headers


def test_files_can_only_be_read(client: Client) -> None:
    assert client.send("POST", "/index.html", {}).status_code == 405
    assert client.send("HEAD", "/index.html", {}).status_code == 200


def test_the_page_has_no_inline_script_style_or_handler() -> None:
    page = files()["index.html"].decode()
    assert "<style" not in page
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"\s(?:on\w+|style)=", page)


def test_no_file_names_another_host() -> None:
    own = re.compile(r"https?://(?!www\.w3\.org/|localhost)")
    named = [
        name
        for name, body in files().items()
        if not name.startswith("vendor/") and own.search(body.decode())
    ]
    assert named == []


def test_vendored_files_have_the_recorded_hash_and_their_licence() -> None:
    every = files()
    record = every["vendor/VENDORED.md"].decode()
    vendored = [
        name for name in every if name.startswith("vendor/") and name.endswith((".js", ".css"))
    ]
    assert vendored
    for name in vendored:
        short = PurePosixPath(name).name
        assert f"`{short}`" in record
        assert sha256(every[name]).hexdigest() in record
    for licence in re.findall(r"`(LICENSE-\w+\.txt)`", record):
        assert len(every[f"vendor/{licence}"]) > 500
