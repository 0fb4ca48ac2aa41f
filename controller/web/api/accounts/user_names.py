"""Names of users that a person can tell apart: no invisible characters, no mixed alphabets.

The audit log and the panel name the person who has done something. A name with a Cyrillic `a`, or
with a character that nobody sees, would be another user who looks the same.
"""

from __future__ import annotations

import unicodedata

_MARKS = "-_.'@+"
"""Characters that are permitted besides letters, marks of letters and digits."""
_INVISIBLE = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0x16FE4, 0x16FE4),
    (0xE0100, 0xE01EF),
)
"""Letters and marks that nobody sees: Default_Ignorable_Code_Point of Unicode, by category L or M.
Those of other categories are no letters, marks or digits."""
MOST_MARKS = 3
"""Marks on one letter; no script that is written today needs more."""
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
_LIKE_CAPITALS = str.maketrans(
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425"
    "015",
    "ABEZHIKMNOPTYXABESIJKMHOPCTYXOIS",
)
"""Capital letters that look alike, although the small ones may not: Greek nu and N."""


def defect_of_name(name: str) -> str | None:
    """What is wrong with a user's name; None if it is permitted."""
    if unicodedata.normalize("NFKC", name) != name:
        return "The name has characters that have another, simpler form."
    scripts, marks = set(), 0
    for place, character in enumerate(name):
        category = unicodedata.category(character)
        if not (category[0] in "LM" or category == "Nd" or character in _MARKS) or any(
            first <= ord(character) <= last for first, last in _INVISIBLE
        ):
            shown = unicodedata.name(character, f"U+{ord(character):04X}").lower()
            return f"The name has the character '{shown}'; letters, digits and {_MARKS} are right."
        marks = marks + 1 if category[0] == "M" else 0
        if marks > (MOST_MARKS if place >= marks else 0):
            return f"The name has a mark without its letter, or more than {MOST_MARKS} on one."
        if category[0] == "L" or (category == "Nd" and not character.isascii()):
            words = unicodedata.name(character, "UNKNOWN").split()
            scripts.add(words[words[0] == "EXTENDED"].partition("-INDIC")[0])
    mixed = scripts - _EAST_ASIAN
    if len(mixed) > 1 or (mixed - {"LATIN"} and scripts & _EAST_ASIAN):
        return f"The name mixes letters of the scripts {', '.join(sorted(scripts)).lower()}."
    return None


def looks_like(name: str, other: str) -> bool:
    """Whether a person can take one name for the other: in small letters, or in capitals."""
    return skeleton(name) == skeleton(other) or _capitals(name) == _capitals(other)


def skeleton(name: str) -> str:
    """A form that is equal for names that look alike in small letters."""
    return name.casefold().translate(_LIKE).replace("rn", "m").replace("vv", "w")


def _capitals(name: str) -> str:
    return name.upper().translate(_LIKE_CAPITALS)
