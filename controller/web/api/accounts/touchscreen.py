"""The token of the table's own touchscreen, in a file that only the table's computer can read."""

from __future__ import annotations

import secrets
from pathlib import Path

from controller.durable_files import replace_file
from controller.web.api.accounts.store import AccountsFileError

TOUCHSCREEN_FILE = "touchscreen.token"
"""The file in the data directory with the token of the table's own touchscreen."""


def touchscreen_token(folder: Path) -> str:
    """The touchscreen's token, from its file; a new one if there is no file.

    A start that ends while it writes the file leaves no file, or the whole.
    Raises AccountsFileError for a file that cannot be used.
    """
    path = folder / TOUCHSCREEN_FILE
    try:
        if not path.exists():
            replace_file(path, f"{secrets.token_urlsafe(32)}\n".encode(), 0o600)
        token = path.read_text("ascii").strip()
    except (OSError, UnicodeError) as error:
        raise AccountsFileError(f"{path} cannot be read ({error}). Delete it.") from None
    if len(token) < 20:
        raise AccountsFileError(f"{path} has fewer than 20 characters. Delete it, or write more.")
    return token
