"""`wallwright install` after the package: what it writes, what it refuses, what it starts."""

from __future__ import annotations

import pytest

from tests.packaging.conftest import AS_USER, HOUSE, PATIENCE, DebianRoot

pytestmark = [pytest.mark.slow, pytest.mark.timeout(PATIENCE)]


def test_a_dry_run_changes_nothing_and_other_users_are_refused(installed: DebianRoot) -> None:
    before = installed.run("cat /etc/wallwright/serve.conf")
    seen = installed.run("wallwright install --table pai_gow --simulated --dry-run --yes")
    assert 'write /etc/wallwright/serve.conf: WALLWRIGHT_SERVE="--table pai_gow"' in seen
    assert "Nothing was changed" in seen
    refused = installed.run(
        f"{AS_USER} wallwright install --table pai_gow --simulated --yes", code=2
    )
    assert "run it with sudo" in refused
    assert installed.run("cat /etc/wallwright/serve.conf") == before


def test_a_tables_own_file_is_checked_and_copied_and_its_service_deals(
    installed: DebianRoot,
) -> None:
    table = HOUSE / "config" / "tables" / "robotic.yaml"
    installed.put(table.read_text("utf-8") + "\nmystery: 3\n", "/srv/mine.yaml")
    refused = installed.run("wallwright install --table mine.yaml --simulated --yes", code=2)
    assert "mystery" in refused
    assert "Traceback" not in refused
    installed.run("test ! -e /etc/wallwright/table.yaml")
    installed.put(table, "/srv/mine.yaml")
    seen = installed.run(
        f"""
        wallwright install --table mine.yaml --simulated --yes --nameplate 'Treasure, MJ-9, A 17'
        cat /etc/wallwright/serve.conf
        cmp mine.yaml /etc/wallwright/table.yaml
        . /etc/wallwright/serve.conf
        eval "set -- $WALLWRIGHT_SERVE"
        {AS_USER} wallwright serve "$@" --sim 25 --listen 127.0.0.1:0 \\
            --game wenzhou --automatic --until ready
        """
    )
    assert "Copied mine.yaml to /etc/wallwright/table.yaml." in seen
    assert "--nameplate 'Treasure, MJ-9, A 17'" in seen
    assert "272 of 272 accounted for" in seen


def test_a_table_without_an_answering_board_is_refused_with_the_next_step(
    installed: DebianRoot,
) -> None:
    seen = installed.run("wallwright install --table robotic --yes", code=2)
    assert "No board with the address 0 answers" in seen
    assert "--simulated" in seen
    assert "add --table NAME" in installed.run("wallwright install --yes", code=2)
    simulated = installed.run("wallwright install --simulated --yes --dry-run")
    assert 'WALLWRIGHT_SERVE="--table robotic"' in simulated
