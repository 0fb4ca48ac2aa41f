"""Serial ports and GPIO chips: their adapters, who may use them, and who has them open."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from controller.upkeep.doctor.fact_files import FactFiles, whole


@dataclass(frozen=True)
class UserFacts:
    """The user's number and name, and the groups of this process and of the group file."""

    uid: int
    name: str
    groups: frozenset[int]
    group_names: Mapping[int, str] = field(default_factory=dict)
    listed: frozenset[int] = frozenset()
    """Groups that the group file gives the user; this process lacks those given since its login."""

    def may_use(self, node: DeviceNode) -> bool:
        """Whether this process may read and write a device."""
        if self.uid == 0:
            return True
        if self.uid == node.uid:
            return node.mode & 0o600 == 0o600
        if node.gid in self.groups:
            return node.mode & 0o060 == 0o060
        return node.mode & 0o006 == 0o006

    def group(self, gid: int) -> str:
        """The name of a group, or its number."""
        return self.group_names.get(gid, str(gid))


@dataclass(frozen=True)
class DeviceNode:
    """A device file: its name, mode and owner."""

    name: str
    mode: int
    uid: int
    gid: int


def read_user(
    files: FactFiles, uid: int | None = None, groups: frozenset[int] | None = None
) -> UserFacts:
    """The user of this process, with the names in the group file."""
    uid = os.geteuid() if uid is None else uid
    mine = frozenset({os.getegid(), *os.getgroups()}) if groups is None else groups
    name = next(
        (row[0] for row in _rows(files, "/etc/passwd", 3) if whole(row[2]) == uid), str(uid)
    )
    names: dict[int, str] = {}
    listed = set()
    for row in _rows(files, "/etc/group", 4):
        gid = whole(row[2])
        if gid is not None:
            names[gid] = row[0]
            if name in row[3].split(","):
                listed.add(gid)
    return UserFacts(uid, name, mine, names, frozenset(listed))


def device_node(files: FactFiles, name: str) -> DeviceNode | None:
    """The mode and the owner of a device file; None if it does not exist."""
    state = files.state(name)
    if state is None:
        return None
    return DeviceNode(name, state.st_mode & 0o777, state.st_uid, state.st_gid)


def _rows(files: FactFiles, name: str, fields: int) -> list[list[str]]:
    rows = [line.split(":") for line in (files.text(name) or "").splitlines()]
    return [row for row in rows if len(row) >= fields]


GRABBERS = ("ModemManager", "brltty")
"""Programs that open new serial ports by themselves, by the name of their process."""
ADAPTERS = {
    "0403:6001": "FTDI FT232R",
    "067b:2303": "Prolific PL2303",
    "10c4:ea60": "Silicon Labs CP210x",
    "1a86:5523": "WCH CH341",
    "1a86:7523": "WCH CH340",
}
"""USB adapters whose driver makes a serial port."""
_PORT = re.compile(r"tty(USB|ACM|AMA|S|XRUSB|O)\d+")


@dataclass(frozen=True)
class PortHolder:
    """A process that has a port open."""

    pid: int
    command: str

    @property
    def is_wallwright(self) -> bool:
        """Whether the process is this program."""
        return "wallwright" in self.command or "controller.cli" in self.command

    @property
    def is_login(self) -> bool:
        """Whether the process waits for a login, such as agetty."""
        return "getty" in self.command.partition(" ")[0]


@dataclass(frozen=True)
class PortFacts:
    """A serial port: its device, its adapter, and the processes that have it open."""

    node: DeviceNode
    description: str = ""
    adapter: str = ""
    """Vendor and product of a USB adapter, such as 1a86:7523."""
    latency_ms: int | None = None
    """The time for which an FTDI adapter collects bytes before it sends them to the host."""
    usb_mbit: float | None = None
    holders: tuple[PortHolder, ...] = ()
    console: str = ""
    """What makes the port a console of this computer, as a clause; empty if nothing does."""

    @property
    def name(self) -> str:
        """The name of the device."""
        return self.node.name


@dataclass(frozen=True)
class LineFacts:
    """All serial ports, and the programs that can take one of them.

    `hidden_processes` says whether the files of some processes cannot be seen by this user.
    `without_port` are USB adapters that have no serial port.
    """

    ports: tuple[PortFacts, ...] = ()
    grabbers: tuple[str, ...] = ()
    hidden_processes: bool = False
    without_port: tuple[str, ...] = ()


@dataclass(frozen=True)
class PinFacts:
    """The GPIO chips, and the computer's model (empty if it does not report one)."""

    model: str = ""
    chips: tuple[DeviceNode, ...] = ()


