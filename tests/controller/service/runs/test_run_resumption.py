"""Whether a run resumes the unfinished run of its journal: depends on the kind of its table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from config.loader import game_parameters, load_game, load_table
from controller.cli.options.boards import PINS
from controller.run.faults.failures import Fault, TableFault
from controller.run.journal import Journal
from controller.run.journal.copies import paths_of
from controller.run.orders import Orders
from controller.service.runs.table_run import (
    ADDED,
    RECORDS_LOST,
    TILES_LEFT,
    OtherRunError,
    RunJob,
    expected_serials,
    facts_of,
    reason_to_regather,
    resumed_entries,
)
from rules.games import find_game

PORT = "/dev/ttyACM0"


def unfinished(kept: Path, played: RunJob, without: Collection[str] = ()) -> None:
    """Write a journal with an unfinished run of this job."""
    facts = {key: value for key, value in facts_of(played).items() if key not in without}
    with Journal(kept, "before", facts) as journal:
        journal.intend("top", 1.0, {"do": "take in", "set": 0})


def refusal(kept: Path, played: RunJob) -> str:
    """Return the sentence with which a run with other options is refused."""
    with (
        Journal(kept, "now", facts_of(played)) as journal,
        pytest.raises(OtherRunError) as refused,
    ):
        resumed_entries(played, journal)
    return str(refused.value)


def job(table: str, port: str | None, *, game: str = "wenzhou", abandon: bool = False) -> RunJob:
    """The job of one round on this table, with all boards at one port, or without ports."""
    machine, config = load_table(table), load_game(game)
    orders = Orders(find_game(game), game_parameters(config))
    ports = dict.fromkeys(machine.boards, port) if port else {}
    return RunJob(
        machine, config, orders, 1, False, 0, None, ports, False, Path("kept"), abandon=abandon
    )


@pytest.mark.parametrize(
    ("played", "is_resumed", "reason"),
    [
        (job("robotic", PORT), True, None),
        (job("robotic", PORT, abandon=True), False, "the round was abandoned"),
        (job("robotic", None), False, None),
        (job("bench", None), False, None),
        (
            job("bench", PINS),
            False,
            "GPIO pins keep no record of how far the unfinished round came",
        ),
        (job("bench", PINS, abandon=True), False, "the round was abandoned"),
    ],
)
def test_an_unfinished_round_is_resumed_on_boards_that_keep_their_counts(
    played: RunJob, is_resumed: bool, reason: str | None, tmp_path: Path
) -> None:
    kept = tmp_path / "table.journal"
    with Journal(kept, "before", facts_of(played)) as journal:
        journal.intend("top", 1.0, {"do": "take in", "set": 0})
    with Journal(kept, "now", facts_of(played)) as journal:
        assert journal.unfinished() is not None
        assert (resumed_entries(played, journal) is not None) is is_resumed
        assert reason_to_regather(played, journal) == reason


@pytest.mark.parametrize("is_completed", [True, False])
@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (job("robotic", PORT), job("robotic", PORT), {"base": "WW000001"}),
        (job("robotic", PORT), job("robotic", PORT, abandon=True), {"base": "WW000001"}),
        (job("robotic", PORT), job("robotic", None), {}),
        (job("robotic", None), job("robotic", PORT), {}),
        (job("robotic", PORT), job("auto_deal", PORT), {}),
    ],
    ids=["same table", "abandoned round", "simulated now", "simulated before", "another table"],
)
def test_boards_of_a_real_table_must_have_the_serial_numbers_of_its_last_run(
    before: RunJob, now: RunJob, expected: dict[str, str], is_completed: bool, tmp_path: Path
) -> None:
    kept = tmp_path / "table.journal"
    with Journal(kept, "before", facts_of(before)) as journal:
        journal.record_serial("base", "WW000001")
        journal.intend("top", 1.0, {"do": "take in", "set": 0})
        if is_completed:
            journal.end()
    with Journal(kept, "now", facts_of(now)) as journal:
        assert expected_serials(now, journal) == expected


def test_on_gpio_pins_no_tile_is_put_away_if_no_run_is_unfinished(tmp_path: Path) -> None:
    played = job("bench", PINS)
    with Journal(tmp_path / "table.journal", "now", facts_of(played)) as journal:
        assert resumed_entries(played, journal) is None
        assert reason_to_regather(played, journal) is None


@pytest.mark.parametrize(
    ("played", "reason"),
    [
        (job("robotic", PORT), TILES_LEFT),
        (job("bench", PINS), TILES_LEFT),
        (job("robotic", None), None),
        (job("robotic", PORT, game="backgammon"), None),
    ],
)
def test_after_a_completed_run_its_tiles_are_put_away_first(
    played: RunJob, reason: str | None, tmp_path: Path
) -> None:
    kept = tmp_path / "table.journal"
    with Journal(kept, "before", facts_of(played)) as journal:
        journal.confirm(journal.intend("top", 1.0, {"do": "take in", "set": 0}), 2.0, None)
        journal.end()
    with Journal(kept, "now", facts_of(played)) as journal:
        assert resumed_entries(played, journal) is None
        assert reason_to_regather(played, journal) == reason


@pytest.mark.parametrize("ended", [True, False])
def test_a_simulated_run_leaves_no_tile_on_a_real_table(ended: bool, tmp_path: Path) -> None:
    simulated, played = job("robotic", None), job("robotic", PORT)
    kept = tmp_path / "table.journal"
    with Journal(kept, "before", facts_of(simulated)) as journal:
        journal.intend("top", 1.0, {"do": "take in", "set": 0})
        if ended:
            journal.end()
    with Journal(kept, "now", facts_of(played)) as journal:
        assert resumed_entries(played, journal) is None
        assert reason_to_regather(played, journal) is None


def test_if_a_run_is_interrupted_while_tiles_are_put_away_they_are_put_away_again(
    tmp_path: Path,
) -> None:
    played, kept = job("robotic", PORT), tmp_path / "table.journal"
    with Journal(kept, "before", facts_of(played)) as journal:
        journal.intend("regather", 1.0, {"why": "the round was abandoned"})
    with Journal(kept, "now", facts_of(played)) as journal:
        reason = "no operator has confirmed that every tile was put away"
        assert reason_to_regather(played, journal) == reason
        assert resumed_entries(played, journal) is None
        put_away = journal.intend("regather", 2.0, {"why": reason})
        journal.confirm(put_away, 3.0, None)
        journal.intend("top", 4.0, {"do": "take in", "set": 0})
    with Journal(kept, "later", facts_of(played)) as journal:
        assert reason_to_regather(played, journal) is None
        assert resumed_entries(played, journal) is not None


def test_a_run_that_could_not_prove_where_its_tiles_are_is_not_resumed(tmp_path: Path) -> None:
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


def test_a_round_is_not_resumed_with_other_house_rules(tmp_path: Path) -> None:
    played, kept = job("robotic", PORT, game="pai_gow"), tmp_path / "table.journal"
    unfinished(kept, played)
    orders = replace(played.orders, parameters=replace(played.orders.parameters, n_dice=2))
    assert refusal(kept, replace(played, orders=orders)) == (
        "The journal kept has an unfinished round with the house rules n_dice 3; repeat the"
        " command with these options to resume it, or add --abandon to start a new round."
    )


def test_a_round_is_not_resumed_with_another_table_of_the_same_name(tmp_path: Path) -> None:
    played, kept = job("robotic", PORT), tmp_path / "table.journal"
    unfinished(kept, played)
    changed = played.table.model_copy(
        update={
            "sets": 1,
            "modules": played.table.modules.model_copy(update={"lid": None}),
        }
    )
    assert (
        "has an unfinished round with another modules.lid, sets in the table's"
        " file; repeat" in refusal(kept, replace(played, table=changed))
    )


def test_a_new_title_and_other_limits_of_recovery_do_not_prevent_a_resume(tmp_path: Path) -> None:
    played, kept = job("robotic", PORT), tmp_path / "table.journal"
    unfinished(kept, played)
    renamed = replace(played, table=played.table.model_copy(update={"title": "Table 7"}))
    with Journal(kept, "now", facts_of(renamed)) as journal:
        assert resumed_entries(renamed, journal) is not None


def test_a_round_of_a_version_that_kept_no_house_rules_is_resumed(tmp_path: Path) -> None:
    played, kept = job("robotic", PORT), tmp_path / "table.journal"
    unfinished(kept, played, without=ADDED)
    with Journal(kept, "now", facts_of(played)) as journal:
        assert resumed_entries(played, journal) is not None


@pytest.mark.parametrize("gone", [False, True], ids=["emptied", "deleted"])
def test_a_journal_that_has_lost_its_records_asks_to_put_the_tiles_away(
    gone: bool, tmp_path: Path
) -> None:
    kept = tmp_path / "table.journal"
    played = replace(job("robotic", PORT), journal=kept)
    with Journal(kept, "now", facts_of(played)) as journal:
        assert reason_to_regather(played, journal) is None, "the first start of a table"
    unfinished(kept, played)
    kept.with_name("table.journal.chance-key").write_bytes(bytes(32))
    for copy in paths_of(kept):
        copy.write_bytes(b"")
        if gone:
            copy.unlink()
    with Journal(kept, "now", facts_of(played)) as journal:
        assert reason_to_regather(played, journal) == RECORDS_LOST
    simulated = replace(job("robotic", None), journal=kept)
    with Journal(kept, "now", facts_of(simulated)) as journal:
        assert reason_to_regather(simulated, journal) is None
