"""The journal: every intent and its outcome, on disk in three copies.

`journal` is the journal of the present run. A record is one line of text (`lines`). `notes` defines
the values that are recorded between an intent and its outcome. `writing` collects records into
batches. `copies` plans the file operations for each copy; a `storage` executes them (in
`writer_threads` for real tables). `reconcile` chooses the lines whose hash chain verifies, by the
stamp that identifies the journal that a copy belongs to. `history` reads a journal from other
programs, and groups records into steps and runs. `replay` holds the entries of an interrupted run
while a later run repeats its steps.
"""

from controller.run.journal.history import Entry, Unfinished, read_entries, read_records
from controller.run.journal.journal import Journal
from controller.run.journal.lines import JournalError, JournalInUseError, JournalLockedError

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
