"""The package for arm64 on a whole emulated computer: a power cut in the middle of a deal.

`make test-arm64` runs this, and prints the figures; `make test` does not. QEMU emulates the
processor: the computer boots Debian's kernel and systemd, and drives virtual boards that run on
this computer.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.conftest import (
    BUILD,
    HOUSE,
    DebianRoot,
    build_package,
    debian_for,
    start_programs_of_arm64,
)
from tests.packaging.emulated_computer import EmulatedComputer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600), pytest.mark.evidence(only=True)]
BOOT, READY, DEAL = 600.0, 900.0, 900.0
"""Seconds until systemd starts the service, until it is ready, and for a deal."""
CUT_AFTER = 8
"""The power is cut in this packet of the deal."""
PACKETS, TILES = 17, 65
"""Packets and tiles of a deal of Wenzhou mahjong with a dealer's extra tile."""
READY_SIGN = r"Started .*[Ww]allwright"
FSTAB = """\
LABEL=root / ext4 defaults 0 1
LABEL=data /var/lib/wallwright ext4 defaults 0 2
"""
OPTIONS = (
    'WALLWRIGHT_SERVE="--table robotic --port /run/board/port --allow-simulated --game wenzhou"\n'
)
LINE = """\
#!/usr/bin/python3
# Carries bytes between the virtio port and a pseudo-terminal: boards are simulated there only.
# What the boards send before the service has sent anything is lost, as at a closed serial port.
import grp, os, pty, select, socket, tty
line = os.open("/dev/virtio-ports/board", os.O_RDWR)
near, far = pty.openpty()
tty.setraw(far)
os.chown(os.ttyname(far), 0, grp.getgrnam("dialout").gr_gid)
os.chmod(os.ttyname(far), 0o660)
os.makedirs("/run/board", exist_ok=True)
os.symlink(os.ttyname(far), "/run/board/port")
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
    notices.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
is_open = False
while True:
    for ready in select.select((line, near), (), ())[0]:
        data = os.read(ready, 4096)
        is_open = is_open or ready == near
        while data and is_open:
            data = data[os.write(near if ready == line else line, data):]
"""
LINE_UNIT = """\
[Unit]
Description=The line of the boards
Before=wallwright.service
[Service]
Type=notify
ExecStart=/usr/local/sbin/board-line
[Install]
WantedBy=multi-user.target
"""
SHOW_UNIT = """\
[Unit]
Description=Shows the records of the table on the console
After=wallwright.service
[Service]
ExecStart=/bin/sh -c 'tail -n +1 -F /var/lib/wallwright/data/table.journal > /dev/ttyAMA0'
[Install]
WantedBy=multi-user.target
"""
MASKED = "serial-getty@ttyAMA0.service apt-daily.timer apt-daily-upgrade.timer fstrim.timer"
IMAGE = """
set -e
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2,workdir=$3" "$4"
mke2fs -q -t ext4 -L root -d "$4" "$5" 2500M
"""
"""Makes the image of a root's disk."""


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[tuple[Path, list[Path]]]:
    """The folder with the kernel, and the disks of a computer with the package."""
    start_programs_of_arm64()
    lower = debian_for("arm64", with_kernel=True)
    # The images are large; the folder of the tests can be in memory.
    folder = BUILD / "computer"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    root = DebianRoot(folder, lower)
    root.install(build_package(BUILD / "arm64", "arm64"))
    root.put(FSTAB, "/etc/fstab")
    root.put(OPTIONS, "/etc/wallwright/serve.conf")
    root.put(LINE, "/usr/local/sbin/board-line", mode=0o755)
    root.put(LINE_UNIT, "/etc/systemd/system/board-line.service")
    root.put(SHOW_UNIT, "/etc/systemd/system/show-records.service")
    root.run(
        f"systemctl enable wallwright board-line show-records; systemctl mask {MASKED};"
        " mkdir -p /var/lib/wallwright"
    )
    system, data = folder / "system.img", folder / "data.img"
    parts = (lower, folder / "upper", folder / "work", folder / "root", system)
    subprocess.run(["unshare", "--mount", "sh", "-c", IMAGE, "sh", *map(str, parts)], check=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-L", "data", data, "200M"], check=True)
    yield lower / "boot", [system, data]
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def line() -> Iterator[str]:
    """The terminal of virtual boards, which run during the test."""
    command = [sys.executable, "-m", "controller.cli", "board", "--sim", "robotic", "--pty"]
    with subprocess.Popen(command, cwd=HOUSE, stdout=subprocess.PIPE, text=True) as boards:
        assert boards.stdout is not None
        yield boards.stdout.readline().strip()
        boards.terminate()


def records_on(disk: Path, folder: Path) -> list[dict[str, Any]]:
    """The records of the table's journal on a disk whose computer was switched off."""
    subprocess.run(["e2fsck", "-fy", disk], capture_output=True, check=False)
    copy = folder / "table.journal"
    dumped = f"dump /data/table.journal {copy}"
    subprocess.run(["debugfs", "-R", dumped, disk], capture_output=True, check=True)
    return [json.loads(text) for text in copy.read_text("utf-8").splitlines()]


def packets_in(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records with which packets were begun."""
    return [
        record
        for record in records
        if record["kind"] == "intent"
        and isinstance(record["content"], dict)
        and record["content"].get("step") == "packet"
    ]


def test_a_computer_that_loses_its_power_in_the_middle_of_a_deal_goes_on_with_it(
    disks: tuple[Path, list[Path]],
    line: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    boot, images = disks
    measured: list[str] = []

    def note(what: str) -> None:
        measured.append(f"{what}: {computer.seconds:.1f} s")

    computer = EmulatedComputer(tmp_path, boot, images, line)
    try:
        computer.wait_for(r"Welcome to .*Debian", BOOT)
        note("first start: the kernel has started systemd")
        computer.wait_for(READY_SIGN, READY)
        note("first start: the service is ready")
        computer.wait_for(r'"kind":"intent".*"step":"packet"', DEAL, CUT_AFTER)
        note(f"the power is cut in packet {CUT_AFTER}")
        computer.reset()
        computer.wait_for(READY_SIGN, BOOT + READY)
        note("second start: the service is ready")
        found = computer.wait_for(r'"number":(\d+),.*"step":"turn_up"', DEAL)
        computer.wait_for(rf'"kind":"outcome","of":{found[1]},', DEAL)
        note("second start: the deal is complete")
        shown = computer.shown()
    finally:
        computer.quit()
        with capsys.disabled():
            sys.stdout.writelines(f"\n{text}" for text in measured)
    assert "Watchdog timeout" not in shown
    records = records_on(images[1], tmp_path)
    packets = packets_in(records)
    places = [place for packet in packets for place in packet["content"]["from"]]
    assert len(packets) == PACKETS
    assert len(places) == len(set(places)) == TILES, "no tile is dealt twice, and none left out"
    confirmed = {record["of"]: record for record in records if record["kind"] == "outcome"}
    assert all(packet["number"] in confirmed for packet in packets)
    # The table's clock begins anew with each start.
    cut, after = next(
        (index, two["at"] < one["at"] <= confirmed[one["number"]]["at"])
        for index, (one, two) in enumerate(pairwise(packets), 1)
        if two["at"] < one["at"]
    )
    with capsys.disabled():
        when = "after" if after else "during"
        sys.stdout.write(f"\nthe power was cut {when} packet {cut} of {PACKETS}\n")
