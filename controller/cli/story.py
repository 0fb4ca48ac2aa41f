"""Which story a run's journal goes on with: a new one, or one that was broken off."""

from __future__ import annotations

from controller.books import as_json, left_open
from controller.cli.errors import BadInput
from controller.cli.job import PINS, Job
from controller.faults import Fault
from controller.journal import Entry, Journal
from controller.regather import ACTIVITY


def facts_of(job: Job) -> dict[str, object]:
    """What a story is played by: whoever goes on with it must play by the same."""
    orders = job.orders
    facts: dict[str, object] = as_json(
        {
            "table": job.table.name,
            "game": orders.game.name,
            "seed": job.seed,
            "dealer": orders.dealer,
            "players": orders.players,
            "throws": orders.throws,
            "answers": dict(orders.answers),
            "order": "fastest" if orders.fastest else "ritual",
            "play": orders.play,
        }
    )
    return facts


def taken_up(job: Job, journal: Journal) -> tuple[Entry, ...] | None:
    """What an earlier run has done of the story that this one goes on with; None for a new one.

    A table on ports is as it was left, so its story goes on; a simulated table begins anew with
    every run, and so does its story. So does one whose every tile has to be put away first
    (`regather_for`). Raises BadInput where the story is of another table, game or choice of
    options.
    """
    unfinished = journal.unfinished()
    if unfinished is None or not job.ports or regather_for(job, journal) is not None:
        return None
    now = facts_of(job)
    if unfinished.facts != now:
        differ = [key for key in now if unfinished.facts.get(key) != now[key]]
        then = ", ".join(f"{key} {unfinished.facts.get(key)}" for key in differ)
        raise BadInput(
            f"The journal {job.journal} has an unfinished round with {then}; run that, or give the"
            " round up with --abandon."
        )
    journal.resume()
    return unfinished.entries


def regather_for(job: Job, journal: Journal) -> str | None:
    """Why every tile has to be put away before the first round; None if it need not be.

    On bare pins what they had counted died with the host, and nobody knows how far its orders came.
    """
    if job.abandon and job.ports:
        return "the round was given up"
    unfinished = journal.unfinished()
    if unfinished is None or not job.ports:
        return None
    if PINS in job.ports.values():
        return "bare pins do not remember how far the unfinished round came"
    if any(each.activity == ACTIVITY and not each.confirmed for each in unfinished.entries):
        return "nobody has said that every tile was put away"
    fault = left_open(unfinished.entries)
    if fault is not None and fault.fault is Fault.UNPROVEN:
        return f"the last run could not prove where every tile is: {fault.evidence}"
    return None
