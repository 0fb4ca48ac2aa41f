"""The facts that are read from the files of a computer, present, missing and damaged."""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

import pytest

from controller.run.journal import Journal
from controller.upkeep.doctor.fact_files import FactFiles
from controller.upkeep.doctor.facts import Subjects, read_facts
from controller.upkeep.doctor.facts.computer import read_clock, read_load, read_power, read_unit
from controller.upkeep.doctor.facts.disks import read_folders
from controller.upkeep.doctor.facts.ports import read_lines, read_pins, read_user
from controller.upkeep.doctor.facts.program import ForeignPackage, foreign_packages, read_slots
from controller.upkeep.doctor.facts.records import read_journal
from controller.upkeep.doctor.report import findings_of
from tests.controller.upkeep.doctor.fake_computer import FILES, PORT, USB, FakeComputer
from tests.quick import tries

UNIT = "wallwright.service"


@pytest.fixture
def computer(tmp_path: Path) -> FakeComputer:
    return FakeComputer(tmp_path / "root")


# Ports


def test_a_port_is_read_with_its_adapter_and_the_table_that_has_it_open(
    computer: FakeComputer,
) -> None:
    (port,) = read_lines(computer.files).ports
    assert (port.name, port.adapter, port.latency_ms, port.usb_mbit) == (PORT, "0403:6001", 1, 12)
    assert port.description == "FTDI FT232R USB UART A50285BI"
    (holder,) = port.holders
    assert (holder.pid, holder.is_wallwright) == (800, True)


def test_programs_that_take_ports_are_found_by_their_name(computer: FakeComputer) -> None:
    computer.write("proc/900/comm", "ModemManager\n")
    computer.link("proc/900/fd/3", PORT)
    lines = read_lines(computer.files)
    assert lines.grabbers == ("ModemManager",)
    assert [holder.is_wallwright for holder in lines.ports[0].holders] == [True, False]


def test_an_adapter_whose_port_was_taken_away_is_found(computer: FakeComputer) -> None:
    computer.remove("sys/class/tty/ttyUSB0/device")
    computer.write(f"{USB}/idVendor", "1a86\n")
    computer.write(f"{USB}/idProduct", "7523\n")
    lines = read_lines(computer.files)
    assert (lines.ports, lines.without_port) == ((), ("1a86:7523",))


def test_a_port_of_the_kernel_without_a_chip_is_left_out(computer: FakeComputer) -> None:
    for name, kind in (("ttyS0", "0"), ("ttyS1", "4")):
        computer.write(f"sys/class/tty/{name}/device/x", "")
        computer.write(f"sys/class/tty/{name}/type", kind)
        computer.write(f"dev/{name}", "")
    names = [port.name for port in read_lines(computer.files).ports]
    assert names == ["/dev/ttyS1", PORT]


def _header_uart(computer: FakeComputer) -> None:
    """Leave the computer with the UART of its header only, as a Pi to which nothing is attached."""
    computer.remove("sys/class/tty/ttyUSB0/device")
    computer.write(f"{USB}/idVendor", "0000\n")
    computer.write("sys/class/tty/ttyAMA0/device/x", "")
    computer.write("sys/class/tty/ttyAMA0/type", "32")
    computer.write("dev/ttyAMA0", "")


def test_a_pi_with_nothing_attached_is_told_so_though_its_header_has_a_port(
    computer: FakeComputer,
) -> None:
    _header_uart(computer)
    found = findings_of(read_facts(Subjects(), computer.files))
    (finding,) = [each for each in found if (each.check, each.outcome) == ("ports", "none")]
    assert finding.what == "No board and no adapter of a board is attached by USB."
    assert "header of a Raspberry Pi is not listed: docs/build/PI.md" in finding.next_step


