"""The diagnostics bundle contains what an engineer needs, and no key, token or password."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import pytest

from config.loader import packaged_text
from controller.upkeep.service_mode.diagnostics import LINES, DiagnosticSources, bundle, scrubbed

DEVICE_KEY = "6f1de0a4c2b94b7fa3d0e65511c8aa90"
TOKEN = "wwt_Q3J1c2ggYWxsIGh1bWFucw"  # noqa: S105 - made up
PASSWORD = "correct horse battery"  # noqa: S105 - made up
SECRETS = (DEVICE_KEY, TOKEN, PASSWORD)
LOG = f"""\
12.5 GET /api/v1/status Authorization: Bearer {TOKEN} 200
12.6 login user=ann password={PASSWORD.split(maxsplit=1)[0]} refused
12.7 board base: serial WW000007, device_key: {DEVICE_KEY}
12.8 cookie: session=abcdef0123456789
12.9 hash $argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g stored
13.0 head 2 counted 4 tiles
"""
PRIVATE = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----"


def sources(**changes: object) -> DiagnosticSources:
    values: dict[str, object] = {
        "table_text": packaged_text("robotic"),
        "games": {"wenzhou": {"points": 3}},
        "boards": {"base": "serial WW000007, build 1a2b"},
        "journal": [json.dumps({"number": number, "kind": "intent"}) for number in range(5000)],
        "statistics": {"rounds": 12, "worn": {"picks": {"head 0": 900}}},
        "status": {"service": {"state": "service_mode"}, "note": f"device_key={DEVICE_KEY}"},
        "selftest_json": '{"counts": {"passed": 40}}',
        "selftest_page": "# Self-test of robotic\n",
        "logs": {"service": LOG, "tls": PRIVATE},
        "secrets": SECRETS,
    }
    return DiagnosticSources(**{**values, **changes})  # type: ignore[arg-type]


def opened(found: bytes) -> dict[str, str]:
    with zipfile.ZipFile(BytesIO(found)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_the_bundle_has_versions_configuration_journal_statistics_report_and_logs() -> None:
    files = opened(bundle(sources()))
    assert set(files) == {
        "versions.json", "table.yaml", "games.json", "journal_tail.jsonl", "statistics.json",
        "status.json", "selftest.json", "selftest.md", "logs/service.txt", "logs/tls.txt",
    }  # fmt: skip
    assert json.loads(files["versions.json"])["boards"] == {"base": "serial WW000007, build 1a2b"}
    assert files["table.yaml"] == packaged_text("robotic")
    lines = files["journal_tail.jsonl"].splitlines()
    assert (len(lines), json.loads(lines[-1])["number"]) == (LINES, 4999)
    assert json.loads(files["statistics.json"])["worn"]["picks"] == {"head 0": 900}
    assert "13.0 head 2 counted 4 tiles" in files["logs/service.txt"]


@pytest.mark.parametrize("named", [SECRETS, ()], ids=["named", "unnamed"])
def test_no_key_token_or_password_is_in_the_bundle(named: tuple[str, ...]) -> None:
    """Also those that the caller does not name are removed, because their places are known."""
    found = opened(bundle(sources(secrets=named)))
    everything = "\n".join(found.values())
    for secret in (
        DEVICE_KEY,
        TOKEN,
        PASSWORD.split(maxsplit=1)[0],
        "abcdef0123456789",
        "argon2",
        "MIIE",
    ):
        assert secret not in everything, secret


@pytest.mark.parametrize(
    "text",
    [
        f'{{"api_token": "{TOKEN}", "rounds": 3}}',
        f"token={TOKEN}&rounds=3",
        f"{{'Set-Cookie': '{TOKEN}'}} rounds 3",
        f"X-Api-Key: {TOKEN}, rounds 3",
        f"Authorization: Basic {TOKEN}\nrounds 3",
        f"device key file contains {TOKEN}, rounds 3",
    ],
)
def test_a_secret_is_removed_and_the_rest_of_the_line_stays(text: str) -> None:
    clean = scrubbed(text, (TOKEN,) if "contains" in text else ())
    assert TOKEN not in clean
    assert "rounds" in clean


def test_ordinary_text_is_not_changed() -> None:
    text = packaged_text("robotic") + "\nboard base: serial WW000007; keys: {lid: lid_key}\n"
    assert scrubbed(text) == text


@pytest.mark.slow
def test_equal_contents_give_equal_bundles() -> None:
    assert bundle(sources()) == bundle(sources())
