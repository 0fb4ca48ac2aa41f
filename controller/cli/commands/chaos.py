"""`wallwright chaos`: random rounds with injected faults, or real hosts that are killed."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.options.shared import PATH
from controller.cli.output.output_checks import require_new, require_separate


@click.command(cls=CliCommand)
@click.option("--rounds", type=int, default=100, help="Number of rounds to play.")
@click.option(
    "--seed",
    type=int,
    default=0,
    help="Seed of every random choice; the same seed plays the same rounds.",
)
@click.option(
    "--from", "begin", type=int, default=0, help="Number of the first round: a multiple of 3."
)
@click.option(
    "--games",
    multiple=True,
    shell_complete=completion.games,
    help="Play only this game: its name, or the folder of its package. Repeat for several.",
)
@click.option(
    "--tables",
    multiple=True,
    shell_complete=completion.tables,
    help="Use only this table: its name or its YAML file. Repeat for several.",
)
@click.option(
    "--play/--no-play",
    default=None,
    show_default="a third of the evenings are played and a third reported, at random",
    help="Play every hand by the rules, or only deal it.",
)
@click.option("--report", type=PATH, help="Write the report to this file, in Markdown.")
@click.option(
    "--events",
    shell_complete=completion.files,
    help="Write all events to this file, as JSON lines.",
)
@click.option(
    "--kill", is_flag=True, help="Kill processes of 'wallwright run' in real time, and resume them."
)
@click.option("--kills", type=int, default=100, help="With --kill: number of processes to kill.")
@click.option(
    "--jobs",
    type=int,
    default=1,
    help="Number of processes that play at the same time; the report is the same.",
)
@click.option(
    "--cluster", help="Address of a Dask scheduler whose computers play; the report is the same."
)
@click.option(
    "--audit", is_flag=True, help="Write an audit log in every evening, and verify its bundle."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, for programs.")
def chaos(
    rounds: int,
    seed: int,
    begin: int,
    games: tuple[str, ...],
    tables: tuple[str, ...],
    play: bool | None,
    report: Path | None,
    events: str | None,
    kill: bool,
    kills: int,
    jobs: int,
    cluster: str | None,
    audit: bool,
    as_json: bool,
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

    job = ChaosJob(rounds, seed, begin, games, tables, play, report, events, jobs, cluster, audit)
    return play_rounds(job, as_json=as_json)
