"""`wallwright audit`: reads the audit log of a service, and proves what it holds.

The log is the folder `audit` in the data folder of `wallwright serve --data DIR`.
"""

from __future__ import annotations

from controller.cli.commands.audit.log import audit
from controller.cli.commands.audit.timestamp import timestamp
from controller.cli.commands.audit.witness import witness

audit.add_typer(witness)
audit.add_typer(timestamp)

__all__ = ["audit"]
