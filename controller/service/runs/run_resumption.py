"""Decides whether a run resumes the unfinished run of its journal or is a new run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from controller.run.chance.share_seal import ShareSeal
from controller.run.faults.failures import Fault
from controller.run.journal import Entry, Journal
from controller.run.journal.replay import differences
from controller.run.rounds.put_away import ACTIVITY
from controller.run.run_state import as_json, open_fault_of
from rules.errors import WallwrightError
from rules.games import GAMES

if TYPE_CHECKING:
    from config.schema import Table
    from controller.service.runs.run_job import RunJob


class OtherRunError(WallwrightError, ValueError):
    """The journal's unfinished run has another table, another game or other options."""


SIMULATED = "simulated"
"""The key that marks a journal entry of a run on a simulated table."""
ADDED = ("house", "table_file", "tile")
"""Facts that journals have since version 0.3."""
RECORDS_LOST = "the journal has lost its records, so nothing shows where the tiles are"
"""The reason to put every tile away if the journal's copies are empty or gone, but not its key."""
TILES_LEFT = "the last run has ended, and its tiles are still where it left them"
"""The reason to put every tile away before the first round after a completed run."""


def facts_of(job: RunJob) -> dict[str, object]:
    """The options of a run that its journal keeps. A run can be resumed with the same ones only.

    They include the house rules, and a digest of each section of the table's file except its title
    and the limits of recovery.
    """
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
    facts["house"] = orders.house_rules
    facts["table_file"] = _sections(job.table)
    facts["tile"] = job.config.tile.model_dump(mode="json")
    if not job.ports:
        facts[SIMULATED] = True
    return facts


def _differing(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The options of the unfinished run that differ, as text.

    House rules have their values, sections of the table's file only their names.
    """
    found: list[str] = []
    for key in (key for key in now if then.get(key) != now[key]):
        if key == "house":
            found.append(f"the house rules {differences(then[key], now[key])}")
        elif key == "table_file":
            sections = {**then[key], **now[key]}
            names = [name for name in sections if then[key].get(name) != now[key].get(name)]
            found.append(f"another {', '.join(names)} in the table's file")
        else:
            found.append(f"{key} {then.get(key)}")
    return ", ".join(found)


def _sections(table: Table) -> dict[str, str]:
    """A digest of each section of a table: of each board, of each module, of the rest by key."""
    whole = table.model_dump(mode="json", exclude={"title", "recovery"})
    sections = {f"boards.{name}": board for name, board in whole.pop("boards").items()}
    sections |= {f"modules.{name}": module for name, module in whole.pop("modules").items()}
    return {
        name: sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
        for name, content in (sections | whole).items()
    }


def resumed_entries(job: RunJob, journal: Journal) -> tuple[Entry, ...] | None:
    """The journal entries of the unfinished run that this run resumes; None for a new run.

    Only a run on real ports is resumed: a simulated table does not outlast its process. A run
    before which every tile has to be put away (`reason_to_regather`) is a new run as well. Raises
    OtherRunError if the unfinished run has another table, another game or other options.
    """
    unfinished = journal.unfinished()
    if unfinished is None or not job.ports or SIMULATED in unfinished.facts:
        return None
    if reason_to_regather(job, journal) is not None:
        return None
    now = facts_of(job)
    # A run of a version before 0.3 does not have the facts that this version adds.
    then = {**{key: now[key] for key in ADDED}, **unfinished.facts}
    if then != now:
        raise OtherRunError(
            f"The journal {job.journal} has an unfinished round with {_differing(then, now)};"
            " repeat the command with these options to resume it, or add --abandon to start a new"
            " round."
        )
    journal.resume()
    return unfinished.entries


def expected_serials(job: RunJob, journal: Journal) -> Mapping[str, str]:
    """The serial numbers that the boards of this table had in the last run of its journal.

    Empty if this run or the last one is simulated, or if the last one was of another table.
    """
    unfinished = journal.unfinished()
    last = journal.ended() if unfinished is None else unfinished.facts
    if not job.ports or last is None or SIMULATED in last or last.get("table") != job.table.name:
        return {}
    return journal.serials


def reason_to_regather(job: RunJob, journal: Journal) -> str | None:
    """Why every tile has to be put away before the first round; None if there is no reason.

    A simulated table starts with its tiles in the machine, a real one as its last run left it. With
    GPIO pins the counts and the progress of commands were in the host's memory and are lost.
    """
    if not job.ports:
        return None
    if job.put_away_reason is not None:
        return job.put_away_reason
    if job.abandon:
        return "the round was abandoned"
    ended, unfinished = journal.ended(), journal.unfinished()
    if job.journal is not None and journal.is_empty and ShareSeal(job.journal).exists:
        return RECORDS_LOST
    if ended is not None and _leaves_tiles(ended):
        return TILES_LEFT
    if unfinished is None or SIMULATED in unfinished.facts:
        return None
    if any(board.kind == "gpio" for board in job.table.boards.values()):
        return "GPIO pins keep no record of how far the unfinished round came"
    if any(each.activity == ACTIVITY and not each.confirmed for each in unfinished.entries):
        return "no operator has confirmed that every tile was put away"
    fault = open_fault_of(unfinished.entries)
    if fault is not None and fault.fault is Fault.UNPROVEN:
        return f"the last run could not prove where every tile is: {fault.evidence}"
    return None


def _leaves_tiles(facts: Mapping[str, object]) -> bool:
    """Whether a run with these facts was played with real tiles."""
    game = GAMES.get(str(facts.get("game")))
    return SIMULATED not in facts and (game is None or bool(game.tiles.faces))
