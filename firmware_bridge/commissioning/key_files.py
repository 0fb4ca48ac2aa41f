"""The usual files of a user's keys, by the XDG rules: in ~/.config/wallwright."""

from __future__ import annotations

import os
from pathlib import Path


def keys_file() -> Path:
    """The file with the keys of the boards: ~/.config/wallwright/keys."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if base.startswith("/") else Path.home() / ".config"
    return folder / "wallwright" / "keys"


def signing_key_file() -> Path:
    """The file of the signing key: ~/.config/wallwright/signing_key, mode 0600."""
    return keys_file().with_name("signing_key")


def signers_file() -> Path:
    """The file of the trusted signers: ~/.config/wallwright/signers.

    A line is a name and a public key in hexadecimal.
    """
    return keys_file().with_name("signers")
