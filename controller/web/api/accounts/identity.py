"""Identities: users and their names, credentials, what the API derives from them, and refusals.

The names of two users can be told apart: no invisible characters, no mixed alphabets. The audit log
and the panel name the person who has done something. A name with a Cyrillic `a`, or with an
invisible character, would be another user who looks the same.
"""

from __future__ import annotations

import hmac
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal
from unicodedata import normalize

from controller.service.user_roles import UserRole
from rules.errors import WallwrightError

THIS_COMPUTER = "this computer"
"""The source of all clients on the table's own computer."""
CredentialKind = Literal["login", "token", "device", "touchscreen"]


@dataclass(frozen=True)
class User:
    """A person with a password. `created` is in seconds since 1970 (UTC)."""

    name: str
    role: UserRole
    created: float

    @property
    def key(self) -> str:
        """The name in the form by which two names are equal."""
        return self.name.casefold()


@dataclass(frozen=True)
class Credential:
    """A secret that was issued: a login's, a machine's, a device's or the touchscreen's.

    The secret itself is not kept. `name` is the user's name or the label of a machine or device;
    `role` is that of the issue, and for a login the user's present role counts instead. Times are
    in seconds since 1970 (UTC); `expires` None is a credential that is valid until it is revoked.
    """

    id: str
    kind: CredentialKind
    name: str
    role: UserRole
    created: float
    expires: float | None
    maker: str = ""
    """Key of the user by whose rights it was made; empty if an earlier version has made it."""
    ends: float | None = None
    """Seconds for which the service has run when it ends, if it ends by itself."""


@dataclass(frozen=True)
class Identity:
    """The user, device or machine that sends a request, as its credential shows."""

    name: str
    role: UserRole
    credential: str
    kind: CredentialKind
    csrf: str = ""
    """The token that a page sends with requests that change something; empty for machines."""
    maker: str = ""
    """Key of the user by whose rights the caller acts: the user's own, or that of the person who
    made the token or paired the device."""


def key_of(name: str) -> str:
    """The key of a name that a person has typed: some keyboards write a letter as two characters.

    The names of users have the simplest form, unless a version before 0.3 has accepted another.
    """
    return normalize("NFKC", name).casefold()


def digest(secret: str) -> str:
    """The SHA-256 of a random secret, by which it is found. Passwords are hashed with Argon2."""
    return sha256(secret.encode()).hexdigest()


def csrf_token(secret: str) -> str:
    """The CSRF token of a login, derived from its secret."""
    return hmac.new(secret.encode(), b"csrf", sha256).hexdigest()[:32]


class AccountRefusedError(WallwrightError):
    """An account request is refused; `code` names the reason for programs."""

    def __init__(self, code: str, sentence: str, next_step: str, wait: float = 0.0) -> None:
        super().__init__(f"{sentence} {next_step}")
        self.code = code
        self.sentence = sentence
        self.next_step = next_step
        self.wait = wait
        """Seconds until the request may be repeated, if it is refused for some time."""


def is_loopback(address: str) -> bool:
    """Whether a client's address is one of this computer."""
    return source_of(address) == THIS_COMPUTER


def source_of(address: str) -> str:
    """What counts as one client: this computer, an IPv4 address, or an IPv6 network of 64 bits.

    A client has all addresses of such a network. Any other text is a source of its own.
    """
    try:
        parsed: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    found = getattr(parsed, "ipv4_mapped", None) or parsed
    if found.is_loopback:
        return THIS_COMPUTER
    return str(found if found.version == 4 else ip_network((found, 64), strict=False))


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
"""Invisible letters and marks: Default_Ignorable_Code_Point of Unicode, by category L or M.
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
    """The defect of a user's name, as a sentence; None if the name is permitted."""
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
