"""The answers of boards for `wallwright doctor --port`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from controller.cli.options.boards import keys_of
from controller.cli.runs.port_scan import Scanned, facts, scanned_port
from controller.cli.runs.supply_calibration import reported_by
from controller.run.journal import JournalInUseError
from controller.run.journal.copies import Locks, paths_of
from controller.upkeep.doctor.fact_files import FactFiles
from controller.upkeep.doctor.facts.ports import read_lines
from controller.upkeep.doctor.facts.records import BoardAnswer, MeasuredSupply, ProbedPort
from firmware_bridge.commissioning.device_keys import DeviceKeys
from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.commissioning.probe import ProbeAnswer


def probed_ports(
    files: FactFiles, ports: Sequence[str], journal: Path | None, keys: Path | None
) -> tuple[ProbedPort, ...]:
    """The answers of the boards on these ports. A port that another program uses is skipped."""
    known = keys_of(keys)
    if journal is not None and journal.exists():
        try:
            Locks(paths_of(journal)).release()
        except JournalInUseError:
            why = "a table runs with this journal, and the port can be its own"
            return tuple(ProbedPort(port, refusal=why) for port in ports)
    held = {port.name: port.holders for port in read_lines(files).ports}
    return tuple(
        ProbedPort(port, is_missing=True)
        if not files.path(port).exists()
        else ProbedPort(port, refusal=f"it is open in another program: {held[port][0].command}")
        if held.get(port)
        else _answers(scanned_port(port), known)
        for port in ports
    )


def _answers(scanned: Scanned, known: DeviceKeys) -> ProbedPort:
    if scanned.refusal is not None:
        return ProbedPort(scanned.port, refusal=scanned.refusal)
    boards = facts(scanned, known)["boards"]
    assert isinstance(boards, list)
    return ProbedPort(
        scanned.port,
        tuple(
            BoardAnswer(
                each["serial"],
                each["address"],
                each["state_of_build"] or "",
                each["key"] or "",
                _supply_of(scanned.port, answer, known),
            )
            for each, answer in zip(boards, scanned.answers, strict=True)
        ),
    )


def _supply_of(port: str, answer: ProbeAnswer, known: DeviceKeys) -> MeasuredSupply | None:
    try:
        found = reported_by(port, answer, known)
    except FlashingError:
        return None  # the board has answered just before; the next check of the port says why
    if found is None:
        return None
    report, chip = found
    return MeasuredSupply(report.volts, chip.supply.low, not report.reference_mv)
