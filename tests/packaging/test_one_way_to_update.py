"""A computer is updated by apt or in slots: each way refuses a computer of the other one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.conftest import PATIENCE, DebianRoot

pytestmark = [pytest.mark.slow, pytest.mark.timeout(PATIENCE)]
SLOTS = "/var/lib/wallwright/program"


def test_the_package_is_refused_on_a_computer_that_is_updated_in_slots(
    debian: DebianRoot, package: Path
) -> None:
    debian.put(package, f"/srv/{package.name}")
    seen = debian.run(
        f"mkdir -p {SLOTS}/a; ln -s a {SLOTS}/current; apt-get install --yes ./{package.name}",
        code=100,
    )
    assert f"This computer is updated in slots: {SLOTS}/current exists." in seen
    debian.run(f"test ! -e /opt/wallwright; test -L {SLOTS}/current")


def test_the_program_of_the_package_refuses_updates_in_slots(installed: DebianRoot) -> None:
    for line in ("check /tmp", "install /tmp", "confirm", "roll-back", "prepare /tmp /tmp/1.json"):
        seen = installed.run(f"wallwright update {line}", code=2)
        assert "belongs to the Debian package wallwright" in seen, line
        assert "apt updates it" in seen
    installed.run(f"test ! -e {SLOTS}")
