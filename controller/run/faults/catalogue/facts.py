"""A row of the fault catalogue as labelled texts, for `wallwright explain` and docs/FAULTS.md."""

from __future__ import annotations

from collections.abc import Iterator

from controller.run.faults.catalogue.row import FaultRow


def facts(row: FaultRow) -> Iterator[tuple[str, str]]:
    """The facts of a row, each as a label and a text."""
    yield "expected", row.expected
    yield "came instead", row.instead
    yield "likely cause", row.cause
    yield "the table by itself", row.automatic
    yield "a person is asked", row.request(row.kind_of_part)
    if row.limits or row.latched is not None:
        yield "answers", ", ".join(row.answers)
    yield "who may clear it", row.who.value
    if row.limits:
        limits = row.limits
        tries = f"tries again {_times(limits.retries)}" if limits.retries else "does not try again"
        asks = (
            f"asks {_times(limits.asks)}, waiting at most {limits.patience:.0f} s for each answer"
        )
        yield "limits", f"{tries} by itself, then {asks}"
    else:
        yield "limits", "none"
    if row.latched is not None:
        yield "latched by the board", f"as {row.latched.name}, number {row.latched.value}"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