def read_lines(files: FactFiles) -> LineFacts:
    """The serial ports of the computer."""
    names = [name for name in files.names("/sys/class/tty") if _is_port(files, name)]
    nodes = {name: node for name in names if (node := device_node(files, f"/dev/{name}"))}
    held, commands, hidden = _processes(files, {node.name for node in nodes.values()})
    consoles = (files.text("/proc/consoles") or "").split()
    terminals = _group_number(files, "tty")
    return LineFacts(
        tuple(
            replace(port, console=_console(port, terminals, kernel=name in consoles))
            for name, node in nodes.items()
            for port in (_port(files, name, node, held),)
        ),
        tuple(name for name in GRABBERS if name in commands),
        hidden,
        _adapters_without_port(files, names),
    )


def _console(port: PortFacts, terminals: int | None, *, kernel: bool) -> str:
    """The reason why a port is a console of this computer; empty if it is not a console.

    A getty takes its port from the group dialout and gives it to the group tty, also where its
    process cannot be seen.
    """
    if kernel:
        return "the kernel writes its messages to it"
    if any(holder.is_login for holder in port.holders) or port.node.gid == terminals:
        return "a login waits on it"
    return ""


def _group_number(files: FactFiles, name: str) -> int | None:
    """The number of a group of the group file."""
    rows = [line.split(":") for line in (files.text("/etc/group") or "").splitlines()]
    return next((whole(row[2]) for row in rows if len(row) > 2 and row[0] == name), None)


def read_pins(files: FactFiles) -> PinFacts:
    """The GPIO chips of the computer."""
    names = [name for name in files.names("/dev") if re.fullmatch(r"gpiochip\d+", name)]
    found = (device_node(files, f"/dev/{name}") for name in names)
    model = files.text("/proc/device-tree/model") or ""
    return PinFacts(model[:100], tuple(node for node in found if node is not None))


def _is_port(files: FactFiles, name: str) -> bool:
    folder = f"/sys/class/tty/{name}"
    if not _PORT.fullmatch(name) or not files.exists(f"{folder}/device"):
        return False
    # The kernel lists four ttyS ports on every PC; type 0 is one without a chip.
    return files.whole(f"{folder}/type") != 0


def _port(
    files: FactFiles, name: str, node: DeviceNode, held: dict[str, list[PortHolder]]
) -> PortFacts:
    usb = _usb_device(files, name)
    if usb is None:
        return PortFacts(node, holders=tuple(held.get(node.name, ())))
    words = [files.text(f"{usb}/{key}") for key in ("manufacturer", "product", "serial")]
    speed = files.text(f"{usb}/speed")
    return PortFacts(
        node,
        " ".join(word[:60] for word in words if word),
        _adapter(files, usb) or "",
        files.whole(f"/sys/class/tty/{name}/device/latency_timer"),
        float(speed) if speed and re.fullmatch(r"\d{1,6}(\.\d)?", speed) else None,
        tuple(held.get(node.name, ())),
    )


def _usb_device(files: FactFiles, name: str) -> str | None:
    """The folder of a port's USB device, as a name below the root; None for another port."""
    place = Path(os.path.realpath(files.path(f"/sys/class/tty/{name}/device")))
    root = Path(os.path.realpath(files.root))
    for folder in (place, *place.parents):
        if folder == root or not folder.is_relative_to(root):
            return None
        inside = f"/{folder.relative_to(root)}"
        if files.exists(f"{inside}/idVendor"):
            return inside
    return None


def _adapter(files: FactFiles, usb: str) -> str | None:
    found = [files.text(f"{usb}/{key}") for key in ("idVendor", "idProduct")]
    text = ":".join(each or "" for each in found)
    return text if re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", text) else None


def _adapters_without_port(files: FactFiles, names: list[str]) -> tuple[str, ...]:
    used = {_usb_device(files, name) for name in names}
    real = {os.path.realpath(files.path(usb)) for usb in used if usb}
    return tuple(
        adapter
        for name in files.names("/sys/bus/usb/devices")
        if (adapter := _adapter(files, f"/sys/bus/usb/devices/{name}")) in ADAPTERS
        and os.path.realpath(files.path(f"/sys/bus/usb/devices/{name}")) not in real
    )


def _processes(
    files: FactFiles, devices: set[str]
) -> tuple[dict[str, list[PortHolder]], set[str], bool]:
    """Processes by the port that they have open, the names of all, and whether some are hidden."""
    held: dict[str, list[PortHolder]] = {}
    commands = set()
    hidden = False
    for name in files.names("/proc"):
        if not re.fullmatch(r"[0-9]{1,9}", name):
            continue
        commands.add(files.text(f"/proc/{name}/comm") or "")
        if not devices:
            continue
        hidden = hidden or not files.can_list(f"/proc/{name}/fd")
        for number in files.names(f"/proc/{name}/fd"):
            target = files.link(f"/proc/{name}/fd/{number}")
            if target in devices and int(name) != os.getpid():
                line = (files.text(f"/proc/{name}/cmdline") or "").replace("\0", " ")[:200]
                holder = PortHolder(int(name), line or files.text(f"/proc/{name}/comm") or "")
                if holder not in held.setdefault(target, []):
                    held[target].append(holder)
    return held, commands, hidden
