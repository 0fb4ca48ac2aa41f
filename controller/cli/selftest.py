"""`wallwright selftest`: every channel of a table in turn, while a person watches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.errors import BadInputError
from controller.cli.fault_options import FaultTexts, injected_faults_of
from controller.cli.lookup import table_named
from controller.cli.options import KeysFile, TableNamed, keys_of
from controller.cli.output_checks import require_separate
from controller.cli.run_job import ports_of


def selftest(
    table: TableNamed = "robotic",
    port: Annotated[
        list[str] | None,
        typer.Option(
            help="A board's port, or BOARD=PORT; repeat for several. gpio: this machine's pins.",
            show_default=False,
        ),
    ] = None,
    sim: Annotated[bool, typer.Option("--sim", help="Test a simulated table instead.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Ask nobody: a simulated person watches (--sim only).")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write the results to this file as a page, and beside it as .json.",
            show_default=False,
        ),
    ] = None,
    keys: KeysFile = None,
    fault: FaultTexts = None,
) -> int:
    """Try every channel of a table, one after another, while a person watches."""
    machine = table_named(table)
    ports = ports_of(machine, port or ())
    if sim and ports:
        raise BadInputError("A table is simulated or at a port; leave out --sim or --port.")
    if not sim and not ports:
        raise BadInputError("Whose channels? Name the boards with --port, or add --sim.")
    if yes and not sim:
        raise BadInputError("A real table is watched by a person; leave out --yes, or add --sim.")
    if fault and not sim:
        raise BadInputError("A real table has its own faults; leave out --fault, or add --sim.")
    if keys is not None and not ports:
        raise BadInputError(f"--keys {keys} are of real boards; add --port, or leave it out.")
    injected_faults = injected_faults_of(fault, None, machine)
    known = keys_of(keys) if ports else None
    files = _files(report)
    for file in files:
        require_separate({"--report": str(file)}, keys=keys)
    from controller.cli.selftest_session import run_selftest

    code, written = run_selftest(machine, ports, known, injected_faults, yes=yes)
    for file, text in zip(files, (written.as_page(), written.as_json()), strict=bool(files)):
        file.write_text(text, encoding="utf-8")
    print(", ".join(f"{number} {what}" for what, number in written.counts.items()))
    return code


def _files(report: Path | None) -> tuple[Path, ...]:
    """The page and its JSON, writable before anything moves. Raises BadInputError."""
    if report is None:
        return ()
    if not report.name or report.is_dir():
        raise BadInputError(
            f"The report '{report}' is a directory; name a file in it with --report."
        )
    page = report.with_suffix(".md") if report.suffix in ("", ".json") else report
    files = (page, report.with_suffix(".json"))
    for file in files:
        try:
            file.touch()
        except OSError as error:
            raise BadInputError(
                f"The report cannot be written to '{file}' ({error.strerror}); name a writable"
                " file with --report."
            ) from error
    return files
