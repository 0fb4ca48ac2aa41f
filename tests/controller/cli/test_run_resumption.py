"""Whether a run goes on with what its journal left unfinished: by the kind of its table."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import game_parameters, load_game, load_table
from controller.cli.run_job import PINS, RunJob
from controller.cli.run_resumption import facts_of, reason_to_regather, resumed_entries
from controller.faults.table_fault import Fault, TableFault
from controller.journal import Journal
from controller.orders import Orders
from rules.games import find_game

PORT = "/dev/ttyACM0"


def job(table: str, port: str | None, *, game: str = "wenzhou", abandon: bool = False) -> RunJob:
    """A round on this table, all its boards at one port, or none."""
    machine, config = load_table(table), load_game(game)
    orders = Orders(find_game(game), game_parameters(config))
    ports = dict.fromkeys(machine.boards, port) if port else {}
    return RunJob(
        machine, config, orders, 1, False, 0, None, ports, False, Path("kept"), abandon=abandon
    )


@pytest.mark.parametrize(
    ("played", "goes_on", "put_away"),
    [
        (job("robotic", PORT), True, None),
        (job("robotic", PORT, abandon=True), False, "the round was given up"),
        (job("robotic", None), False, None),
        (job("bench", None), False, None),
        (
            job("bench", PINS),
            False,
            "bare pins do not remember how far the unfinished round came",
        ),
        (job("bench", PINS, abandon=True), False, "the round was given up"),
    ],
)
def test_an_unfinished_round_is_gone_on_with_where_the_boards_remember_it(
    played: RunJob, goes_on: bool, put_away: str | None, tmp_path: Path
) -> None:
    kept = tmp_path / "table.journal"
    with Journal(kept, "before", facts_of(played)) as journal:
        journal.intend("top", 1.0, {"do": "take in", "set": 0})
    with Journal(kept, "now", facts_of(played)) as journal:
        assert journal.unfinished() is not None
        assert (resumed_entries(played, journal) is not None) is goes_on
        assert reason_to_regather(played, journal) == put_away


def test_on_bare_pins_nothing_is_put_away_where_nothing_was_left_unfinished(tmp_path: Path) -> None:
    played = job("bench", PINS)
    with Journal(tmp_path / "table.journal", "now", facts_of(played)) as journal:
        assert resumed_entries(played, journal) is None
        assert reason_to_regather(played, journal) is None


@pytest.mark.parametrize(
    ("played", "put_away"),
    [
        (job("robotic", PORT), "the last run is over, and its tiles are still where it left them"),
        (job("bench", PINS), "the last run is over, and its tiles are still where it left them"),
        (job("robotic", None), None),
        (job("robotic", PORT, game="backgammon"), None),
    ],
)
def test_on_the_morning_after_the_last_runs_tiles_are_put_away_first(
    played: RunJob, put_away: str | None, tmp_path: Path
) -> None:
    kept = tmp_path / "table.journal"
    with Journal(kept, "before", facts_of(played)) as journal:
        journal.confirm(journal.intend("top", 1.0, {"do": "take in", "set": 0}), 2.0, None)
        journal.end()
    with Journal(kept, "now", facts_of(played)) as journal:
        assert resumed_entries(played, journal) is None
        assert reason_to_regather(played, journal) == put_away


@pytest.mark.parametrize("ended", [True, False])
def test_what_was_only_simulated_has_left_no_tile_on_a_real_table(
    ended: bool, tmp_path: Path
) -> None:
    tried, played, kept = job("robotic", None), job("robotic", PORT), tmp_path / "table.journal"
    with Journal(kept, "before", facts_of(tried)) as journal:
        journal.intend("top", 1.0, {"do": "take in", "set": 0})
        if ended:
            journal.end()
    with Journal(kept, "now", facts_of(played)) as journal:
        assert resumed_entries(played, journal) is None
        assert reason_to_regather(played, journal) is None


def test_tiles_that_were_being_put_away_when_it_was_broken_off_are_put_away_first(
    tmp_path: Path,
) -> None:
    played, kept = job("robotic", PORT), tmp_path / "table.journal"
    with Journal(kept, "before", facts_of(played)) as journal:
        journal.intend("regather", 1.0, {"why": "the round was given up"})
    with Journal(kept, "now", facts_of(played)) as journal:
        assert reason_to_regather(played, journal) == "nobody has said that every tile was put away"
        assert resumed_entries(played, journal) is None
        put_away = journal.intend("regather", 2.0, {"why": "nobody has said so"})
        journal.confirm(put_away, 3.0, None)
        journal.intend("top", 4.0, {"do": "take in", "set": 0})
    with Journal(kept, "later", facts_of(played)) as journal:
        assert reason_to_regather(played, journal) is None
        assert resumed_entries(played, journal) is not None


def test_a_run_that_could_not_prove_where_its_tiles_are_is_not_gone_on_with(tmp_path: Path) -> None:
    played, kept = job("auto_deal", PORT), tmp_path / "table.journal"
    unproven = TableFault(Fault.UNPROVEN, "trays", "head2_counter counted a tile after all 136")
    with Journal(kept, "before", facts_of(played)) as journal:
        journal.intend("under", 1.0, {"do": "build", "set": 0})
        number = journal.intend("fault", 2.0, unproven.facts())
        journal.confirm(number, 2.0, None)
    with Journal(kept, "now", facts_of(played)) as journal:
        assert reason_to_regather(played, journal) == (
            "the last run could not prove where every tile is: head2_counter counted a tile after"
            " all 136"
        )
        assert resumed_entries(played, journal) is None
