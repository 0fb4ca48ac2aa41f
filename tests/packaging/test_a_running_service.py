"""The package and a service that runs: it is stopped safely, and started again only if it ran.

A clean root has no systemd, so a small `systemctl` stands in for it: it keeps the two services of
the package, starts them as their units do, and stops them by SIGTERM. Every call is recorded. If
there is a file `stop-in-deal`, a stop waits until a deal has begun: how long apt takes is not
known.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.conftest import AS_USER, PATIENCE, DebianRoot
from tests.quick import EVIDENCE_ONLY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(PATIENCE)]
AS_FLOOR = (
    "setpriv --reuid=wallwright-floor --regid=wallwright-floor --init-groups"
    " env HOME=/var/lib/wallwright/floor"
)
"""Starts a command as the user of the floor service, in the same process."""
UNTIL_DEALT = """until kill -STOP "$pid"; awk '
    /"step":"turn_up"/ { packets = 0 }
    /"step":"packet"/ { packets++ }
    END { exit !(packets >= 1 && packets <= 10) }
' /var/lib/wallwright/data/table.journal; do kill -CONT "$pid"; sleep 0.1; done"""
"""Ends early in a deal, of whichever round; the service deals one round after another. The service
is held while its journal is looked at, and at the end: the deal cannot end before the stop."""
SYSTEMCTL = (
    """\
#!/bin/sh
echo "$*" >> /srv/calls
AS_USER="{AS_USER}"
AS_FLOOR="{AS_FLOOR}"
case "$*" in
*wallwright-floor.service*) file=/srv/floor-pid ;;
*) file=/srv/pid ;;
esac
pid=$(cat "$file" 2>/dev/null)
runs() { [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; }
# start PRINTED PHRASE COMMAND: returns when the command has printed the phrase into PRINTED.
start() {
    printed=$1 phrase=$2
    shift 2
    : > "$printed" # here, not by the command: what an earlier start printed does not count
    "$@" >> "$printed" 2>&1 &
    echo $! > "$file"
    until grep -q "$phrase" "$printed"; do
        kill -0 $! 2>/dev/null || { cat "$printed" >&2; exit 1; }
        sleep 0.1
    done
}
for word in "$@"; do
    case $word in
    is-active) runs; exit ;;
    is-enabled) echo enabled; exit 0 ;;
    start)
        if [ "$file" = /srv/floor-pid ]; then
            . /etc/wallwright/floor.conf
            start /srv/floor-printed "witnessed with the key" $AS_FLOOR wallwright floor serve \\
                --data /var/lib/wallwright/floor $WALLWRIGHT_FLOOR
            exit 0
        fi
        . /etc/wallwright/serve.conf
        start /srv/printed panel $AS_USER wallwright serve --data /var/lib/wallwright/data \\
            --listen 127.0.0.1:8080 $WALLWRIGHT_SERVE
        exit 0
        ;;
    stop)
        if runs; then
            test ! -e /srv/stop-in-deal || {UNTIL_DEALT}
            kill "$pid"
            kill -CONT "$pid"
            while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
        fi
        if [ "$file" = /srv/pid ]; then
            cp /var/lib/wallwright/data/table.journal /srv/journal-at-stop
        fi
        rm -f "$file"
        exit 0
        ;;
    esac
done
""".replace("{AS_USER}", AS_USER)
    .replace("{AS_FLOOR}", AS_FLOOR)
    .replace("{UNTIL_DEALT}", UNTIL_DEALT)
)
AUDIT = f"{AS_USER} wallwright audit show --last 100000 --data /var/lib/wallwright/data"
"""All events: the service deals meanwhile, and on a busy computer it adds more than the 20 that are
shown without `--last`."""
DOCTOR = f"{AS_USER} wallwright doctor --data /var/lib/wallwright/data --json"
OPTIONS = 'WALLWRIGHT_SERVE="--sim 6 --game wenzhou --automatic"'


@pytest.fixture
def supervised(installed_old: DebianRoot) -> DebianRoot:
    """A Debian with the old package, whose service deals by itself when it is started."""
    installed_old.put(SYSTEMCTL, "/usr/bin/systemctl", mode=0o755)
    installed_old.run(
        f"mkdir -p /run/systemd/system; echo '{OPTIONS}' > /etc/wallwright/serve.conf"
    )
    return installed_old


def test_an_upgrade_in_the_middle_of_a_deal_stops_the_table_and_goes_on(
    supervised: DebianRoot, package: Path
) -> None:
    supervised.put(package, f"/srv/{package.name}")
    seen = supervised.run(
        f"""
        systemctl start wallwright.service
        touch stop-in-deal
        apt-get install --yes -o Dpkg::Options::=--force-confold ./{package.name}
        wallwright version
        kill -0 "$(cat pid)"
        cp journal-at-stop journal-at-stop.1
        until test "$({AUDIT} | grep -c power_up)" = 2; do sleep 0.5; done
        until {DOCTOR} | grep '"state": "in use"'; do sleep 0.5; done
        {AUDIT}
        echo "calls of systemctl:"
        cat calls
        rm stop-in-deal
        systemctl stop wallwright.service
        """
    )
    at_stop = supervised.run("cat journal-at-stop.1")
    dealt, turned_up = (at_stop.rfind(f'"step":"{step}"') for step in ("packet", "turn_up"))
    assert dealt > turned_up  # the deal was not over
    events = [line.split()[2] for line in seen.splitlines() if line.lstrip()[:1].isdigit()]
    assert events.count("power_up") == 2
    assert events.count("service_stopped") == 1  # the stop was safe, and the last start still runs
    calls = seen[seen.index("calls of systemctl:") :].splitlines()
    stopped = next(n for n, line in enumerate(calls) if "stop wallwright.service" in line)
    assert any("start wallwright.service" in line for line in calls[stopped:])
    assert '"state": "in use"' in seen  # the journal, by the new program


@EVIDENCE_ONLY
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


def test_an_upgrade_keeps_the_floor_service_and_its_records_apart_from_the_tables(
    installed_old: DebianRoot, package: Path
) -> None:
    debian = installed_old
    debian.put(SYSTEMCTL, "/usr/bin/systemctl", mode=0o755)
    debian.put(package, f"/srv/{package.name}")
    options = 'WALLWRIGHT_FLOOR="--floor club --broker 127.0.0.1:1883"'
    seen = debian.run(
        f"""
        mkdir -p /run/systemd/system; echo '{options}' > /etc/wallwright/floor.conf
        systemctl start wallwright-floor.service
        {AS_FLOOR} test ! -r /var/lib/wallwright/data
        {AS_USER} test ! -r /var/lib/wallwright/floor
        cp floor-printed floor-printed.1
        apt-get install --yes -o Dpkg::Options::=--force-confold ./{package.name}
        kill -0 "$(cat floor-pid)"
        test ! -e pid
        systemctl stop wallwright-floor.service
        grep -h signed floor-printed.1 floor-printed
        {AS_FLOOR} wallwright audit show --data /var/lib/wallwright/floor
        apt-get purge --yes wallwright
        ls /var/lib/wallwright/floor
        """
    )
    keys = [line for line in seen.splitlines() if line.startswith("Requests to tables are signed")]
    assert len(keys) == 2
    assert len(set(keys)) == 1  # the tables need no other line in their files
    events = [line.split()[2] for line in seen.splitlines() if line.lstrip()[:1].isdigit()]
    assert (events.count("power_up"), events.count("service_stopped")) == (2, 2)
    assert "The data is kept" in seen
    assert "floor.db" in seen
    assert "Traceback" not in debian.run("cat floor-printed floor-printed.1")
