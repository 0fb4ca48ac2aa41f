"""All checks of the doctor, in the order in which they are printed."""

from __future__ import annotations

from controller.upkeep.doctor.checks import computer, disks, ports, program, records

CHECKS = (
    *program.CHECKS,
    *ports.CHECKS,
    *computer.CHECKS,
    *disks.CHECKS,
    *records.CHECKS,
)
