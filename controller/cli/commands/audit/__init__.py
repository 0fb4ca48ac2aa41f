"""`wallwright audit`: reads the audit log of a service, and proves what it holds.

The log is the folder `audit` in the data folder of `wallwright serve --data DIR`. `audit` shows a
log, exports it, writes receipts of it, and changes its key. With `audit timestamp` an authority
stamps a log's head with the time; with `audit witness` another party cosigns it.
"""

from __future__ import annotations

from controller.cli.command import LazyGroup

audit = LazyGroup(
    "audit",
    "controller.cli.commands.audit",
    {
        "show": (
            "reading",
            "Check the whole log, and print its key, its size and its last events.",
        ),
        "export": (
            "reading",
            "Write a bundle that a stranger verifies offline with 'wallwright verify'.",
        ),
        "rounds": (
            "reading",
            "Print the last ten rounds with their outcomes, and the events since then.",
        ),
        "receipt": ("reading", "Write the receipt of a round or of a shuffle cycle."),
        "rotate-key": (
            "keys",
            (
                "Make a new key on this computer; the old key signs it, and is deleted. Stop the"
                " service."
            ),
        ),
        "begin": (
            "keys",
            "Begin a new log in place of one that was moved away; it names the earlier log.",
        ),
        "witness": ("witness", "Have a signed head cosigned by another party."),
        "timestamp": ("timestamp", "Have a signed head stamped with the time."),
    },
    help="Show or export a service's audit log, have it witnessed, or change its key.",
)
