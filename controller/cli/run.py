"""`wallwright run`: the daemon in the foreground, on a simulated table or a real one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from config.loader import game_parameters
from controller.cli.emulation_option import Emulated, require_emulation
from controller.cli.errors import BadInputError
from controller.cli.fault_options import Campaign, FaultTexts, injected_faults_of
from controller.cli.line_output import open_output
from controller.cli.lookup import game_named, require_fit, table_named
from controller.cli.options import (
    Bottom,
    CutName,
    Dealer,
    DrawSeats,
    End,
    GameNamed,
    JournalCopy,
    KeysFile,
    Players,
    Record,
    Reverse,
    Stakes,
    TableNamed,
    Throws,
    Wall,
    answers_of,
    keys_of,
    throws_of,
    with_seats_drawn,
    with_stakes,
)
from controller.cli.output_checks import require_separate
from controller.cli.run_job import RunJob, check_orders, pace_of, ports_of
from controller.journal.copies import paths_of
from controller.journal.files import Locks
from controller.orders import Orders
from rules.games import rules_of

READY = "ready"


def run(
    table: TableNamed = "robotic",
    game: GameNamed = "wenzhou",
    rounds: Annotated[int, typer.Option(help="How many rounds to play.")] = 1,
    until: Annotated[
        str | None,
        typer.Option(
            help="'ready': end the last round when it is ready to play.", show_default=False
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Chance in the simulation; the same, the same run.", show_default="0"),
    ] = None,
    speed: Annotated[
        str | None,
        typer.Option(
            help="virtual (as fast as can be), real, or a factor.",
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
    stake: Stakes = None,
    draw_seats: DrawSeats = False,
    play: Annotated[
        bool, typer.Option("--play", help="Follow every hand by the rules: who deals, draws, wins.")
    ] = False,
    order: Annotated[
        str, typer.Option(help="Packets in the game's own order (ritual), or the fastest.")
    ] = "ritual",
    events: Annotated[
        str | None,
        typer.Option(
            help="Write events as JSON lines to a file, or - for standard output.",
            show_default=False,
        ),
    ] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Tell the true tiles (simulation only).")
    ] = False,
    port: Annotated[
        list[str] | None,
        typer.Option(
            help="A board's port, or BOARD=PORT; repeat for several. gpio: this machine's pins.",
            show_default=False,
        ),
    ] = None,
    keys: KeysFile = None,
    journal: Annotated[
        Path | None,
        typer.Option(help="Keep the journal in this file, and in copies.", show_default=False),
    ] = None,
    journal_copy: JournalCopy = None,
    abandon: Annotated[
        bool,
        typer.Option("--abandon", help="Give up the round that the journal left unfinished."),
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
        rules_of(config.game)  # a plug-in that cannot be played is refused before anything moves
    parameters = game_parameters(config)
    fastest = _one_of(order, "order", ("ritual", "fastest")) == "fastest"
    if fastest and machine.modules.gantry is None:
        raise BadInputError(
            f"The table {machine.name} has no arm to be fast with; leave out --order."
        )
    parameters, stakes = with_stakes(rules, parameters, players, stake)
    answers = answers_of(rules, parameters, cut, reverse, bottom, wall, end) | stakes
    orders = Orders(rules, parameters, dealer, players, throws_of(throw), answers, fastest, play)
    orders = with_seats_drawn(orders, draw_seats)
    if rounds < 1:
        raise BadInputError(f"{rounds} rounds are none; give --rounds 1 or more.")
    check_orders(orders, rounds)
    if until is not None:
        _one_of(until, "until", (READY,))
    if journal_copy is not None and journal is None:
        raise BadInputError(f"--journal-copy {journal_copy} needs the journal; add --journal FILE.")
    if abandon and journal is None:
        raise BadInputError("--abandon needs the journal with the round; add --journal FILE.")
    if record is not None and not play:
        raise BadInputError(f"--record {record} is of hands that are followed; add --play.")
    ports = ports_of(machine, port or ())
    if ports and reveal:
        raise BadInputError("A real table shows nobody its tiles; leave out --reveal or --port.")
    if ports and seed is not None:
        raise BadInputError("A real drum has no seed; leave out --seed or --port.")
    if ports and emulated:
        raise BadInputError("A real board runs its own firmware; leave out --emulated or --port.")
    if ports and (fault or faults):
        raise BadInputError(
            "A real table has its own faults; leave out --fault, --faults or --port."
        )
    if keys is not None and not ports:
        raise BadInputError(f"--keys {keys} are of real boards; add --port, or leave it out.")
    copies = () if journal is None else paths_of(journal, journal_copy)
    outputs = {"--events": events, "--record": None if record is None else str(record)}
    require_separate(outputs, copies, keys)
    injected_faults = injected_faults_of(fault, faults, machine)
    job = RunJob(
        machine,
        config,
        orders,
        rounds,
        until == READY,
        seed or 0,
        pace_of(speed, real=bool(ports)),
        ports,
        reveal,
        journal,
        journal_copy,
        injected_faults,
        abandon,
        keys=keys_of(keys) if ports else None,
        emulated=emulated,
    )
    if emulated:
        require_emulation(machine)
    if copies:
        Locks(copies).release()  # refused here, a journal in use costs no further imports
    with (
        open_output("Events", events) as stream,
        open_output("The record", None if record is None else str(record), "a+") as kept,
    ):
        from controller.cli.run_session import play_job

        return play_job(job, stream, kept)


def _one_of(given: str, option: str, offered: Sequence[str]) -> str:
    if given not in offered:
        raise BadInputError(f"'{given}' is no --{option}; give --{option} {' or '.join(offered)}.")
    return given
