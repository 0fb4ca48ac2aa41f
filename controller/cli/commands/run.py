"""`wallwright run`: runs the daemon in the foreground, on a simulated table or a real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from config.loader import game_parameters
from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.options.boards import (
    allow_simulated_option,
    emulated_option,
    fault_option,
    faults_option,
    injected_faults_of,
    keys_of,
    keys_option,
    port_option,
    ports_of,
    require_emulation,
    require_ports,
    require_ports_for_keys,
    require_ports_for_simulated,
)
from controller.cli.options.lookup import game_named, require_fit, table_named
from controller.cli.options.set_up import (
    answers_of,
    bottom_option,
    cut_option,
    dealer_option,
    draw_seats_option,
    end_option,
    players_option,
    plus_option,
    reverse_option,
    stake_option,
    throw_option,
    throws_of,
    wall_option,
    with_plus,
    with_seats_drawn,
    with_stakes,
)
from controller.cli.options.shared import (
    PATH,
    game_option,
    journal_copy_option,
    record_option,
    table_option,
    trace_option,
)
from controller.cli.output.line_output import open_output
from controller.cli.output.output_checks import require_new, require_separate
from controller.cli.runs.run_options import check_orders, pace_of, trace_file, traced
from controller.cli.runs.signed_tables import require_signed
from controller.run.orders import Orders
from rules.games import rules_of

READY = "ready"


@click.command(cls=CliCommand)
@table_option
@game_option
@click.option("--rounds", type=int, default=1, help="Number of rounds to play.")
@click.option("--until", help="ready: end the run when the last round is ready to play.")
@click.option(
    "--seed",
    type=int,
    show_default="0",
    help="Seed of the simulation's random numbers; the same seed gives the same run.",
)
@click.option(
    "--speed",
    show_default="virtual; real with --port",
    help="virtual (as fast as possible), real, or a factor of real time such as 10.",
)
@throw_option
@dealer_option
@players_option
@cut_option
@reverse_option
@bottom_option
@wall_option
@end_option
@plus_option
@stake_option
@draw_seats_option
@click.option(
    "--play", is_flag=True, help="Play every hand by the rules of the game, up to its settlement."
)
@click.option(
    "--results",
    is_flag=True,
    help="Ask after each hand how it has ended; the dealer and the match follow.",
)
@click.option(
    "--order",
    default="ritual",
    help="Order of the packets: ritual (as the game prescribes), or fastest.",
)
@click.option(
    "--events",
    shell_complete=completion.files,
    help="Write the events as JSON lines to this file, or - for standard output.",
)
@trace_option
@click.option(
    "--reveal",
    is_flag=True,
    help="Emit the true position of every tile as events (simulation only).",
)
@port_option
@keys_option
@allow_simulated_option
@click.option(
    "--journal",
    type=PATH,
    help="Keep the journal in this file and in two copies; an interrupted run is resumed from it.",
)
@journal_copy_option
@click.option(
    "--abandon",
    is_flag=True,
    help="Start a new round instead of resuming the journal's unfinished round.",
)
@record_option
@fault_option
@faults_option
@emulated_option
def run(
    table: str,
    game: str,
    rounds: int,
    until: str | None,
    seed: int | None,
    speed: str | None,
    throw: tuple[str, ...],
    dealer: int,
    players: int | None,
    cut: str | None,
    reverse: bool,
    bottom: bool,
    wall: int | None,
    end: str | None,
    plus: int | None,
    stake: tuple[str, ...],
    draw_seats: bool,
    play: bool,
    results: bool,
    order: str,
    events: str | None,
    trace: str | None,
    reveal: bool,
    port: tuple[str, ...],
    keys: Path | None,
    allow_simulated: bool,
    journal: Path | None,
    journal_copy: Path | None,
    abandon: bool,
    record: Path | None,
    fault: tuple[str, ...],
    faults: Path | None,
    emulated: bool,
) -> int:
    """Run a table: gather, shuffle, build, raise, throw, deal, turn up, play, collect."""
    rules, config = game_named(game)
    machine = table_named(table)
    require_fit(machine, rules, config)
    if play and results:
        raise BadInputError(
            "`--play` settles every hand by itself; leave out --results, or --play to report hands."
        )
    if play or results:
        rules_of(config.game)  # raises an error for a plug-in without rules, before anything moves
    parameters = game_parameters(config)
    fastest = _one_of(order, "order", ("ritual", "fastest")) == "fastest"
    if fastest and machine.modules.gantry is None:
        raise BadInputError(
            f"`--order fastest` needs a gantry, and the table {machine.name} has none; leave out"
            " --order."
        )
    parameters, stakes = with_stakes(rules, parameters, players, stake)
    parameters, added = with_plus(rules, parameters, plus)
    answers = answers_of(rules, parameters, cut, reverse, bottom, wall, end) | stakes | added
    orders = Orders(
        rules,
        parameters,
        dealer,
        players,
        throws_of(throw),
        answers,
        fastest,
        "play" if play else "result" if results else "none",
    )
    orders = with_seats_drawn(orders, draw_seats)
    if rounds < 1:
        raise BadInputError(f"`--rounds` must be at least 1; got {rounds}.")
    check_orders(orders, rounds)
    if until is not None:
        _one_of(until, "until", (READY,))
    if journal_copy is not None and journal is None:
        raise BadInputError(f"`--journal-copy {journal_copy}` needs a journal; add --journal FILE.")
    if abandon and journal is None:
        raise BadInputError(
            "`--abandon` needs the journal with the unfinished round; add --journal FILE."
        )
    if record is not None and not orders.has_match:
        raise BadInputError(
            f"`--record {record}` needs hands with an end; add --play or --results."
        )
    ports = ports_of(machine, port)
    require_signed(table)
    if ports:
        _require_no_simulation_options(
            {
                "--reveal": reveal,
                "--seed": seed is not None,
                "--emulated": emulated,
                "--fault": bool(fault),
                "--faults": faults is not None,
            }
        )
    require_ports_for_keys(keys, ports)
    require_ports_for_simulated(ports, allow_simulated=allow_simulated)
    copies = _copies_of(journal, journal_copy)
    outputs = {"--events": events, "--record": None if record is None else str(record)}
    outputs["--trace"] = trace_file(trace)
    require_separate(outputs, copies, keys)
    if not copies:
        require_new("--trace", trace_file(trace))
        require_new("--events", events)  # with a journal, a resumed run appends to the file
    injected_faults = injected_faults_of(fault, faults, machine)
    pace = pace_of(speed, real=bool(ports))
    if emulated:
        require_emulation(machine)
    require_ports(dict.fromkeys(ports.values()))
    known = keys_of(keys, ports.values(), allow_simulated=allow_simulated) if ports else None
    if copies:
        _require_unlocked(copies)
    with (
        open_output("Events", events, "a") as stream,
        open_output("The record", None if record is None else str(record), "a+") as record_stream,
        traced(trace, {"table": machine.name, "game": config.game}) as listener,
    ):
        # The daemon is imported last: a refused command line then takes a fraction of the time.
        from controller.cli.runs.run_session import play_job
        from controller.service.runs.table_run import RunJob

        job = RunJob(
            machine,
            config,
            orders,
            rounds,
            until == READY,
            seed or 0,
            pace,
            ports,
            reveal,
            journal,
            journal_copy,
            injected_faults,
            abandon,
            keys=known,
            emulated=emulated,
        )
        return play_job(job, stream, record_stream, listener)


def _one_of(given: str, option: str, allowed: Sequence[str]) -> str:
    """Return the value of an option. Raises BadInputError if it is not one of the allowed ones."""
    if given not in allowed:
        raise BadInputError(f"`--{option}` must be {' or '.join(allowed)}; got '{given}'.")
    return given


def _require_no_simulation_options(given: Mapping[str, bool]) -> None:
    """Raise BadInputError for an option that is given, but only works on a simulated table."""
    for option, is_given in given.items():
        if is_given:
            raise BadInputError(
                f"`{option}` works on a simulated table only; leave out {option}, or leave out"
                " --port."
            )


def _copies_of(journal: Path | None, directory: Path | None) -> tuple[Path, ...]:
    """The paths of the journal's copies; none without a journal. Raises JournalError."""
    if journal is None:
        return ()
    from controller.run.journal.copies import paths_of

    return paths_of(journal, directory)


def _require_unlocked(copies: Sequence[Path]) -> None:
    """Raise JournalError if another run uses the journal, before the daemon is imported."""
    from controller.run.journal.copies import Locks

    Locks(copies).release()
