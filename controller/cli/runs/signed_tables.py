"""Refuses an unsigned program, and a table's own file that is not part of the manifest."""

from __future__ import annotations

from pathlib import Path

from controller.cli.errors import BadInputError
from controller.records.identity import boot


def require_signed(table: str) -> None:
    """Raises BadInputError if the program is signed and the file of the table is not.

    A table of the program has no file of its own.
    """
    from config.loader import table_names

    folder = boot.trust_folder()
    if folder is None or table in table_names():
        return
    from controller.records.identity.manifest import covers

    manifest = boot.protected_manifest(folder)
    if not covers(manifest.roots, boot.PROGRAM, Path(table)):
        raise BadInputError(
            f"The file {table} is not part of the signed manifest. Add it and sign again:"
            f" wallwright identity make --add table={table}."
        )


def require_signed_program() -> Path:
    """The folder with the signers of the program. Raises BadInputError if it is not signed."""
    folder = boot.trust_folder()
    if folder is None:
        raise BadInputError(
            f"This program is not signed: there is no {boot.SYSTEM}, so there is nothing to"
            " compare it with. Sign it first: docs/operate/SERVICE.md, 'A signed installation'."
        )
    return folder
