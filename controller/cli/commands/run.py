"""`wallwright run`: runs the daemon in the foreground, on a simulated table or a real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from config.loader import game_parameters
from controller.cli.errors import BadInputError
from controller.cli.options.boards import (
    AllowSimulated,
    Campaign,
    Emulated,
    FaultTexts,
    KeysFile,
    Ports,
    injected_faults_of,
    keys_of,
    ports_of,
    require_emulation,
    require_ports,
    require_ports_for_keys,
    require_ports_for_simulated,
)
from controller.cli.options.lookup import game_named, require_fit, table_named
from controller.cli.options.set_up import (
    Bottom,
    CutName,
    Dealer,
    DrawSeats,
    End,
    Players,
    Plus,
    Reverse,
    Stakes,
    Throws,
    Wall,
    answers_of,
    throws_of,
    with_plus,
    with_seats_drawn,
    with_stakes,
)
from controller.cli.options.shared import GameNamed, JournalCopy, Record, TableNamed, Trace
from controller.cli.output.line_output import open_output
from controller.cli.output.output_checks import require_new, require_separate
from controller.cli.runs.run_options import check_orders, pace_of, trace_file, traced
from controller.cli.runs.signed_tables import require_signed
from controller.run.orders import Orders
from rules.games import rules_of

READY = "ready"


def run(
    table: TableNamed = "robotic",
    game: GameNamed = "wenzhou",
    rounds: Annotated[int, typer.Option(help="Number of rounds to play.")] = 1,
    until: Annotated[
        str | None,
        typer.Option(
            help="ready: end the run when the last round is ready to play.", show_default=False
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed of the simulation's random numbers; the same seed gives the same run.",
            show_default="0",
        ),
    ] = None,
    speed: Annotated[
        str | None,
        typer.Option(
            help="virtual (as fast as possible), real, or a factor of real time such as 10.",
            show_default="virtual; real with --port",
        ),
    ] = None,
    throw: Throws = None,
    dealer: Dealer = 0,
    players: Players = None,
    cut: CutName = None,
    reverse: Reverse = False,
    bottom: Bottom = False,
    wall: Wall = None,
    end: End = None,
    plus: Plus = None,
    stake: Stakes = None,
    draw_seats: DrawSeats = False,
    play: Annotated[
        bool,
        typer.Option(
            "--play", help="Play every hand by the rules of the game, up to its settlement."
        ),
    ] = False,
    order: Annotated[
        str,
        typer.Option(help="Order of the packets: ritual (as the game prescribes), or fastest."),
    ] = "ritual",
    events: Annotated[
        str | None,
        typer.Option(
            help="Write the events as JSON lines to this file, or - for standard output.",
            show_default=False,
        ),
    ] = None,
    trace: Trace = None,
    reveal: Annotated[
        bool,
        typer.Option(
            "--reveal", help="Emit the true position of every tile as events (simulation only)."
        ),
    ] = False,
    port: Ports = None,
    keys: KeysFile = None,
    allow_simulated: AllowSimulated = False,
    journal: Annotated[
        Path | None,
        typer.Option(
            help="Keep the journal in this file and in two copies; an interrupted run is resumed"
            " from it.",
            show_default=False,
        ),
    ] = None,
    journal_copy: JournalCopy = None,
    abandon: Annotated[
        bool,
        typer.Option(
            "--abandon",
            help="Start a new round instead of resuming the journal's unfinished round.",
        ),
    ] = False,
    record: Record = None,
    fault: FaultTexts = None,
    faults: Campaign = None,
    emulated: Emulated = False,
) -> int:
    """Run a table: gather, shuffle, build, raise, throw, deal, turn up, play, collect."""
    rules, config = game_named(game)
    machine = table_named(table)
    require_fit(machine, rules, config)
    if play:
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
        "play" if play else "none",
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
    if record is not None and not play:
        raise BadInputError(f"`--record {record}` needs hands that are played; add --play.")
    ports = ports_of(machine, port or ())
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
