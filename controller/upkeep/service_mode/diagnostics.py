"""The diagnostics bundle: one zip file with what an engineer needs to find a fault, and no secrets.

Only the sources that `bundle` names go into it; it does not search folders. Every text is scrubbed:
values of keys such as `token` and `password`, authorisation headers, and each of the secrets that
the caller names are replaced. Device keys, users and sessions are in none of the sources.
"""

from __future__ import annotations

import json
import platform
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from io import BytesIO
from typing import Any

LINES = 2000
"""Largest number of lines of the journal and of each log."""
REMOVED = "(removed)"
"""The text in the place of a secret."""
PACKAGES = ("wallwright", "pydantic", "fastapi", "uvicorn", "pyserial", "gpiozero", "transitions")
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every file in the bundle; equal contents give equal bundles."""
_NAMES = (
    r"[\w-]*(?:token|password|passwd|secret|cookie|authorization|api[_-]?key|device[_-]?key)[\w-]*"
)
_NAMED = re.compile(
    rf"""(?P<name>["']?{_NAMES}["']?\s*[:=]\s*)(?P<value>"[^"\n]*"|'[^'\n]*'|[^\s,;&}}\]]+)""",
    re.IGNORECASE,
)
_HEADER = re.compile(r"\b(?P<scheme>Bearer|Basic)\s+[\w.~+/=-]+", re.IGNORECASE)
_HASH = re.compile(r"\$argon2[\w$,=+/.-]*", re.IGNORECASE)
_KEY_FILE = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL
)


@dataclass(frozen=True)
class DiagnosticSources:
    """The contents of a bundle. `logs` are texts by name; `secrets` must not occur in it."""

    table_text: str
    games: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    boards: Mapping[str, str] = field(default_factory=dict)
    journal: Iterable[str] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)
    status: Mapping[str, Any] = field(default_factory=dict)
    selftest_json: str = ""
    selftest_page: str = ""
    logs: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = field(default=(), repr=False)


def bundle(sources: DiagnosticSources) -> bytes:
    """The bundle as the bytes of a zip file."""
    files = {
        "versions.json": _json(_versions(sources.boards)),
        "table.yaml": sources.table_text,
        "games.json": _json(sources.games),
        "journal_tail.jsonl": _tail("\n".join(sources.journal)),
        "statistics.json": _json(sources.statistics),
        "status.json": _json(sources.status),
        "selftest.json": sources.selftest_json,
        "selftest.md": sources.selftest_page,
        **{f"logs/{name}.txt": _tail(text) for name, text in sources.logs.items()},
    }
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            if text.strip():
                entry = zipfile.ZipInfo(name, _EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, scrubbed(text, sources.secrets))
    return stream.getvalue()


def scrubbed(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without secrets: named ones, and what looks like a password, token or key."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, REMOVED)
    text = _KEY_FILE.sub(REMOVED, text)
    text = _HEADER.sub(rf"\g<scheme> {REMOVED}", text)
    text = _HASH.sub(REMOVED, text)
    return _NAMED.sub(lambda found: f'{found["name"]}"{REMOVED}"', text)


def _versions(boards: Mapping[str, str]) -> dict[str, object]:
    """Versions of the program, of Python, of the operating system and of the boards."""
    installed = {}
    for name in PACKAGES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed[name] = "not installed"
    return {
        "packages": installed,
        "python": platform.python_version(),
        "system": platform.platform(),
        "boards": dict(boards),
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=1, default=str) if value else ""


def _tail(text: str) -> str:
    return "\n".join(text.splitlines()[-LINES:])
