"""Power cuts during a restore: after each file operation the old folder or the new one is whole."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controller.records.backup.restoring import RestoreTargets, restore_backup
from controller.run.journal import read_records
from tests.controller.records.backup.table_folder import contents, plain_backup, table_folder
from tests.controller.upkeep.update.test_power_cuts import cut
from tests.quick import tries


@pytest.mark.evidence
@pytest.mark.slow
def test_a_power_cut_at_any_step_leaves_the_old_folder_or_the_new_one(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    data = table_folder(work / "data")
    plain_backup(data, tmp_path / "backup")
    backup = (tmp_path / "backup").read_bytes()
    (data / "evening.db").unlink()
    (data / "only_before").write_text("written after the backup")
    shutil.copytree(work, tmp_path / "before", symlinks=True)
    before = contents(data)
    targets = RestoreTargets(data, configuration=work / "etc", replace=True)
    total = cut(work, 0, lambda: restore_backup(backup, targets))
    assert total > 50
    last = range(total - 25, total + 1)  # these put the folders into place
    states = set()
    for step in sorted({*range(1, total + 1, tries(9, quick=29, evidence=1)), *last}):
        shutil.rmtree(work)
        shutil.copytree(tmp_path / "before", work, symlinks=True)
        assert cut(work, step, lambda: restore_backup(backup, targets)) == 0, step
        is_new = (data / "restored.json").exists()
        states.add(is_new)
        if is_new:
            assert len(read_records(data / "table.journal")) == 3, step
            assert (data / "evening.db").stat().st_size, step
        else:
            assert before.items() <= contents(data).items(), step
        restore_backup(backup, targets)
        assert (data / "restored.json").exists()
        assert not list(work.glob(".*")), step
        kept = [contents(each) for each in work.glob("data.before-*")]
        assert any(before.items() <= each.items() for each in kept), "the old folder is kept"
    assert states == {False, True}
