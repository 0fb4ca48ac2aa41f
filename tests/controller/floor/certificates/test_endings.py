"""Certificates that end soon are found thirty days before."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from controller.floor.certificates.authority import (
    endings_of_authority,
    endings_of_file,
    make_authority,
)
from tests.controller.floor.certificates.test_authority import NOW, TABLE


def test_a_certificate_is_found_thirty_days_before_its_end_and_until_it_is_renewed(
    tmp_path: Path,
) -> None:
    authority = make_authority(tmp_path / "ca", "club", NOW)
    authority.issue(TABLE, (), 100, NOW)
    assert not list(endings_of_authority(authority, NOW + timedelta(days=70)))
    soon = NOW + timedelta(days=71)
    (found,) = endings_of_authority(authority, soon)
    assert found.sentence == "The certificate of table t-07 ends in 29 days, on 2027-03-04."
    assert "wallwright floor ca renew table t-07" in found.next_step
    assert not found.is_over
    authority.renew(TABLE, 398, soon)
    assert not list(endings_of_authority(authority, soon))


def test_the_list_and_the_authority_are_found_too(tmp_path: Path) -> None:
    authority = make_authority(tmp_path / "ca", "club", NOW)
    late = NOW + timedelta(days=3651)
    sentences = [found.sentence for found in endings_of_authority(authority, late)]
    assert sentences == [
        "The revocation list ended on 2027-12-27.",
        "The authority's certificate ended on 2036-11-21.",
    ]


@pytest.mark.parametrize(("days", "is_over"), [(69, None), (71, False), (101, True)])
def test_a_table_finds_the_end_of_its_own_certificate(
    tmp_path: Path, days: int, is_over: bool | None
) -> None:
    issued = make_authority(tmp_path / "ca", "club", NOW).issue(TABLE, (), 100, NOW)
    found = list(endings_of_file(issued / "certificate.pem", NOW + timedelta(days=days)))
    assert [each.is_over for each in found] == ([] if is_over is None else [is_over])
