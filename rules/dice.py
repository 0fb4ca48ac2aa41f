"""Parses dice throws. No random numbers are generated here: a throw is an input."""

from __future__ import annotations

import re

from rules.errors import NotationError

Dice = tuple[int, ...]
"""The faces that one throw showed, each 1 to 6, in the order they were read."""

_THROW = re.compile(r"[0-9]{1,9}(?:[,+][0-9]{1,9})*")


def parse_throw(text: str) -> Dice:
    """Parses a throw such as `3,5`, `3,3,3` or `4+3` (one die and "plus three", F6).

    Raises NotationError for any other text and for faces outside 1 to 6.
    """
    if not _THROW.fullmatch(text):
        raise NotationError(
            f"'{text}' is not a throw; write the dice as 3,5 (or 4+3 for \"plus 3\")."
        )
    faces = tuple(int(part) for part in re.split("[,+]", text))
    for face in faces:
        if not 1 <= face <= 6:
            raise NotationError(f"A die shows 1 to 6, not {face} (in '{text}'); throw again.")
    return faces
