"""A table goes on with its evening from a backup that was made in the middle of a deal."""

from __future__ import annotations

from pathlib import Path

from controller.records.backup.creating import BackupSources, create_backup
from controller.records.backup.restoring import RestoreTargets, restore_backup
from controller.records.backup.sealing import opened
from controller.service.evening.evening_store import EveningStore
from firmware_bridge.sim.clock import run
from tests.controller.records.backup.test_creating import IDENTITY, SEALED
from tests.controller.service.service_at_a_table import Guests
from tests.controller.service.surviving_service import SurvivingTable


def test_a_round_that_was_backed_up_while_it_was_dealt_is_dealt_to_its_end(tmp_path: Path) -> None:
    data, to = tmp_path / "data", tmp_path / "restored"
    data.mkdir()

    async def first_host(guests: Guests) -> None:
        choice = {"game": "pai_gow", "follow_play": True}
        await guests.give("start_session", choice=choice, names={"0": "Mei"})
        await guests.until(lambda s: bool(s.round and s.round.throw))
        manifest = create_backup(BackupSources(data), tmp_path / "backup", SEALED, "0.2.0")
        assert manifest.journal["unfinished"]

    async def second_host(guests: Guests) -> None:
        await guests.until(lambda s: bool(s.fault or (s.session and s.session.results)), limit=7200)
        assert guests.status.fault is None
        session = guests.status.session
        assert session is not None
        assert (session.id, session.seats[0].name) == ("s1", "Mei")

    async def evening() -> None:
        table = SurvivingTable("pai_gow", data, 3)
        await table.host(first_host, kill=True)
        backup = opened((tmp_path / "backup").read_bytes(), None, [str(IDENTITY)])
        restore_backup(backup, RestoreTargets(to))
        table._folder = to
        await table.host(second_host)
        names = [event["event"] for event in table.events]
        assert "run_resumed" in names
        assert names.count("dice_thrown") == 1 + names[names.index("run_resumed") :].count(
            "dice_thrown"
        )
        assert "put_away_requested" not in names

    run(evening())
    with EveningStore(to / "evening.db") as store:
        assert store.results("s1", 0, 9)
