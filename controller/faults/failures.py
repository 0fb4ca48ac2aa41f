"""Sorts what ended a run into faults of the table and errors of the program.

Several tasks can fail at the same moment and arrive as one exception group. A fault is recorded and
reported; an error of the program beside it is raised with it and never replaced by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controller.faults.table_fault import Fault, TableFault
from controller.journal import JournalError, JournalLockedError
from firmware_bridge.wire.errors import BoardError, BoardSilentError


@dataclass(frozen=True)
class Failures:
    """`faults` in the order in which they are named; `errors` are the program's own."""

    faults: tuple[TableFault, ...]
    errors: tuple[BaseException, ...]


def sorted_out(failed: BaseException) -> Failures:
    """The faults and the errors in an exception or a group, each fault once.

    A stop that a person ordered comes first among the faults.
    """
    faults: dict[tuple[Fault, str], TableFault] = {}
    errors: list[BaseException] = []
    for error in _leaves(failed):
        fault = _fault_of(error)
        if fault is None:
            errors.append(error)
        else:
            faults.setdefault((fault.fault, fault.part), fault)
    named = sorted(faults.values(), key=lambda fault: not fault.ordered)
    return Failures(tuple(named), tuple(errors))


def _leaves(failed: BaseException) -> Iterator[BaseException]:
    if isinstance(failed, BaseExceptionGroup):
        for error in failed.exceptions:
            yield from _leaves(error)
    else:
        yield failed


def _fault_of(error: BaseException) -> TableFault | None:
    """The table's fault that an exception stands for; None for an error of the program."""
    match error:
        case TableFault():
            return error
        case JournalError():
            fault = Fault.JOURNAL_LOCKED if isinstance(error, JournalLockedError) else Fault.JOURNAL
            return TableFault(fault, "journal", str(error).rstrip("."))
        case BoardError():
            fault = Fault.SILENT if isinstance(error, BoardSilentError) else Fault.REFUSED
            return TableFault(fault, "board", str(error).rstrip("."))
    return None
