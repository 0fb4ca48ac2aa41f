"""Every outcome of every check, from facts that differ from a healthy computer in one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from controller.run.journal import Unfinished
from controller.upkeep.doctor.checks import CHECKS
from controller.upkeep.doctor.facts import Facts
from controller.upkeep.doctor.facts.computer import ClockFacts, LoadFacts, PowerFacts, UnitFacts
from controller.upkeep.doctor.facts.disks import FolderFacts, MountFacts
from controller.upkeep.doctor.facts.ports import (
    DeviceNode,
    LineFacts,
    PinFacts,
    PortFacts,
    PortHolder,
    UserFacts,
)
from controller.upkeep.doctor.facts.program import ForeignPackage, ProgramFacts, SlotFacts
from controller.upkeep.doctor.facts.records import (
    AuditFacts,
    BoardAnswer,
    CertificateFacts,
    CheckedFile,
    CheckedTable,
    JournalFacts,
    MeasuredSupply,
    ProbedPort,
    SecretFile,
)
from controller.upkeep.doctor.finding import OK, UNKNOWN, DoctorFinding, FindingSeverity
from controller.upkeep.doctor.report import as_lines, findings_of

NODE = DeviceNode("/dev/ttyUSB0", 0o660, 0, 20)
PORT = PortFacts(NODE, "FTDI", "0403:6001", latency_ms=1, usb_mbit=12.0)
DISK = MountFacts("/", "ext4", False, "mmcblk0p2", "mmcblk0", 0, (2, 1), 1)
FOLDER = FolderFacts("/data", True, True, 60_000_000_000, 900_000, (0.01, 0.02), DISK)
DAY = 86_400.0
NOW = 20_000 * DAY
BOARD = BoardAnswer("BASE0001", 0, "current", "matches the key file")
UNIT = UnitFacts("wallwright.service", True, "active", "success", 0, "30s", "enabled")
HEALTHY = Facts(
    program=ProgramFacts("0.2.0", "3.11.2", "ab12", slots=SlotFacts("a")),
    user=UserFacts(990, "table", frozenset({20, 990, 997}), {20: "dialout", 997: "gpio"}),
    lines=LineFacts((PORT,)),
    pins=PinFacts("Raspberry Pi 4", (DeviceNode("/dev/gpiochip0", 0o660, 0, 997),)),
    clock=ClockFacts(NOW, ("rtc0",), True, NOW - 60, "/data/table.journal"),
    folders=(FOLDER,),
    power=PowerFacts(0, False, 48.0),
    load=LoadFacts(4_000_000_000, 3_000_000_000, 0, 0.5, 4, 512_000_000, 0),
    unit=UNIT,
    journal=JournalFacts(("/data/table.journal",), 2, "intact", 12),
    audit=AuditFacts("/data/audit", 7, "key", "2030-01-01T12:00:00.000Z"),
    secrets=(SecretFile("/data/audit/key", 0o600),),
    files=(CheckedFile("/etc/wallwright/table.yaml"),),
    table=CheckedTable("robotic", {"base": "mega2560"}),
    probed=(ProbedPort("/dev/ttyUSB0", (BOARD,)),),
    certificates=(CertificateFacts("/etc/wallwright/table.pem", NOW - DAY, NOW + 60 * DAY),),
)
RUN = Unfinished(3, "2030-01-01", {"table": "robotic"}, ())


def program(**values: Any) -> Facts:
    return replace(HEALTHY, program=replace(HEALTHY.program, **values))


def port(**values: Any) -> Facts:
    return replace(HEALTHY, lines=LineFacts((replace(PORT, **values),)))


def node(**values: Any) -> DeviceNode:
    return replace(NODE, **values)


def chip(**values: Any) -> Facts:
    return replace(HEALTHY, pins=PinFacts("", (node(name="/dev/gpiochip0", **values),)))


def groups(*mine: int, listed: tuple[int, ...] = ()) -> UserFacts:
    return replace(HEALTHY.user, groups=frozenset(mine), listed=frozenset(listed))


def clock(**values: Any) -> Facts:
    return replace(HEALTHY, clock=replace(HEALTHY.clock, **values))


def load(**values: Any) -> Facts:
    return replace(HEALTHY, load=replace(HEALTHY.load, **values))


def folder(**values: Any) -> Facts:
    return replace(HEALTHY, folders=(replace(FOLDER, **values),))


def mount(**values: Any) -> Facts:
    return folder(mount=replace(DISK, **values))


def unit(**values: Any) -> Facts:
    return replace(HEALTHY, unit=replace(UNIT, **values))


def journal(**values: Any) -> Facts:
    assert HEALTHY.journal is not None
    return replace(HEALTHY, journal=replace(HEALTHY.journal, **values))


def audit(**values: Any) -> Facts:
    assert HEALTHY.audit is not None
    return replace(HEALTHY, audit=replace(HEALTHY.audit, **values))


def board(**values: Any) -> Facts:
    return replace(HEALTHY, probed=(ProbedPort("/dev/x", (replace(BOARD, **values),)),))


def certificate(**values: Any) -> Facts:
    (valid,) = HEALTHY.certificates
    return replace(HEALTHY, certificates=(valid, replace(valid, **values)))


OUTSIDER = groups(990)
CASES: dict[tuple[str, str], tuple[Callable[[], Facts], str]] = {
    ("python", "old"): (lambda: program(python="3.10.9"), "Python 3.10.9"),
    ("packages", "shadows"): (
        lambda: program(foreign=(ForeignPackage("rules", "/x", first=True),)),
        "Remove rules from /x",
    ),
    ("packages", "behind"): (
        lambda: program(foreign=(ForeignPackage("config", "/x", first=False),)),
        "'config' in /x",
    ),
    ("plugins", "broken"): (lambda: program(broken_plugins=("It is broken.",)), "It is broken."),
    ("update_slots", "trial"): (lambda: program(slots=SlotFacts("b", 2)), "slot b is on trial"),
    ("update_slots", "defect"): (
        lambda: program(slots=SlotFacts(defect="It is odd.")),
        "It is odd.",
    ),
    ("ports", "none"): (lambda: replace(HEALTHY, lines=LineFacts()), "No board and no adapter"),
    ("port_console", "console"): (
        lambda: port(console="a login waits on it", node=node(mode=0o600, gid=5)),
        "/dev/ttyUSB0 is a console of this computer: a login waits on it.",
    ),
    ("ports", "no_port"): (
        lambda: replace(HEALTHY, lines=LineFacts(without_port=("1a86:7523",))),
        "WCH CH340 (1a86:7523) is attached and has no port",
    ),
    ("port_permission", "group"): (
        lambda: replace(HEALTHY, user=OUTSIDER),
        "sudo usermod -aG dialout table",
    ),
    ("port_permission", "login"): (
        lambda: replace(HEALTHY, user=groups(990, listed=(20,))),
        "after this session began",
    ),
    ("port_permission", "closed"): (lambda: port(node=node(mode=0o600)), "sudo chmod 660 /dev/tty"),
    ("port_holder", "other"): (
        lambda: port(holders=(PortHolder(9, "minicom"),)),
        "open in another program: minicom (9)",
    ),
    ("port_holder", "two"): (
        lambda: port(holders=(PortHolder(8, "wallwright run"), PortHolder(9, "wallwright serve"))),
        "open in 2 of these programs: 8, 9",
    ),
    ("port_grabbers", "runs"): (
        lambda: replace(HEALTHY, lines=LineFacts((PORT,), ("ModemManager",))),
        "disable --now ModemManager",
    ),
    ("port_latency", "slow"): (
        lambda: port(latency_ms=16),
        "ttyUSB0/latency_timer. A udev rule with ATTR{latency_timer}=1",
    ),
    ("port_latency", "low_speed"): (lambda: port(latency_ms=None, usb_mbit=1.5), "1.5 Mbit/s"),
    ("gpio", "group"): (lambda: replace(HEALTHY, user=OUTSIDER), "usermod -aG gpio table"),
    ("gpio", "login"): (
        lambda: replace(HEALTHY, user=groups(990, listed=(997,))),
        "after this session began",
    ),
    ("gpio", "closed"): (lambda: chip(mode=0o600), "sudo chmod 660 /dev/gpiochip0"),
    ("boards", "missing"): (
        lambda: replace(HEALTHY, probed=(ProbedPort("/dev/x", is_missing=True),)),
        "There is no port /dev/x.",
    ),
    ("boards", "refused"): (
        lambda: replace(HEALTHY, probed=(ProbedPort("/dev/x", refusal="It is open."),)),
        "It is open.",
    ),
    ("boards", "silent"): (
        lambda: replace(HEALTHY, probed=(ProbedPort("/dev/x"),)),
        "No board answers on /dev/x",
    ),
    ("boards", "protocol"): (lambda: board(serial=""), "another protocol"),
    ("boards", "key"): (lambda: board(key="not in the key file"), "key not in the key file"),
    ("boards", "build"): (lambda: board(build="not current (ab)"), "build not current (ab)"),
    ("boards", "uncalibrated"): (
        lambda: board(supply=MeasuredSupply(4.35, 4.01, uncalibrated=True)),
        "measures a supply of 4.35 V (not calibrated); LOW_SUPPLY comes below 4.01 V",
    ),
    ("boards", "low_supply"): (
        lambda: board(supply=MeasuredSupply(4.35, 4.01, uncalibrated=False)),
        "measures a supply of 4.35 V (calibrated); LOW_SUPPLY comes below 4.01 V",
    ),
    ("clock_battery", "none"): (lambda: clock(rtc=()), "no clock that runs without power"),
    ("clock_network", "free"): (lambda: clock(synchronised=False), "2024-10-04 00:00:00 UTC"),
    ("clock_forwards", "back"): (lambda: clock(latest_record=NOW + 7201), "2 h before the latest"),
    ("supply", "now"): (
        lambda: replace(HEALTHY, power=PowerFacts(0x50005, False, 48.0)),
        "reports now: under-voltage, throttling",
    ),
    ("supply", "limited"): (
        lambda: replace(HEALTHY, power=PowerFacts(0x80008, None, 48.0)),
        "reports now: the temperature limit",
    ),
    ("supply", "before"): (
        lambda: replace(HEALTHY, power=PowerFacts(0x10000, False, 48.0)),
        "since its start: under-voltage",
    ),
    ("temperature", "hot"): (lambda: replace(HEALTHY, power=PowerFacts(0, None, 80.0)), "80 °C"),
    ("temperature", "warm"): (lambda: replace(HEALTHY, power=PowerFacts(0, None, 70.0)), "70 °C"),
    ("memory", "low"): (lambda: load(available=99_000_000), "99 MB of 4000 MB"),
    ("memory", "tight"): (lambda: load(available=299_000_000), "299 MB of"),
    ("memory", "swap"): (lambda: load(swap_used=200_000_000), "200 MB of memory are on the disk"),
    ("memory", "limit"): (lambda: load(limit=128_000_000), "may use 128 MB"),
    ("memory", "killed"): (lambda: load(killed=2), "ended 2 processes"),
    ("load", "high"): (lambda: load(load=4.1), "4.1 processes wanted to run, on 4"),
    ("unit", "failed"): (lambda: unit(state="failed", result="watchdog"), "has failed (watchdog)"),
    ("unit", "stopped"): (lambda: unit(state="inactive"), "does not run (inactive)"),
    ("unit", "restarts"): (lambda: unit(restarts=3), "started again 3 times"),
    ("unit", "no_watchdog"): (lambda: unit(watchdog="0"), "has no watchdog"),
    ("unit", "disabled"): (lambda: unit(enabled="disabled"), "does not start with the computer"),
    ("folder", "missing"): (lambda: folder(exists=False), "mkdir /data"),
    ("folder", "read_only"): (lambda: mount(read_only=True), "mounted read-only at /"),
    ("folder", "not_writable"): (lambda: folder(writable=False), "The directory /data is not"),
    ("disk_space", "full"): (lambda: folder(free_bytes=599_000_000), "for about 9,983 rounds"),
    ("disk_space", "filling"): (lambda: folder(free_bytes=5_000_000_000), "about 83,333 rounds"),
    ("disk_space", "inodes"): (lambda: folder(free_inodes=12), "can take 12 files"),
    ("disk_kind", "memory"): (lambda: mount(kind="tmpfs"), "is in memory (tmpfs at /)"),
    ("disk_kind", "overlay"): (lambda: mount(kind="overlay"), "is on an overlay, at /"),
    ("disk_errors", "errors"): (lambda: mount(errors=3), "e2fsck -f /dev/mmcblk0p2"),
    ("disk_wear", "worn"): (lambda: mount(life_used=(9, 1)), "about 90 % of its life"),
    ("disk_wear", "over"): (lambda: mount(spare_blocks=3), "reached the end of its life"),
    ("disk_sync", "slow"): (lambda: folder(sync_s=(0.01, 0.3)), "at most 300.0 ms"),
    ("disk_sync", "stuck"): (lambda: folder(sync_s=(0.01, 6.0)), "at most 6000.0 ms"),
    ("journal_devices", "one"): (lambda: journal(devices=1), "on 1 device"),
    ("journal", "repaired"): (
        lambda: journal(state="repaired", messages=("It was rewritten.",)),
        "It was rewritten.",
    ),
    ("journal", "locked"): (
        lambda: journal(state="locked", messages=("No copy is intact.",)),
        "No copy is intact.",
    ),
    ("journal", "not_opened"): (lambda: journal(state="not opened"), "another user owns it"),
    ("unfinished_run", "run"): (lambda: journal(unfinished=RUN), "2030-01-01 (table robotic)"),
    ("audit_log", "locked"): (lambda: audit(locked="It is locked."), "It is locked."),
    ("audit_log", "unreadable"): (lambda: audit(unreadable="It is away."), "It is away."),
    ("secret_files", "open"): (
        lambda: replace(HEALTHY, secrets=(SecretFile("/data/audit/key", 0o640),)),
        "chmod go= /data/audit/key",
    ),
    ("table_files", "defect"): (
        lambda: replace(HEALTHY, files=(CheckedFile("t.yaml", ("t.yaml:3: wrong.",)),)),
        "t.yaml:3: wrong.",
    ),
    ("table_pins", "warning"): (
        lambda: replace(HEALTHY, table=CheckedTable("t", {}, ("pin 13 blinks.",))),
        "pin 13 blinks.",
    ),
    ("certificate", "expired"): (lambda: certificate(ends=NOW - 1), "has expired: 2024-10-03"),
    ("certificate", "early"): (lambda: certificate(begins=NOW + DAY), "from 2024-10-05 on"),
    ("certificate", "soon"): (lambda: certificate(ends=NOW + 29 * DAY), "expires on 2024-11-02"),
    ("certificate", "defect"): (lambda: certificate(defect="it is a picture"), "it is a picture"),
}


def notable(facts: Facts) -> list[DoctorFinding]:
    return [found for found in findings_of(facts) if found.severity is not FindingSeverity.OK]


@pytest.mark.parametrize(("check", "outcome"), CASES, ids=str)
def test_one_wrong_value_gives_its_finding_with_the_next_step(check: str, outcome: str) -> None:
    make, text = CASES[check, outcome]
    found = notable(make())
    assert (check, outcome) in [(each.check, each.outcome) for each in found]
    (mine,) = [each for each in found if (each.check, each.outcome) == (check, outcome)]
    assert text in f"{mine.what} {mine.next_step}"
    assert mine.rule
    assert mine.next_step.endswith((".", "GB"))
    assert "{" not in mine.next_step.replace("ATTR{", "")
    # An outsider lacks the groups of the port and of the pins; other cases have one finding.
    others = {each.check for each in found} - {check}
    assert others <= (
        {"port_permission", "gpio"} if check in ("port_permission", "gpio") else set()
    )


def test_every_outcome_of_every_check_has_a_case() -> None:
    assert set(CASES) == {(check.name, outcome) for check in CHECKS for outcome in check.outcomes}


def test_a_healthy_computer_has_no_problem_and_every_check_reports_it() -> None:
    found = findings_of(HEALTHY)
    assert notable(HEALTHY) == []
    assert {each.check for each in found if each.outcome == OK} == {check.name for check in CHECKS}


def test_the_names_of_checks_are_different() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)


def test_root_may_use_every_port_and_the_owner_his_own() -> None:
    assert notable(replace(port(node=node(mode=0o600)), user=replace(HEALTHY.user, uid=0))) == []
    mine = replace(port(node=node(uid=990, mode=0o600)), user=HEALTHY.user)
    assert notable(mine) == []
    anyone = replace(port(node=node(mode=0o666)), user=OUTSIDER)
    assert {each.check for each in notable(anyone)} == {"gpio"}


def test_a_port_that_a_running_table_holds_is_in_order() -> None:
    held = port(holders=(PortHolder(8, "python3 -m controller.cli serve"),))
    assert notable(held) == []
    assert any("open in a table of this program (8)" in each.what for each in findings_of(held))


def test_a_simulated_board_is_in_order_with_its_public_key() -> None:
    assert notable(board(serial="SIM00000", build="simulated", key="public")) == []


def test_holders_of_other_users_are_reported_as_not_known() -> None:
    facts = replace(HEALTHY, lines=LineFacts((PORT,), hidden_processes=True))
    found = [each for each in findings_of(facts) if each.check == "port_holder"]
    assert [each.outcome for each in found] == [UNKNOWN]


def test_problems_are_printed_first_and_no_line_is_wider_than_80_columns() -> None:
    facts = replace(mount(errors=3), certificates=certificate(ends=NOW + DAY).certificates)
    for full in (False, True):
        lines = list(as_lines(findings_of(facts), 80, full=full))
        assert lines[0] == "PROBLEMS"
        assert lines.index("PROBLEMS") < lines.index("NOTES") < lines.index("IN ORDER")
        assert max(map(len, lines)) <= 80
        assert "1 problem, 1 note" in lines[-1]
    brief = list(as_lines(findings_of(HEALTHY), 80, full=False))
    assert brief[0] == "IN ORDER"
    assert brief[-1].startswith("no problems, no notes")
