"""Which story a run's journal goes on with: a new one, or one that was broken off."""

from __future__ import annotations

from collections.abc import Mapping

from controller.cli.errors import BadInputError
from controller.cli.run_job import PINS, RunJob
from controller.faults.table_fault import Fault
from controller.journal import Entry, Journal
from controller.rounds.put_away import ACTIVITY
from controller.run_state import as_json, open_fault_of
from rules.games import GAMES

SIMULATED = "simulated"
"""The fact that a story's tiles were never anywhere."""
MORNING_AFTER = "the last run is over, and its tiles are still where it left them"


def facts_of(job: RunJob) -> dict[str, object]:
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
        | ({"draw_seats": True} if orders.draw_seats else {})
    )
    if not job.ports:
        facts[SIMULATED] = True
    return facts


def resumed_entries(job: RunJob, journal: Journal) -> tuple[Entry, ...] | None:
    """What an earlier run has done of the story that this one goes on with; None for a new one.

    A table on ports is as it was left, so its story goes on; a simulated table begins anew with
    every run, and so does its story. So does one whose every tile has to be put away first
    (`reason_to_regather`). Raises BadInput where the story is of another table, game or choice of
    options.
    """
    unfinished = journal.unfinished()
    if unfinished is None or not job.ports or SIMULATED in unfinished.facts:
        return None
    if reason_to_regather(job, journal) is not None:
        return None
    now = facts_of(job)
    if unfinished.facts != now:
        differ = [key for key in now if unfinished.facts.get(key) != now[key]]
        then = ", ".join(f"{key} {unfinished.facts.get(key)}" for key in differ)
        raise BadInputError(
            f"The journal {job.journal} has an unfinished round with {then}; run that, or give the"
            " round up with --abandon."
        )
    journal.resume()
    return unfinished.entries


def reason_to_regather(job: RunJob, journal: Journal) -> str | None:
    """Why every tile has to be put away before the first round; None if it need not be.

    A simulated table begins as its makers deliver it, a table at ports as its last run left it. On
    bare pins what they had counted died with the host, and nobody knows how far its orders came.
    """
    if not job.ports:
        return None
    if job.abandon:
        return "the round was given up"
    ended, unfinished = journal.ended(), journal.unfinished()
    if ended is not None and _leaves_tiles(ended):
        return MORNING_AFTER
    if unfinished is None or SIMULATED in unfinished.facts:
        return None
    if PINS in job.ports.values():
        return "bare pins do not remember how far the unfinished round came"
    if any(each.activity == ACTIVITY and not each.confirmed for each in unfinished.entries):
        return "nobody has said that every tile was put away"
    fault = open_fault_of(unfinished.entries)
    if fault is not None and fault.fault is Fault.UNPROVEN:
        return f"the last run could not prove where every tile is: {fault.evidence}"
    return None


def _leaves_tiles(facts: Mapping[str, object]) -> bool:
    """Whether a run that was played by these facts has had tiles, real ones."""
    game = GAMES.get(str(facts.get("game")))
    return SIMULATED not in facts and (game is None or bool(game.tiles.faces))
