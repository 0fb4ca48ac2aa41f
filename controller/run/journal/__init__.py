"""The journal: every intent and its outcome, on disk in three copies.

`journal` is the journal of the present run; `reading` reads a journal from other programs. A record
is one line of text (`lines`). `notes` defines the values that are recorded between an intent and
its outcome. `writing` collects records into batches. `copies` plans the file operations for each
copy; a `storage` executes them (`files`, in `writer_threads` for real tables). `reconcile` chooses
the lines whose hash chain verifies, and `stamp` identifies the journal that a copy belongs to.
`history` groups records into steps and runs. `replay` holds the entries of an interrupted run while
a later run repeats its steps.
"""

from controller.run.journal.history import Entry, Unfinished
from controller.run.journal.journal import Journal
from controller.run.journal.lines import JournalError, JournalInUseError, JournalLockedError
from controller.run.journal.reading import read_entries, read_records

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
