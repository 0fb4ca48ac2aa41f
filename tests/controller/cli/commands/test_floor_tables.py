"""`wallwright floor retire`, `unretire`, `rename` and `tables`: what a floor manager types."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.floor.certificates.authority import CertificateAuthority
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.table_changes import unrecorded_changes
from tests.controller.cli.conftest import Wallwright
from tests.controller.floor.event_lines import batch_of, lines_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of a floor service that has stored events of three tables, one of them in play."""
    store = FloorStore(f"sqlite:///{tmp_path / 'floor.db'}")
    store.open()
    for name, what in (("t-07", "round_over"), ("t-08", "round_over"), ("t-09", "run_started")):
        store.take([batch_of(lines_of(3, name, what), 0, 3, name)])
    store.close()
    return tmp_path


def test_a_retired_table_loses_its_certificate_and_stays_in_the_list(
    data: Path, wallwright: Wallwright
) -> None:
    ca = data / "ca"
    wallwright(f"floor ca init --folder {ca} --floor club")
    wallwright(f"floor ca issue table t-07 --folder {ca}")
    command = f"floor retire t-07 --data {data} --authority {ca} --reason sold"
    retired = wallwright(command)
    assert (retired.code, retired.err) == (0, "")
    (one,) = CertificateAuthority(ca).issued()
    assert "unretire" not in retired.out
    assert one.revoked is not None and one.serial in retired.out
    assert "crl.pem" in retired.out
    issued = wallwright(f"floor ca issue table t-07 --folder {ca}")
    assert "wallwright floor unretire t-07" in issued.out  # the certificate alone is not enough
    wallwright(f"floor ca revoke table t-07 --folder {ca}")
    again = wallwright(command)
    assert again.code == 2 and "t-07 was retired on" in again.err
    listed = wallwright(f"floor tables --data {data} --json").json["tables"]
    assert [(each["name"], each["retired"] is None) for each in listed] == [
        ("t-07", False),
        ("t-08", True),
        ("t-09", True),
    ]
    store = FloorStore(f"sqlite:///{data / 'floor.db'}")
    (change,) = store.read(lambda connection: unrecorded_changes(connection, "club"))
    store.close()
    assert (change.by.reason, change.by.source) == ("sold", "command line")
    assert change.by.who


def test_a_revocation_that_was_interrupted_is_completed_by_the_same_command(
    data: Path, wallwright: Wallwright
) -> None:
    ca = data / "ca"
    wallwright(f"floor ca init --folder {ca} --floor club")
    wallwright(f"floor ca issue table t-07 --folder {ca}")
    first = wallwright(f"floor retire t-07 --data {data}")
    assert "wallwright floor ca revoke table t-07" in first.out
    second = wallwright(f"floor retire t-07 --data {data} --authority {ca}")
    assert second.code == 0 and "Revoked: " in second.out


def test_a_table_in_play_needs_yes_and_nothing_is_changed_without_it(
    data: Path, wallwright: Wallwright
) -> None:
    refused = wallwright(f"floor retire t-09 --data {data}")
    assert refused.code == 2
    assert "It is in play" in refused.err and "--yes" in refused.err
    assert "retired" not in wallwright(f"floor tables --data {data}").out
    assert wallwright(f"floor retire t-09 --data {data} --yes").code == 0
    assert wallwright(f"floor unretire t-09 --data {data}").code == 0
    assert "retired" not in wallwright(f"floor tables --data {data}").out


def test_a_table_is_renamed_by_its_title_and_shows_its_own_again(
    data: Path, wallwright: Wallwright
) -> None:
    assert "t-07 (Window)" in wallwright(f"floor rename t-07 Window --data {data}").out
    assert "t-07 (Bar)" in wallwright(f"floor rename Window Bar --data {data}").out
    assert wallwright(f"floor rename Bar --own-title --data {data}").code == 0
    assert "Bar" not in wallwright(f"floor tables --data {data}").out


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("retire t-10 --data {data}", "has no table 't-10'; `wallwright floor tables` lists them"),
        ("retire t-07", "Name the floor service's folder with --data"),
        ("retire t-07 --data {data}/none", "There is no floor's database"),
        ("retire t-07 --data {data} --floor hall", "has no floor 'hall'; it has club"),
        ("retire t-07 --data {data} --authority {data}", "ca.pem"),
        ("rename t-07 t-08 --data {data}", "cannot be told apart from 't-08'"),
        ("rename t-07 --data {data}", "Give either a new title or --own-title"),
        ("rename t-07 '' --data {data}", "at least 1 character"),
        ("tables --database mysql://host/floor", "is not a database of a floor"),
    ],
)
def test_a_wrong_command_is_one_sentence_and_makes_no_file(
    data: Path, wallwright: Wallwright, command: str, expected: str
) -> None:
    code, out, err = wallwright("floor " + command.format(data=data))
    assert (code, out) == (2, "")
    assert expected in err
    assert not (data / "none").exists()


def test_the_authority_of_another_floor_is_refused_before_anything_is_changed(
    data: Path, wallwright: Wallwright
) -> None:
    wallwright(f"floor ca init --folder {data / 'ca'} --floor hall")
    refused = wallwright(f"floor retire t-07 --data {data} --authority {data / 'ca'}")
    assert refused.code == 2 and "of the floor hall, not of club" in refused.err
    assert "retired" not in wallwright(f"floor tables --data {data}").out
