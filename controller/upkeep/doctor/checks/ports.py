"""Checks of the serial ports, the GPIO chips and the boards."""

from __future__ import annotations

from collections.abc import Iterator

from controller.upkeep.doctor.facts import Facts
from controller.upkeep.doctor.facts.ports import ADAPTERS, DeviceNode, PortFacts, UserFacts
from controller.upkeep.doctor.facts.records import MeasuredSupply
from controller.upkeep.doctor.finding import DoctorCheck, Observed, note, ok, problem, seen, unknown

GROUP = "Ports and boards"
NEAR_LOW = 1.1
"""A measured supply below this many times the level of LOW_SUPPLY is near it."""
LATENCY_MS = 2
"""Milliseconds for which an adapter may hold bytes back: a command and its reply wait twice."""


def _present(facts: Facts) -> Iterator[Observed]:
    for port in facts.lines.ports:
        kind = ADAPTERS.get(port.adapter, "")
        about = ", ".join(text for text in (port.description, kind, port.adapter) if text)
        yield ok(f"{port.name}{f': {about}' if about else ''}")
    for adapter in facts.lines.without_port:
        what = f"The USB adapter {ADAPTERS[adapter]} ({adapter}) is attached and has no port."
        yield seen("no_port", what)
    if not any(port.adapter for port in facts.lines.ports) and not facts.lines.without_port:
        yield seen("none", "No board and no adapter of a board is attached by USB.")


def _consoles(facts: Facts) -> Iterator[Observed]:
    for port in facts.lines.ports:
        if port.console:
            what = f"{port.name} is a console of this computer: {port.console}."
            yield seen("console", what, name=port.name)
        else:
            yield ok(f"{port.name} is not a console.")
    if not facts.lines.ports:
        yield ok("No serial port is a console.")


def _board_ports(facts: Facts) -> Iterator[PortFacts]:
    """The ports on which a board can be: a console is reported by a check of its own."""
    yield from (port for port in facts.lines.ports if not port.console)


def _permission(facts: Facts) -> Iterator[Observed]:
    for port in _board_ports(facts):
        yield _access(facts.user, port.node)


def _access(user: UserFacts, node: DeviceNode) -> Observed:
    """Whether the user may use a device; otherwise the reason and the values of the next step."""
    owner = f"{node.name} belongs to the group {user.group(node.gid)} (mode {node.mode:04o})"
    if user.may_use(node):
        return ok(f"{user.name} may use {node.name}.")
    if node.mode & 0o060 != 0o060:
        return seen("closed", f"{owner}, which may not use it.", device=node.name)
    what = f"{owner}; {user.name} is not in it."
    if node.gid in user.listed:
        what = f"{owner}; {user.name} was added to it after this session began."
        return seen("login", what)
    return seen("group", what, user=user.name, group=user.group(node.gid))


def _holders(facts: Facts) -> Iterator[Observed]:
    for port in _board_ports(facts):
        others = [holder for holder in port.holders if not holder.is_wallwright]
        for holder in others:
            what = f"{port.name} is open in another program: {holder.command} ({holder.pid})."
            yield seen("other", what, pid=str(holder.pid))
        own = [holder for holder in port.holders if holder.is_wallwright]
        for holder in own[:1]:
            yield ok(f"{port.name} is open in a table of this program ({holder.pid}).")
        if len(own) > 1:
            pids = ", ".join(str(holder.pid) for holder in own)
            yield seen("two", f"{port.name} is open in {len(own)} of these programs: {pids}.")
        if not port.holders:
            yield _free(port, hidden=facts.lines.hidden_processes)


def _free(port: PortFacts, *, hidden: bool) -> Observed:
    if hidden:
        return unknown(f"Whether a program of another user has {port.name} open (root sees it)")
    return ok(f"{port.name} is free.")


def _grabbers(facts: Facts) -> Iterator[Observed]:
    for name in facts.lines.grabbers:
        yield seen("runs", f"{name} runs on this computer.", name=name)
    if not facts.lines.grabbers:
        yield ok("No program runs that is known to open new serial ports.")


def _latency(facts: Facts) -> Iterator[Observed]:
    for port in facts.lines.ports:
        if port.latency_ms is not None and port.latency_ms > LATENCY_MS:
            name = port.name.removeprefix("/dev/")
            what = f"The adapter of {port.name} holds bytes back for up to {port.latency_ms} ms."
            yield seen("slow", what, name=name)
        elif port.usb_mbit is not None and port.usb_mbit < 12:
            yield seen("low_speed", f"{port.name} is a low-speed device: {port.usb_mbit} Mbit/s.")
        elif port.latency_ms is not None:
            yield ok(f"The adapter of {port.name} holds bytes back for {port.latency_ms} ms.")


def _gpio(facts: Facts) -> Iterator[Observed]:
    if not facts.pins.chips:
        yield unknown("GPIO chips")
    for chip in facts.pins.chips:
        yield _access(facts.user, chip)


