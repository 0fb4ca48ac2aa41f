"""One run of `wallwright lab shuffle`: shuffles or reads cycles, examines them, and reports."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.table import Table as Grid

from controller.cli.errors import BadInputError
from controller.cli.options.lookup import game_named, require_fit, table_named
from controller.cli.runs.stop_signals import INTERRUPTED
from controller.cli.terminal.screen import screen
from controller.proof.campaign import Campaign, is_stopped, until_interrupted
from controller.proof.lab.examination import (
    FEWEST_CYCLES,
    FEWEST_TILES,
    Examination,
    as_json,
    examine,
    number,
    verdict,
)
from controller.proof.lab.plant_cycles import BATCH, Batch, require_machine, shuffle_batch
from controller.proof.lab.recording import read_recording
from controller.proof.lab.statistic import Orders, as_orders

EMPTY = Batch((), ())
"""The result of a batch that Ctrl-C prevented."""


@dataclass(frozen=True)
class ShuffleJob:
    """The options of `wallwright lab shuffle`."""

    table: str
    game: str
    cycles: int
    seed: int
    jobs: int
    cluster: str | None
    recorded: Path | None
    html: Path | None


@dataclass(frozen=True)
class _Cycles:
    """Cycles to examine, the places, and what they are, as values and in words."""

    orders: Orders
    places: tuple[tuple[str, int], ...]
    source: dict[str, object]
    words: str


def examine_shuffle(job: ShuffleJob, *, with_json: bool) -> int:
    """Examine the cycles, print and write the report, and return the exit code.

    Raises BadInputError, LaboratoryError and CampaignError.
    """
    cycles = _recorded(job.recorded) if job.recorded is not None else _simulated(job)
    if cycles is None:
        print("Interrupted by Ctrl-C; no report was written.", file=sys.stderr)
        return INTERRUPTED
    examination = examine(cycles.orders, cycles.places)
    if job.html is not None:
        from controller.proof.lab.report_page import page

        job.html.write_text(page(examination, cycles.orders, cycles.words), encoding="utf-8")
    if with_json:
        print(json.dumps(as_json(examination, cycles.source), indent=2))
    else:
        _print_report(examination, cycles.words)
    return 1 if examination.failed else 0


def _recorded(file: Path) -> _Cycles:
    recording = read_recording(file)
    if len(recording.orders) < FEWEST_CYCLES:
        raise BadInputError(
            f"The recording {file} has too few cycles: {len(recording.orders)}. The statistics need"
            f" at least {FEWEST_CYCLES}; record more."
        )
    tiles = len(recording.orders[0])
    if tiles < FEWEST_TILES:
        raise BadInputError(
            f"The cycles of the recording {file} have too few tiles: {tiles}. The"
            f" statistics need at least {FEWEST_TILES} tiles in a set; record whole sets."
        )
    words = f"{len(recording.orders)} recorded cycles of the table {recording.table}."
    source: dict[str, object] = {"kind": "recorded", "table": recording.table}
    return _Cycles(as_orders(recording.orders), recording.places, source, words)


def _simulated(job: ShuffleJob) -> _Cycles | None:
    """Shuffle cycles in the simulated plant; None after Ctrl-C."""
    if job.cycles < FEWEST_CYCLES:
        raise BadInputError(
            f"`--cycles` must be at least {FEWEST_CYCLES}; got {job.cycles}. With fewer cycles the"
            " statistics are not exact."
        )
    machine = table_named(job.table)
    rules, config = game_named(job.game)
    require_fit(machine, rules, config)
    require_machine(machine, config)
    work = partial(_batch, job.table, job.game, job.cycles, job.seed)
    orders: list[tuple[int, ...]] = []
    places: tuple[tuple[str, int], ...] = ()
    numbers = range((job.cycles - 1) // BATCH + 1)
    with (
        until_interrupted() as stop,
        closing(Campaign(work, numbers, job.jobs, job.cluster).results()) as batches,
    ):
        for batch in batches:
            if stop.is_set() or batch == EMPTY:
                return None
            orders += batch.orders
            places = batch.places
    words = (
        f"{job.cycles} cycles of {config.game} on the simulated table {machine.name},"
        f" seed {job.seed}."
    )
    source: dict[str, object] = {
        "kind": "simulated",
        "table": machine.name,
        "game": config.game,
        "seed": job.seed,
    }
    return _Cycles(as_orders(orders), places, source, words)


def _batch(table: str, game: str, cycles: int, seed: int, at: int) -> Batch:
    """Shuffle one batch; no cycle after Ctrl-C."""
    return EMPTY if is_stopped() else shuffle_batch(table, game, cycles, seed, at)


def _print_report(examination: Examination, words: str) -> None:
    console = screen()
    grid = Grid("statistic", box=None, padding=(0, 1))
    for head in ("observed", "expected", "± error", "p value", "detects"):
        grid.add_column(head, justify="right")
    grid.add_column("result")
    for result, p_value in zip(examination.results, examination.corrected, strict=True):
        figures = (result.observed, result.expectation, result.standard_error, p_value)
        bad = result in examination.failed
        grid.add_row(
            result.title,
            *map(number, (*figures, result.detectable)),
            "differs" if bad else "passed",
        )
    console.print(words, markup=False)
    console.print(grid)
    console.print(verdict(examination))
