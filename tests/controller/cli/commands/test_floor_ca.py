"""The command line of the floor's authority."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.controller.cli.conftest import Wallwright


@pytest.fixture
def folder(tmp_path: Path, wallwright: Wallwright) -> Path:
    authority = tmp_path / "ca"
    assert wallwright(f"floor ca init --folder {authority} --floor club").code == 0
    return authority


def test_a_table_gets_a_folder_with_its_key_and_its_certificate(
    folder: Path, wallwright: Wallwright
) -> None:
    issued = wallwright(f"floor ca issue table t-07 --folder {folder}")
    own = folder / "tables" / "t-07" / "1"
    assert (issued.code, issued.out.splitlines()[0]) == (0, str(own))
    assert {file.name for file in own.iterdir()} == {"ca.pem", "certificate.pem", "key.pem"}


def test_no_command_prints_a_private_key(folder: Path, wallwright: Wallwright) -> None:
    lines = (
        "issue broker hall --host localhost --folder {folder}",
        "renew broker hall --folder {folder}",
        "mosquitto hall --folder {folder} --output {folder}/broker",
        "list --folder {folder} --json",
        "refresh --folder {folder}",
        "revoke broker hall --folder {folder}",
    )
    printed = ""
    for line in lines:
        code, out, err = wallwright("floor ca " + line.format(folder=folder))
        assert (code, err) == (0, "")
        printed += out
    keys = [*folder.rglob("key.pem"), folder / "ca.key"]
    assert len(keys) == 3
    for key in keys:
        assert not any(secret in printed for secret in key.read_text().splitlines()[1:-1])


def test_the_list_shows_each_certificate_with_its_state(
    folder: Path, wallwright: Wallwright
) -> None:
    wallwright(f"floor ca issue table t-07 --folder {folder} --days 20")
    listed = wallwright(f"floor ca list --folder {folder}")
    assert "valid" in listed.out and "renew table t-07" in listed.out and listed.code == 0
    wallwright(f"floor ca revoke table t-07 --folder {folder}")
    (row,) = json.loads(wallwright(f"floor ca list --folder {folder} --json").out)["certificates"]
    assert (row["kind"], row["name"], row["state"]) == ("table", "t-07", "revoked")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("issue table T-07 --folder {folder}", "'T-07' cannot name a table"),
        ("issue table t-07 --folder {folder}/none", "cannot be read (No such file or directory)"),
        ("issue table t-07 --folder {folder} --days 0", "`--days` must be 1 to 36"),
        ("issue broker hall --folder {folder}", "needs the names by which clients connect"),
        ("issue broker hall --folder {folder} --host a/b", "`--host` must be a host name"),
        ("renew table t-07 --folder {folder}", "There is no certificate of table t-07 to renew"),
        ("revoke table t-07 --folder {folder}", "There are 0 certificates of table t-07"),
        ("init --folder {folder} --floor club", "There is an authority in"),
        ("mosquitto hall --folder {folder} --output {folder}/x", "no certificate of broker hall"),
        ("init --folder /proc/none --floor club", "cannot be written"),
    ],
)
def test_a_wrong_command_is_refused_with_a_sentence(
    folder: Path, wallwright: Wallwright, line: str, sentence: str
) -> None:
    code, out, err = wallwright("floor ca " + line.format(folder=folder))
    assert (code, out) == (2, "")
    assert sentence in err