def _boards(facts: Facts) -> Iterator[Observed]:
    for port in facts.probed:
        if port.is_missing:
            yield seen("missing", f"There is no port {port.port}.")
        elif port.refusal:
            yield seen("refused", f"{port.port}: {port.refusal}", port=port.port)
        elif not port.boards:
            yield seen("silent", f"No board answers on {port.port}.", port=port.port)
        for board in port.boards:
            what = (
                f"{port.port}: board {board.serial or 'without a number'} at address"
                f" {board.address}; build {board.build}; key {board.key}"
            )
            if board.build == "simulated":
                yield ok(f"{what}.")
            elif not board.serial:
                yield seen("protocol", f"{what}; it has another protocol.", port=port.port)
            elif board.key not in ("", "matches the key file"):
                yield seen("key", f"{what}.", port=port.port)
            elif board.build.startswith("not current"):
                yield seen("build", f"{what}.", port=port.port)
            else:
                yield ok(f"{what}.")
            if board.supply is not None:
                yield _supply(port.port, board.serial, board.supply)


def _supply(port: str, serial: str, supply: MeasuredSupply) -> Observed:
    how = "not calibrated" if supply.uncalibrated else "calibrated"
    what = f"{port}: board {serial} measures a supply of {supply.measured:.2f} V ({how})"
    if supply.measured >= NEAR_LOW * supply.low:
        return ok(f"{what}.")
    what = f"{what}; LOW_SUPPLY comes below {supply.low:g} V."
    return seen("uncalibrated" if supply.uncalibrated else "low_supply", what, port=port)


_ACCESS = {
    "group": problem(
        "the user is not in the device's group",
        "Type: sudo usermod -aG {group} {user}. Then log in again.",
    ),
    "login": problem(
        "the user was added to the group after the login",
        "Log in again, or restart the service.",
    ),
    "closed": problem(
        "no group may use the device",
        "Type: sudo chmod 660 {device}. A udev rule with MODE=0660 keeps it so.",
    ),
}

CHECKS = (
    DoctorCheck(
        "ports",
        GROUP,
        "A board on a serial line needs a port.",
        _present,
        {
            "none": note(
                "nothing is attached",
                "If the table has boards on USB, connect them, by a cable that carries data too."
                " A board at the header of a Raspberry Pi is not listed: docs/build/PI.md.",
            ),
            "no_port": problem(
                "a USB adapter has no port",
                "Look whether brltty has taken it: sudo apt remove brltty. Then pull the cable and"
                " put it in again.",
            ),
        },
    ),
    DoctorCheck(
        "port_console",
        GROUP,
        "A board is not on a console: a login or the kernel's messages would answer it.",
        _consoles,
        {
            "console": note(
                "a port is a console",
                "If no board is wired to {name}, leave it so. Otherwise switch the console off:"
                " sudo raspi-config, Interface Options, Serial Port (docs/build/PI.md).",
            )
        },
    ),
    DoctorCheck(
        "port_permission",
        GROUP,
        "The user who runs the table may read and write its ports.",
        _permission,
        _ACCESS,
    ),
    DoctorCheck(
        "port_holder",
        GROUP,
        "A port is open in one program at most.",
        _holders,
        {
            "other": problem(
                "another program has the port open",
                "End the process {pid}, or give the board another port.",
            ),
            "two": problem("two tables have the port open", "Stop one of them."),
        },
    ),
    DoctorCheck(
        "port_grabbers",
        GROUP,
        "No other program opens new ports: it would send bytes to a board that starts.",
        _grabbers,
        {
            "runs": note(
                "such a program runs",
                "Type: sudo systemctl disable --now {name}, unless this computer needs it.",
            )
        },
    ),
    DoctorCheck(
        "port_latency",
        GROUP,
        "An adapter passes bytes on at once, because each command waits for its reply.",
        _latency,
        {
            "slow": note(
                "an FTDI adapter collects bytes",
                "Type: echo 1 | sudo tee /sys/bus/usb-serial/devices/{name}/latency_timer. A udev"
                " rule with ATTR{{latency_timer}}=1 keeps it so.",
            ),
            "low_speed": note(
                "an adapter works at low speed",
                "Put it into another socket or take another cable.",
            ),
        },
    ),
    DoctorCheck(
        "gpio",
        GROUP,
        "The user who runs a table on this computer's pins may use the GPIO chips.",
        _gpio,
        _ACCESS,
    ),
    DoctorCheck(
        "boards",
        GROUP,
        "A board has the program's protocol, the current firmware, and a key that is known here.",
        _boards,
        {
            "missing": problem(
                "the port does not exist",
                "Connect the board's cable, or name another port: wallwright scan lists them.",
            ),
            "refused": note(
                "a port was not asked",
                "If a table runs, its page shows its boards. Otherwise: wallwright scan {port}.",
            ),
            "silent": problem(
                "no board answers",
                "Look at its cable and its supply; flash it if it is new: wallwright firmware"
                " flash {port}.",
            ),
            "protocol": problem(
                "a board has another protocol",
                "Write this program's firmware: wallwright firmware flash {port}.",
            ),
            "key": problem(
                "the key is not that of the key file",
                "Copy the key's line from the computer that provisioned the board, or provision it"
                " again.",
            ),
            "uncalibrated": note(
                "an uncalibrated board measures a supply that is near LOW_SUPPLY",
                "Measure the board's 5 V supply with a multimeter, and give the value to:"
                " wallwright firmware calibrate {port}.",
            ),
            "low_supply": note(
                "the supply of a board is near LOW_SUPPLY",
                "Take a shorter or thicker USB cable, no hub without a supply of its own, and other"
                " loads off the board's 5 V.",
            ),
            "build": note(
                "the firmware is not that of this program",
                "Write it while no session is in progress: wallwright firmware flash {port}.",
            ),
        },
    ),
)
