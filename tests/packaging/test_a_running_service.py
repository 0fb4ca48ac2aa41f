"""The package and a service that runs: it is stopped safely, and started again only if it ran.

A clean root has no systemd, so a small `systemctl` stands in for it: it keeps one service, starts
it as the unit does, and stops it by SIGTERM. Every call is recorded.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.conftest import AS_USER, PATIENCE, DebianRoot

pytestmark = [pytest.mark.slow, pytest.mark.timeout(PATIENCE)]
SYSTEMCTL = """\
#!/bin/sh
echo "$*" >> /srv/calls
pid=$(cat /srv/pid 2>/dev/null)
AS_USER="{AS_USER}"
runs() { [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; }
for word in "$@"; do
    case $word in
    is-active) runs; exit ;;
    is-enabled) echo enabled; exit 0 ;;
    start)
        . /etc/wallwright/serve.conf
        $AS_USER wallwright serve --data /var/lib/wallwright/data \\
            --listen 127.0.0.1:8080 $WALLWRIGHT_SERVE > /srv/printed 2>&1 &
        echo $! > /srv/pid
        until grep -q panel /srv/printed; do sleep 0.1; done
        exit 0
        ;;
    stop)
        if runs; then
            kill "$pid"
            while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
        fi
        cp /var/lib/wallwright/data/table.journal /srv/journal-at-stop
        rm -f /srv/pid
        exit 0
        ;;
    esac
done
""".replace("{AS_USER}", AS_USER)
AUDIT = f"{AS_USER} wallwright audit show --data /var/lib/wallwright/data"
DOCTOR = f"{AS_USER} wallwright doctor --data /var/lib/wallwright/data --json"
OPTIONS = 'WALLWRIGHT_SERVE="--sim 6 --game wenzhou --automatic"'
UNTIL_DEALT = """
until grep -q '"step":"packet"' /var/lib/wallwright/data/table.journal; do sleep 0.1; done
"""


@pytest.fixture
def supervised(debian: DebianRoot, old_package: Path) -> DebianRoot:
    """A Debian with the old package, whose service deals by itself when it is started."""
    debian.install(old_package)
    debian.put(SYSTEMCTL, "/usr/bin/systemctl", mode=0o755)
    debian.run(f"mkdir -p /run/systemd/system; echo '{OPTIONS}' > /etc/wallwright/serve.conf")
    return debian


def test_an_upgrade_in_the_middle_of_a_deal_stops_the_table_and_goes_on(
    supervised: DebianRoot, package: Path
) -> None:
    supervised.put(package, f"/srv/{package.name}")
    seen = supervised.run(
        f"""
        systemctl start wallwright.service
        {UNTIL_DEALT}
        apt-get install --yes -o Dpkg::Options::=--force-confold ./{package.name}
        wallwright version
        kill -0 "$(cat pid)"
        cp journal-at-stop journal-at-stop.1
        until test "$({AUDIT} | grep -c power_up)" = 2; do sleep 0.5; done
        until {DOCTOR} | grep '"state": "in use"'; do sleep 0.5; done
        {AUDIT}
        echo "calls of systemctl:"
        cat calls
        systemctl stop wallwright.service
        """
    )
    at_stop = supervised.run("cat journal-at-stop.1")
    assert '"step":"packet"' in at_stop
    assert '"step":"turn_up"' not in at_stop  # the deal was not over
    events = [line.split()[2] for line in seen.splitlines() if line.lstrip()[:1].isdigit()]
    assert events.count("power_up") == 2
    assert events.count("service_stopped") == 1  # the stop was safe, and the last start still runs
    calls = seen[seen.index("calls of systemctl:") :].splitlines()
    stopped = next(n for n, line in enumerate(calls) if "stop wallwright.service" in line)
    assert any("start wallwright.service" in line for line in calls[stopped:])
    assert '"state": "in use"' in seen  # the journal, by the new program


def test_an_upgrade_does_not_start_a_service_that_was_stopped(
    supervised: DebianRoot, package: Path
) -> None:
    supervised.put(package, f"/srv/{package.name}")
    seen = supervised.run(
        f"""
        apt-get install --yes ./{package.name}
        test ! -e pid
        cat calls
        """
    )
    assert " start wallwright.service" not in seen


def test_a_removal_stops_the_table_before_its_files_go(supervised: DebianRoot) -> None:
    seen = supervised.run(
        """
        systemctl start wallwright.service
        apt-get remove --yes wallwright
        test ! -e pid
        test ! -e /opt/wallwright
        cat calls printed
        """
    )
    assert "stop wallwright.service" in seen
    assert "Traceback" not in seen
