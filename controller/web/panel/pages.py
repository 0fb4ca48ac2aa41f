"""The panel's page as an ASGI application: static files, kept in memory, with strict headers.

The files are read once, when the application is made: serving one costs no disk access and no
thread. A browser revalidates each file by its ETag, so that a page never mixes two versions.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
"""Content type by the ending of the file's name; a file with another ending is not served."""

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none';"
    " object-src 'none'"
)
"""Own files and connections only: no inline script, no other host, no frame around the page."""

SECURITY_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every response of the panel."""


@dataclass(frozen=True)
class PanelFile:
    """One file of the page: its bytes, plain and compressed, its type and its ETag."""

    body: bytes
    compressed: bytes | None
    content_type: str
    etag: str


class PanelApp:
    """Serves the panel's files below the path at which it is mounted; `/` is the page itself."""

    def __init__(self, files: dict[str, PanelFile]) -> None:
        self.files = files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; raises RuntimeError for a scope that is not HTTP."""
        if scope["type"] != "http":
            raise RuntimeError(f"The panel serves HTTP only, not {scope['type']!r}.")
        await self._response(scope)(scope, receive, send)

    def _response(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse(
                "The panel's files can only be read. Use GET.",
                405,
                headers={**SECURITY_HEADERS, "Allow": "GET, HEAD"},
            )
        mounted = scope.get("root_path", "")
        name = scope["path"].removeprefix(mounted).removeprefix("/") or "index.html"
        file = self.files.get(name)
        if file is None:
            return PlainTextResponse(
                "The panel has no such file. Open the panel's first page.",
                404,
                headers=SECURITY_HEADERS,
            )
        return _send_file(file, Headers(scope=scope))


def panel_app() -> PanelApp:
    """The panel with the files of this package. Raises OSError if they cannot be read."""
    return PanelApp({name: file_of(name, file.read_bytes()) for name, file in static_files()})


def static_files() -> Iterator[tuple[str, Traversable]]:
    """The files that the panel serves, each with its path below `static`."""
    yield from files_of(resources.files("controller.web.panel") / "static")


def files_of(folder: Traversable, path: str = "") -> Iterator[tuple[str, Traversable]]:
    """The files below a folder that a page can have, each with `path` and its path below it."""
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            yield from files_of(entry, f"{path}{entry.name}/")
        elif _ending(entry.name) in TYPES:
            yield f"{path}{entry.name}", entry


def file_of(name: str, body: bytes) -> PanelFile:
    """A file of a page from its name and its contents."""
    compressed = gzip.compress(body, 9, mtime=0)
    return PanelFile(
        body=body,
        compressed=compressed if len(compressed) < len(body) else None,
        content_type=TYPES[_ending(name)],
        etag=f'W/"{sha256(body).hexdigest()[:24]}"',
    )


def _send_file(file: PanelFile, request: Headers) -> Response:
    """The file, compressed if the client accepts that; without a body if its copy is current."""
    headers = {
        **SECURITY_HEADERS,
        "Cache-Control": "no-cache",
        "ETag": file.etag,
        "Vary": "Accept-Encoding",
    }
    known = [tag.strip() for tag in request.get("if-none-match", "").split(",")]
    if file.etag in known:
        return Response(None, 304, headers=headers)
    body = file.body
    if file.compressed is not None and _accepts_gzip(request.get("accept-encoding", "")):
        body = file.compressed
        headers["Content-Encoding"] = "gzip"
    return Response(body, headers={**headers, "Content-Type": file.content_type})


def _accepts_gzip(accepted: str) -> bool:
    for item in accepted.lower().split(","):
        coding, _, quality = item.partition(";")
        if coding.strip() == "gzip":
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _ending(name: str) -> str:
    return name[name.rfind(".") :] if "." in name else ""
