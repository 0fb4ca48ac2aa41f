"""The journal: what was intended and what came of it, on disk in three copies.

`journal` writes and reads it. `lines` is one record as text, `copies` the files, `reconcile`
chooses the lines that verify, `history` puts records together as steps and runs, and `replay`
holds the entries of an interrupted run while a later run goes through them.
"""

from controller.journal.history import Entry, Unfinished
from controller.journal.journal import Journal
from controller.journal.lines import JournalError, JournalInUse, JournalLocked

__all__ = ["Entry", "Journal", "JournalError", "JournalInUse", "JournalLocked", "Unfinished"]