@pytest.mark.parametrize("by", ["kernel", "getty", "group"])
def test_a_console_gives_one_note_and_no_advice_that_would_open_it(
    computer: FakeComputer, by: str
) -> None:
    """`chmod` on a console, or the end of its getty, which starts again, is not a cure."""
    _header_uart(computer)
    if by == "kernel":
        computer.write("proc/consoles", "tty1 -WU (EC p  ) 4:1\nttyAMA0 -W- (EC p a) 204:64\n")
    elif by == "getty":
        computer.write("proc/900/cmdline", "/sbin/agetty\0--keep-baud\0-\0linux\0")
        computer.link("proc/900/fd/0", "/dev/ttyAMA0")
    else:  # the files of the getty cannot be seen, but its port belongs to the group tty
        mine = (computer.root / "dev/ttyAMA0").stat().st_gid
        computer.write("etc/group", f"root:x:0:\ndialout:x:20:table\ntty:x:{mine}:\n")
    (port,) = read_lines(computer.files).ports
    assert (
        port.console
        == ("the kernel writes its messages to it", "a login waits on it")[by != "kernel"]
    )
    facts = read_facts(Subjects(), computer.files)
    about = [each for each in findings_of(facts) if "/dev/ttyAMA0" in each.what]
    assert [each.check for each in about if each.next_step] == ["port_console"]
    assert "raspi-config" in next(each.next_step for each in about if each.next_step)


def test_pins_are_read_with_the_model_of_the_computer(computer: FakeComputer) -> None:
    pins = read_pins(computer.files)
    assert pins.model == "Raspberry Pi 4 Model B Rev 1.4"
    assert [chip.name for chip in pins.chips] == ["/dev/gpiochip0"]


def test_the_groups_of_the_user_are_those_of_the_process_and_of_the_file(
    computer: FakeComputer,
) -> None:
    user = read_user(computer.files, 990, frozenset({990}))
    assert (user.name, user.group(20), user.listed) == ("table", "dialout", {20})
    assert user.group(4711) == "4711"


# Clock, supply, memory, unit


def test_the_clock_is_synchronised_if_the_time_service_says_so(computer: FakeComputer) -> None:
    clock = read_clock(computer.files, None)
    assert (clock.rtc, clock.synchronised) == (("rtc0",), True)
    computer.remove("run/systemd/timesync/synchronized")
    assert read_clock(computer.files, None).synchronised is False
    assert read_clock(FactFiles(computer.root / "empty"), None).synchronised is None


def test_the_state_of_the_supply_comes_from_the_firmware_or_its_command(
    computer: FakeComputer,
) -> None:
    name = "sys/devices/platform/soc/soc:firmware/get_throttled"
    computer.write(name, "50005\n")
    assert read_power(computer.files).throttled == 0x50005
    computer.remove(name)
    assert read_power(computer.files).throttled is None
    computer.command("vcgencmd", "#!/bin/sh\necho throttled=0x$(echo 80008)\n")
    assert read_power(computer.files).throttled == 0x80008
    assert read_power(computer.files).voltage_alarm is False
    assert read_power(computer.files).hottest == 48.312


def test_a_command_that_hangs_is_ended_and_its_fact_is_not_known(computer: FakeComputer) -> None:
    computer.remove("sys/devices/platform/soc/soc:firmware/get_throttled")
    computer.command("vcgencmd", "#!/bin/sh\nexec sleep 60\n")
    begun = time.perf_counter()
    assert read_power(FactFiles(computer.root, limit=0.5)).throttled is None
    assert time.perf_counter() - begun < 30
    computer.command("vcgencmd", "#!/bin/sh\necho throttled=0x1\nexit 3\n")
    assert read_power(computer.files).throttled is None


def test_memory_load_and_the_limit_of_the_services_group_are_read(computer: FakeComputer) -> None:
    load = read_load(computer.files, UNIT)
    assert (load.total, load.available) == (3884360 * 1024, 3210000 * 1024)
    assert (load.swap_used, load.load, load.processors) == (396 * 1024, 0.59, 4)
    assert (load.limit, load.killed) == (536870912, 0)
    assert read_load(computer.files, "other.service").limit is None


def test_the_unit_is_read_where_systemd_runs(computer: FakeComputer) -> None:
    unit = read_unit(computer.files, UNIT)
    assert (unit.loaded, unit.state, unit.restarts, unit.watchdog) == (True, "active", 0, "30s")
    computer.remove("run/systemd/system/x")
    (computer.root / "run/systemd/system").rmdir()
    assert read_unit(computer.files, UNIT).state is None


# Disks


