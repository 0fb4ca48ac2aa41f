"""The package in clean Debians without a network: install, upgrade, remove, purge."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.packaging.conftest import AS_USER, OLD_VERSION, PATIENCE, DebianRoot
from tests.quick import EVIDENCE_ONLY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(PATIENCE)]
DATA = "/var/lib/wallwright/data"
FLOOR_DATA = "/var/lib/wallwright/floor"
DEAL = (
    f"{AS_USER} wallwright serve --sim 25 --game wenzhou --automatic --until ready"
    f" --listen 127.0.0.1:0 --data {DATA}"
)
PURGE = "apt-get purge --yes wallwright"


def test_it_installs_without_a_network_and_deals_a_round(
    installation: tuple[Path, Path], installed: DebianRoot, package: Path
) -> None:
    printed = installation[0].with_name("printed").read_text("utf-8")
    assert "Next step: sudo wallwright install" in printed
    seen = installed.run(
        f"""
        wallwright version
        id wallwright
        stat -c '%n %U:%G %a' /var/lib/wallwright {DATA} {FLOOR_DATA}
        stat -c '%n %U:%G %a' /etc/wallwright /opt/wallwright
        ls /etc/systemd/system/multi-user.target.wants 2>/dev/null || true
        {DEAL}
        """
    )
    assert f"wallwright {package.name.split('_')[1]} (not signed)" in seen
    assert re.search(r"groups=\d+\(wallwright\),\d+\(dialout\),\d+\(gpio\)", seen)
    assert "/var/lib/wallwright root:root 755" in seen
    assert f"{DATA} wallwright:wallwright 700" in seen
    assert f"{FLOOR_DATA} wallwright-floor:wallwright-floor 700" in seen
    assert "wallwright-floor.service" not in seen
    assert "wallwright.service" not in seen  # nothing starts before a person has set it up
    assert "272 of 272 accounted for" in seen


def test_the_shell_completes_commands(installed: DebianRoot) -> None:
    shown = installed.run(
        """
        cat > complete.sh <<'END'
        . /usr/share/bash-completion/completions/wallwright
        COMP_WORDS=(wallwright ser) COMP_CWORD=1
        $(complete -p wallwright | sed 's/.*-F \\([^ ]*\\) .*/\\1/') wallwright
        echo "${COMPREPLY[@]}"
        END
        bash complete.sh
        """.replace("\n        ", "\n")
    )
    assert shown.split() == ["serve"]


WRITE_STATE = f"""
python3 - <<'END'
import json, re, subprocess, urllib.request
line = ("{AS_USER} wallwright serve --sim 25 --game wenzhou --automatic"
        " --listen 127.0.0.1:0 --data {DATA}").split()
service = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
link = [service.stdout.readline() for _ in range(2)][1]
address, token = re.search(r"(http://[^/]+)/#first-start=(\\S+)", link).groups()
body = {{"token": token, "name": "Wu", "password": "a long password of Wu"}}
request = urllib.request.Request(address + "/api/v1/first-start", json.dumps(body).encode(),
                                 {{"Content-Type": "application/json"}})
assert urllib.request.urlopen(request).status == 200
service.terminate()
assert service.wait(60) == 0, service.returncode
END
{DEAL}
"""
LOG_IN = """
import http.cookiejar, json, sys, urllib.request
jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
browser = urllib.request.build_opener(jar)
body = {"name": "Wu", "password": "a long password of Wu"}
request = urllib.request.Request(sys.argv[1] + "api/v1/login", json.dumps(body).encode(),
                                 {"Content-Type": "application/json"})
assert browser.open(request).status == 200
status = json.load(browser.open(sys.argv[1] + "api/v1/status"))
status = status.get("status", status)
print("logged in; session of", status["session"]["game"])
"""
READ_STATE = f"""
{AS_USER} wallwright audit show --data {DATA}
{AS_USER} wallwright doctor --data {DATA} --json || true
python3 - <<'END'
import subprocess
line = ("{AS_USER} wallwright serve --sim 25 --automatic"
        " --listen 127.0.0.1:0 --data {DATA}").split()
service = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
first = service.stdout.readline()
subprocess.run(["python3", "log_in.py", first.split()[-1]], check=True)
service.terminate()
assert service.wait(60) == 0, service.returncode
END
"""


@EVIDENCE_ONLY
def test_an_upgrade_of_debian_13_keeps_the_configuration_the_user_and_all_records(
    newer_debian: DebianRoot, old_package: Path, package: Path
) -> None:
    """Its Python is not the one for which the package has compiled modules."""
    newer_debian.install(old_package)
    assert "Python 3.13" in newer_debian.run("python3 --version")
    upgrade(newer_debian, package)
    compiled = "find /opt/wallwright -name 'table_service.cpython-313.pyc' | wc -l"
    assert newer_debian.run(compiled).strip() == "1"


def test_an_upgrade_keeps_the_configuration_the_user_and_all_records(
    installed_old: DebianRoot, package: Path
) -> None:
    upgrade(installed_old, package)
    installed_old.run("apt-get remove --yes wallwright; test ! -e /opt/wallwright")


def upgrade(debian: DebianRoot, package: Path) -> None:
    """Deal with the old package, install the new one, and read what the old one has written."""
    changed = "WALLWRIGHT_SERVE=\"--table robotic --nameplate 'Treasure, MJ-9, A-17'\"\n"
    before = debian.run(f"cat > /etc/wallwright/serve.conf <<'END'\n{changed}END\n{WRITE_STATE}id")
    assert "272 of 272 accounted for" in before
    heads = debian.run(f"{AS_USER} wallwright audit show --data {DATA}")
    done = debian.install(package)
    assert f"Unpacking wallwright ({package.name.split('_')[1]}) over ({OLD_VERSION})" in done
    debian.put(LOG_IN, "/srv/log_in.py")
    after = debian.run(f"cat /etc/wallwright/serve.conf; {READ_STATE}")
    assert changed in after  # although the new package has another comment, and nobody was asked
    root = re.search(r"root ([0-9a-f]{64})", heads)
    assert root is not None
    assert root[1] in after  # the log that the old version wrote, read by the new one
    assert '"state": "intact"' in after  # the journal
    # The account of the old version logs in, and the session of the old version continues.
    assert "logged in; session of wenzhou" in after


def test_remove_keeps_the_data_and_a_new_installation_finds_it(
    installed: DebianRoot, package: Path
) -> None:
    debian = installed
    debian.run(
        f"echo kept > {DATA}/note; chown wallwright: {DATA}/note; echo x > /etc/wallwright/t"
    )
    debian.run(
        "apt-get remove --yes wallwright; ! command -v wallwright; test ! -e /opt/wallwright"
    )
    left = debian.run(f"cat {DATA}/note /etc/wallwright/serve.conf")
    assert "kept" in left
    assert "WALLWRIGHT_SERVE" in left
    debian.install(package)
    assert "kept" in debian.run(f"{AS_USER} cat {DATA}/note; wallwright version")


def test_purge_keeps_the_data_unless_a_person_says_yes(
    installed: DebianRoot, package: Path
) -> None:
    debian = installed
    debian.run(f"echo kept > {DATA}/note; echo mine > /etc/wallwright/table.yaml")
    assert "The data is kept" in debian.run(PURGE)
    seen = debian.run(f"cat {DATA}/note /etc/wallwright/table.yaml; id wallwright")
    assert ("kept" in seen, "mine" in seen) == (True, True)
    debian.install(package)
    debian.run(
        "echo wallwright wallwright/purge_data boolean true | debconf-set-selections\n" + PURGE
    )
    debian.run("test ! -e /var/lib/wallwright; test ! -e /etc/wallwright; ! id wallwright")
    debian.run(f"! id wallwright-floor; ! ls {DATA} {FLOOR_DATA}")
