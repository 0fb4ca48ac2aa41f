"""`wallwright chaos`: random rounds with injected faults, or real hosts that are killed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.output.output_checks import require_new, require_separate


def chaos(
    rounds: Annotated[int, typer.Option(help="Number of rounds to play.")] = 100,
    seed: Annotated[
        int, typer.Option(help="Seed of every random choice; the same seed plays the same rounds.")
    ] = 0,
    begin: Annotated[
        int, typer.Option("--from", help="Number of the first round: a multiple of 3.")
    ] = 0,
    games: Annotated[
        list[str] | None,
        typer.Option(
            help="Play only this game: its name, or the folder of its package. Repeat for several.",
            show_default=False,
            autocompletion=completion.games,
        ),
    ] = None,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            help="Use only this table: its name or its YAML file. Repeat for several.",
            show_default=False,
            autocompletion=completion.tables,
        ),
    ] = None,
    play: Annotated[
        bool | None,
        typer.Option(
            "--play/--no-play",
            help="Play every hand by the rules, or only deal it.",
            show_default="a third of the evenings, drawn at random, are played",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write the report to this file, in Markdown.", show_default=False),
    ] = None,
    events: Annotated[
        str | None,
        typer.Option(help="Write all events to this file, as JSON lines.", show_default=False),
    ] = None,
    kill: Annotated[
        bool,
        typer.Option(
            "--kill", help="Kill processes of 'wallwright run' in real time, and resume them."
        ),
    ] = False,
    kills: Annotated[int, typer.Option(help="With --kill: number of processes to kill.")] = 100,
    jobs: Annotated[
        int,
        typer.Option(
            help="Number of processes that play at the same time; the report is the same."
        ),
    ] = 1,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Address of a Dask scheduler whose computers play; the report is the same.",
            show_default=False,
        ),
    ] = None,
    audit: Annotated[
        bool,
        typer.Option("--audit", help="Write an audit log in every evening, and verify its bundle."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as JSON, for programs.")
    ] = False,
) -> int:
    """Play random rounds with injected faults; exit code 1 if a round fails its checks.

    Ctrl-C ends the command, with a report of the rounds played so far (`--report` too) and exit
    code 130.
    """
    for option, number in (("--rounds", rounds), ("--jobs", jobs), ("--kills", kills)):
        if number < 1 and (kill or option != "--kills"):
            raise BadInputError(f"`{option}` must be at least 1; got {number}.")
    require_separate({"--events": events, "--report": None if report is None else str(report)})
    if kill:
        from controller.cli.runs.chaos_kills import play_and_kill

        return play_and_kill(tables, games, seed, kills)
    require_new("--events", events)
    # The simulator is imported only now: a refused command line then takes a fraction of the time.
    from controller.cli.runs.chaos_session import ChaosJob, play_rounds

    job = ChaosJob(
        rounds, seed, begin, games or [], tables or [], play, report, events, jobs, cluster, audit
    )
    return play_rounds(job, as_json=as_json)
