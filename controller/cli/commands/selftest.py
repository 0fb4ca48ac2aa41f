"""`wallwright selftest`: tests every channel of a table, while a person watches."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.options.boards import (
    allow_simulated_option,
    fault_option,
    injected_faults_of,
    keys_of,
    keys_option,
    port_option,
    ports_of,
    require_ports,
    require_ports_for_keys,
    require_ports_for_simulated,
)
from controller.cli.options.lookup import table_named
from controller.cli.options.shared import PATH, table_option
from controller.cli.output.output_checks import require_new, require_separate


@click.command(cls=CliCommand)
@table_option
@port_option
@click.option("--sim", is_flag=True, help="Test a simulated table.")
@click.option(
    "--yes", is_flag=True, help="Let a simulated person watch and answer (with --sim only)."
)
@click.option(
    "--report",
    type=PATH,
    help="Write the results to this file as Markdown, and to a .json file beside it.",
)
@keys_option
@allow_simulated_option
@fault_option
def selftest(
    table: str,
    port: tuple[str, ...],
    sim: bool,
    yes: bool,
    report: Path | None,
    keys: Path | None,
    allow_simulated: bool,
    fault: tuple[str, ...],
) -> int:
    """Test every channel of a table, one after another, while a person watches."""
    machine = table_named(table)
    ports = ports_of(machine, port)
    if sim and ports:
        raise BadInputError(
            "`--sim` and `--port` exclude each other; leave out --sim, or leave out --port."
        )
    if not sim and not ports:
        raise BadInputError("The boards are missing; name their port with --port, or add --sim.")
    for option, is_given in (("--yes", yes), ("--fault", bool(fault))):
        if is_given and not sim:
            raise BadInputError(
                f"`{option}` works on a simulated table only; leave out {option}, or replace --port"
                " by --sim."
            )
    require_ports_for_keys(keys, ports)
    require_ports_for_simulated(ports, allow_simulated=allow_simulated)
    injected_faults = injected_faults_of(fault, None, machine)
    require_ports(dict.fromkeys(ports.values()))
    known = keys_of(keys, ports.values(), allow_simulated=allow_simulated) if ports else None
    files = _files(report)
    for file in files:
        require_separate({"--report": str(file)}, keys=keys)
        require_new("--report", str(file))
    _require_writable(files)
    from controller.cli.runs.selftest_session import run_selftest

    code, written = run_selftest(machine, ports, known, injected_faults, yes=yes)
    for file, text in zip(files, (written.as_page(), written.as_json()), strict=bool(files)):
        file.write_text(text, encoding="utf-8")
    print(", ".join(f"{number} {verdict}" for verdict, number in written.counts.items()))
    return code


def _files(report: Path | None) -> tuple[Path, ...]:
    """The paths of the Markdown and the JSON report; none without `--report`.

    Raises BadInputError for a directory.
    """
    if report is None:
        return ()
    if not report.name or report.is_dir():
        raise BadInputError(f"`--report {report}` is a directory; name a file in it.")
    page = report.with_suffix(".md") if report.suffix in ("", ".json") else report
    return page, report.with_suffix(".json")


def _require_writable(files: Iterable[Path]) -> None:
    """Create missing files before anything moves. Raises BadInputError if one is not writable."""
    for file in files:
        try:
            file.touch()
        except OSError as error:
            raise BadInputError(
                f"The report cannot be written to '{file}' ({error.strerror}); name a writable"
                " file with --report."
            ) from error
