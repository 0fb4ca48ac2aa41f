"""Names of users that a person can tell apart: no invisible characters, no mixed alphabets.

The audit log and the panel name the person who has done something. A name with a Cyrillic `a`, or
with a character that nobody sees, would be another user who looks the same.
"""

from __future__ import annotations

import unicodedata

_MARKS = "-_.'@+"
"""Characters that are permitted besides letters, marks of letters and digits."""
_EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO"})
"""Scripts that are written together, and together with Latin letters, without looking like them."""
_LIKE = str.maketrans(
    {
        **dict.fromkeys("1|i\u0131\u0456\u04cf\u0269\u03b9", "l"),
        **dict.fromkeys("0\u043e\u03bf\u03c3\u0585", "o"),
        **dict.fromkeys("\u0430\u03b1", "a"),
        **dict.fromkeys("\u0435\u0454", "e"),
        **dict.fromkeys("\u0441\u03f2", "c"),
        **dict.fromkeys("\u0440\u03c1", "p"),
        **dict.fromkeys("\u0443\u03b3", "y"),
        **dict.fromkeys("\u0445\u03c7", "x"),
        **dict.fromkeys("\u03bd\u0475", "v"),
        "\u0455": "s",
        "\u0458": "j",
        "\u04bb": "h",
        "\u0501": "d",
        "\u051b": "q",
        "\u051d": "w",
        "\u043a": "k",
        "\u03ba": "k",
        "\u043c": "m",
        "\u0442": "t",
        "\u03c4": "t",
        "\u043d": "h",
        "\u0432": "b",
        "\u03b2": "b",
        "\u03b7": "n",
        "\u043f": "n",
        "5": "s",
    }
)
"""Letters that look alike, after upper case was folded."""


def defect_of_name(name: str) -> str | None:
    """What is wrong with a user's name; None if it is permitted."""
    if unicodedata.normalize("NFKC", name) != name:
        return "The name has characters that have another, simpler form."
    scripts = set()
    for character in name:
        category = unicodedata.category(character)
        if category[0] not in "LMN" and character not in _MARKS:
            shown = unicodedata.name(character, f"U+{ord(character):04X}").lower()
            return f"The name has the character '{shown}'; letters, digits and {_MARKS} are right."
        if category[0] == "L":
            scripts.add(unicodedata.name(character, "UNKNOWN").split()[0])
    mixed = scripts - _EAST_ASIAN
    if len(mixed) > 1 or (mixed - {"LATIN"} and scripts & _EAST_ASIAN):
        return f"The name mixes letters of the scripts {', '.join(sorted(scripts)).lower()}."
    return None


def skeleton(name: str) -> str:
    """A form that is equal for names that look alike."""
    return name.casefold().translate(_LIKE)
