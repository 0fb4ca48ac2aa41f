"""Replaces characters that a terminal's encoding lacks, by an error handler for text streams."""

from __future__ import annotations

import codecs
import unicodedata

LOOKALIKES = "wallwright.lookalikes"
"""The handler's name, for the argument `errors` of `str.encode` and of text streams."""

_ALIKE = {
    "\N{FULL BLOCK}": "#",
    "\N{LOWER HALF BLOCK}": "=",
    "\N{MEDIUM SHADE}": "%",
    "\N{MIDDLE DOT}": ".",
    "\N{BULLET}": "*",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{RIGHTWARDS ARROW}": "->",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{MICRO SIGN}": "u",
    "\N{DEGREE SIGN}": " degrees",
    "\N{PLUS-MINUS SIGN}": "+-",
    "\N{BLACK CIRCLE}": "O",
    "\N{CIRCLE WITH LEFT HALF BLACK}": "o",
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
}
_BY_NAME = (
    ("BOX DRAWINGS LIGHT VERTICAL", "|"),
    ("BOX DRAWINGS HEAVY VERTICAL", "|"),
    ("HORIZONTAL", "-"),
    ("DASH", "-"),
    ("MINUS", "-"),
    ("BOX DRAWINGS", "+"),
)
"""Replacements for characters whose Unicode name contains these words; the first match applies."""


def _lookalike(error: UnicodeError) -> tuple[str, int]:
    """Return the replacement of the characters that cannot be encoded, and where to continue."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_plain(character) for character in missing), error.end


def _plain(character: str) -> str:
    """Return a similar ASCII character, a letter without its accent, or a question mark."""
    if character in _ALIKE:
        return _ALIKE[character]
    bare = unicodedata.normalize("NFKD", character)[0]
    if bare.isascii():
        return bare
    name = unicodedata.name(character, "")
    return next((plain for words, plain in _BY_NAME if words in name), "?")


codecs.register_error(LOOKALIKES, _lookalike)
