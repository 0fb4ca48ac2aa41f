"""Names in the contents of a receipt that the service writes and readers use."""

from __future__ import annotations

RECEIPT = "receipt"
"""The kind of the event that holds the contents of a receipt."""


def nameplate_facts(nameplate: tuple[str, str, str]) -> dict[str, str]:
    """Maker, model and serial number by their keys."""
    return dict(zip(("maker", "model", "serial"), nameplate, strict=True))
