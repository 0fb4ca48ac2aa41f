"""The journal: what was intended and what came of it, on disk in three copies.

`journal` is a run's own journal; `reading` is for other programs. A record is one line (`lines`);
`notes` are the values that work records on its way. `writing` puts records into batches, `storage`
carries the file operations out (`files`, in `writer_threads` for real tables), and `copies` knows
what is to be done to which copy. `reconcile` chooses the lines that verify, `stamp` says which
journal a copy belongs to. `history` puts records together as steps and runs, and `replay` holds
the entries of an interrupted run while a later run goes through them.
"""

from controller.journal.history import Entry, Unfinished
from controller.journal.journal import Journal
from controller.journal.lines import JournalError, JournalInUseError, JournalLockedError
from controller.journal.reading import read_entries, read_records

__all__ = [
    "Entry",
    "Journal",
    "JournalError",
    "JournalInUseError",
    "JournalLockedError",
    "Unfinished",
    "read_entries",
    "read_records",
]
