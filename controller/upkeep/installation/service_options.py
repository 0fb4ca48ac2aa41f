"""The options of the service of this computer, and the file from which systemd reads them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

OPTIONS_FILE = Path("/etc/wallwright/serve.conf")
TABLE_FILE = Path("/etc/wallwright/table.yaml")
"""Where the file of a table of one's own is copied."""
VARIABLE = "WALLWRIGHT_SERVE"
_HEAD = """\
# The options with which wallwright.service starts `wallwright serve`; the manual page
# wallwright-serve(1) lists all. Written by `wallwright install`, which writes it again.
# Without --port the table is simulated. The service reads this file at its start.
"""


@dataclass(frozen=True)
class ServiceOptions:
    """The options of `wallwright serve` that belong to one computer.

    `ports` has the port of each board; it is empty for a simulated table.
    """

    table: str
    ports: Mapping[str, str] = field(default_factory=dict)
    listen: str | None = None
    nameplate: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The options as words of a command line."""
        words = ["--table", self.table]
        distinct = sorted(set(self.ports.values()))
        if len(distinct) == 1:
            words += ["--port", distinct[0]]
        else:
            for board, port in self.ports.items():
                words += ["--port", f"{board}={port}"]
        if self.listen is not None:
            words += ["--listen", self.listen]
        if self.nameplate is not None:
            words += ["--nameplate", self.nameplate]
        return tuple(words)

    @property
    def text(self) -> str:
        """The contents of the file: one variable, which systemd divides into words again.

        systemd removes the outer quotes of the line, and then the quotes of each word.
        """
        line = " ".join(map(shlex.quote, self.words))
        escaped = line.replace("\\", "\\\\").replace('"', '\\"')
        return f'{_HEAD}{VARIABLE}="{escaped}"\n'