def test_a_folder_is_read_with_its_disk(computer: FakeComputer, tmp_path: Path) -> None:
    (folder,) = read_folders(computer.files, [tmp_path])
    assert folder.writable
    assert folder.free_bytes
    assert len(folder.sync_s) == 8
    mount = folder.mount
    assert mount is not None
    assert (mount.kind, mount.device, mount.disk, mount.read_only) == (
        *("ext4", "mmcblk0p2", "mmcblk0"),
        False,
    )
    assert (mount.errors, mount.life_used, mount.spare_blocks) == (0, (2, 1), 1)


def test_the_nearest_mount_counts_and_names_with_spaces_are_read(computer: FakeComputer) -> None:
    (folder,) = read_folders(computer.files, [Path("/mnt/a disk/table")], measure=False)
    assert (folder.exists, folder.mount is not None and folder.mount.read_only) == (False, True)
    (run,) = read_folders(computer.files, [Path("/run/table")], measure=False)
    assert run.mount is not None
    assert run.mount.kind == "tmpfs"


# The program and the records


def test_a_package_of_the_same_name_is_found_and_whether_it_comes_first(tmp_path: Path) -> None:
    for name in ("before", "program", "after"):
        (tmp_path / name).mkdir()
    (tmp_path / "before/rules").mkdir()
    (tmp_path / "before/rules/__init__.py").touch()
    (tmp_path / "after/config.py").touch()
    places = [str(tmp_path / name) for name in ("before", "program", "after")]
    assert foreign_packages(places, tmp_path / "program") == (
        ForeignPackage("rules", places[0], first=True),
        ForeignPackage("config", places[2], first=False),
    )
    assert [each.first for each in foreign_packages([places[2]], tmp_path / "program")] == [True]


def test_the_state_of_the_update_slots_is_read(tmp_path: Path) -> None:
    assert read_slots(tmp_path, tmp_path) is None
    (tmp_path / "current").symlink_to("a")
    state = read_slots(tmp_path, tmp_path)
    assert state is not None
    assert (state.current, state.trial_starts) == ("a", None)
    (tmp_path / "trial.json").write_text('{"slot": "a", "previous": "b", "starts": 2}')
    state = read_slots(tmp_path, tmp_path)
    assert state is not None
    assert state.trial_starts == 2
    (tmp_path / "trial.json").write_text("{")
    state = read_slots(tmp_path, tmp_path)
    assert state is not None
    assert "trial.json cannot be read" in state.defect


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_journal_of_another_user_is_not_opened_because_a_repair_would_take_it(
    tmp_path: Path,
) -> None:
    file = tmp_path / "table.journal"
    with Journal(file, "2030-01-01", {}):
        pass
    assert read_journal(file, None).state == "intact"
    os.chown(file, 990, 990)
    assert read_journal(file, None).state == "not opened"


# Damage


def test_nothing_is_known_of_an_empty_computer_and_nothing_fails(tmp_path: Path) -> None:
    facts = read_facts(Subjects(), FactFiles(tmp_path))
    assert (facts.lines.ports, facts.pins.chips, facts.power.throttled) == ((), (), None)
    findings = findings_of(facts)
    assert {found.check for found in findings if found.outcome == "unknown"} >= {
        *("supply", "temperature", "memory", "load", "unit", "clock_network", "gpio"),
        "disk_kind",
    }


def test_random_bytes_in_every_file_give_findings_and_no_error(computer: FakeComputer) -> None:
    random = Random(16)
    alphabets = (bytes(range(256)), b"0123456789-:,. \n\0", b"0xfF/=\\abcde \n" + bytes([0xB2]))
    for _ in range(tries(25, quick=10, evidence=2000)):
        for name in random.sample(sorted(FILES), 12):
            letters = random.choice(alphabets)
            size = random.choice((0, 1, 5, 40, 400))
            computer.write(name, bytes(random.choice(letters) for _ in range(size)))
        findings = findings_of(read_facts(Subjects(), computer.files))
        assert all(found.what for found in findings)


def test_a_pipe_or_a_folder_in_the_place_of_a_file_does_not_stop_the_command(
    computer: FakeComputer,
) -> None:
    for name in ("proc/loadavg", "proc/meminfo"):
        computer.remove(name)
    os.mkfifo(computer.root / "proc/loadavg")
    (computer.root / "proc/meminfo").mkdir()
    load = read_load(computer.files, UNIT)
    assert (load.load, load.total) == (None, None)
