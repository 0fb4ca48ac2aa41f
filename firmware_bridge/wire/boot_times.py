"""Times of the Mega 2560's own bootloader, and the silences by which the host lets a board start.

Every reset, and so every opening of a port that lowers DTR, starts the bootloader. Any byte in its
first 0.78 s keeps it waiting for a programmer, until no byte has come for 5 s. A host that repeats
its question therefore never gets an answer. The board announces its start (`Started`), so the host
need not wait out its whole time. Measured by
`tests/firmware_bridge/sim/processors/test_bootloader.py`.
"""

LISTENS = 0.783
"""Seconds after a reset in which a byte holds the bootloader."""
STARTS = 0.84
"""Seconds after a reset until the firmware runs, if no byte came."""
HOLDS = 5.0
"""Seconds without a byte after which a held bootloader starts the firmware."""
START_SILENCE = 1.5
"""Seconds for which the host sends nothing after an opening that resets the boards (our value)."""
RELEASE_SILENCE = 5.5
"""Seconds for which the host sends nothing to a board that may be held (our value)."""
