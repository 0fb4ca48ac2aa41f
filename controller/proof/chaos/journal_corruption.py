"""Corrupts copies of the journal, and records which copies were corrupted in each round."""

from __future__ import annotations

from pathlib import Path
from random import Random

COPIES = 3
"""Number of journal copies; the journal is allowed to lock only if all were corrupted."""


class JournalCorruption:
    """Corrupts the journal copies of one table after another, at places drawn from `chance`."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._corrupted: list[set[Path]] = []
        """Journal copies that were corrupted in each round on this table."""

    def begin_table(self) -> None:
        """Forget the corrupted copies: each table has a journal of its own."""
        self._corrupted.clear()

    def begin_round(self) -> None:
        """Record the copies that are corrupted from now on for a new round."""
        self._corrupted.append(set())

    @property
    def may_lock(self) -> bool:
        """Whether the journal may lock: all copies were corrupted in the last two rounds."""
        return len(set().union(*self._corrupted[-2:])) == COPIES

    def corrupt(self, journal: Path) -> None:
        """Overwrite a part of one journal copy, truncate the copy, or delete it."""
        copies = sorted(journal.parent.glob(f"{journal.name}*"))
        files = [c for c in copies if c.suffix not in (".lock", ".chance-key") and c.stat().st_size]
        if not files:
            return
        file = self._chance.choice(files)
        self._corrupted[-1].add(file)
        size = file.stat().st_size
        match self._chance.randrange(3):
            case 0:
                with file.open("r+b") as opened:
                    opened.seek(self._chance.randrange(size))
                    opened.write(self._chance.randbytes(64))
            case 1:
                with file.open("r+b") as opened:
                    opened.truncate(self._chance.randrange(size))
            case _:
                file.unlink()
