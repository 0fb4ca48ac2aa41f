"""Functions that a terminal requests of a calculation, and their results as XML.

A request is a level and a parameter, which names a function and a seed.

A function is a text with tabs between its parts, after a zero byte:

- `Get Special Functions`: the list of functions,
- `Get File`, `AuthenticationResponse.xml`, SEED: the answers of all components,
- `Component`, NAME, SEED: the answer of one component.

At level 1 the whole parameter is the seed, and the answers of all components are meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError, SubElement, fromstring, indent, tostring

from controller.casino.gat.frames import SPECIAL_FUNCTIONS, GatError

LEVEL_ONE = 1
LIST, FILE, COMPONENT = "Get Special Functions", "Get File", "Component"
ANSWERS = "AuthenticationResponse.xml"
"""The only file that a terminal can read."""
SEED_BYTES = range(16, 65)
"""Allowed sizes of a seed, bytes. A terminal draws it anew; 20 bytes are usual."""


class WrongLevelError(GatError):
    """A level of calculation that is not offered."""


@dataclass(frozen=True)
class GatRequest:
    """A requested calculation; `component` is None for all of them. Without a seed: the list."""

    level: int
    seed: bytes | None = None
    component: str | None = None

    def to_bytes(self) -> bytes:
        """The data of the request's frame."""
        if self.level == LEVEL_ONE:
            return bytes((self.level,)) + (self.seed or b"").hex().encode()
        if self.seed is None:
            parts = [LIST]
        elif self.component is None:
            parts = [FILE, ANSWERS, self.seed.hex().upper()]
        else:
            parts = [COMPONENT, self.component, self.seed.hex().upper()]
        return bytes((self.level, 0)) + "\t".join(parts).encode("latin-1", "replace")


def requested(data: bytes, components: Collection[str]) -> GatRequest:
    """Read the data of a request's frame. Raises GatError, and WrongLevelError for its level."""
    level, parameter = data[0], data[1:]
    if level == LEVEL_ONE:
        return GatRequest(level, _seed(parameter.decode("latin-1")))
    if level != SPECIAL_FUNCTIONS:
        raise WrongLevelError(f"The level {level} is not offered; give 1 or {SPECIAL_FUNCTIONS}.")
    if not parameter.startswith(b"\0"):
        raise GatError("The parameter of a special function begins with a zero byte.")
    match parameter[1:].decode("latin-1").split("\t"):
        case [name] if name == LIST:
            return GatRequest(level)
        case [name, file, seed] if (name, file) == (FILE, ANSWERS):
            return GatRequest(level, _seed(seed))
        case [name, component, seed] if name == COMPONENT and component in components:
            return GatRequest(level, _seed(seed), component)
    raise GatError(f"The function is not offered; `{LIST}` lists those that are.")


def _seed(text: str) -> bytes:
    """The seed in a text of hexadecimal digits, also after `0x`. Raises GatError."""
    digits = text[2:] if text[:2] in {"0x", "0X"} else text
    if not digits.isalnum() or len(digits) % 2:
        digits = ""
    try:
        seed = bytes.fromhex(digits)
    except ValueError:
        seed = b""
    if len(seed) not in SEED_BYTES:
        raise GatError(
            f"A seed has {SEED_BYTES.start} to {SEED_BYTES.stop - 1} bytes in hexadecimal: without"
            " one, an answer could have been stored before."
        )
    return seed


PRODUCT = "Wallwright"
SEED_MARK = "%%SHA1_HMAC%%"
"""Where a terminal puts its seed. Terminals draw 20 bytes for this mark; the name is theirs."""
_HEAD = b'<?xml version="1.0"?>\r\n'
"""Some terminals refuse a head that names an encoding."""


def list_of_functions(components: Iterable[str]) -> bytes:
    """The functions that a terminal can request."""
    top = Element("SpecialFunctions", GatExec="default")
    _put(top, "Name", PRODUCT)
    _put(top, "Manufacturer", PRODUCT)
    for feature, name in ((FILE, ANSWERS), *((COMPONENT, name) for name in components)):
        function = SubElement(top, "Function")
        _put(function, "Feature", feature)
        _put(function, "Parameter", name)
        _put(function, "Parameter", SEED_MARK)
    return _text(top)


def list_of_answers(answers: Mapping[str, str]) -> bytes:
    """The answer of each component, hexadecimal."""
    top = Element("Components", GatExec="default")
    game = SubElement(top, "Game")
    _put(game, "Name", PRODUCT)
    _put(game, "Manufacturer", PRODUCT)
    for name, answer in answers.items():
        component = SubElement(game, "Component")
        _put(component, "Name", name)
        _put(component, "Checksum", answer.upper())
    return _text(top)


def answers_in(text: bytes) -> dict[str, str]:
    """The answers in a result, by component. Raises GatError if it is not such a result."""
    top = _parsed(text, "Components")
    found = {
        component.findtext("Name", ""): component.findtext("Checksum", "").lower()
        for component in top.iter("Component")
    }
    if not found:
        raise GatError("The result has no component.")
    return found


def functions_in(text: bytes) -> list[list[str]]:
    """The functions in a result: feature and parameters. Raises GatError."""
    return [
        [
            function.findtext("Feature", ""),
            *(each.text or "" for each in function.iter("Parameter")),
        ]
        for function in _parsed(text, "SpecialFunctions").iter("Function")
    ]


def _parsed(text: bytes, name: str) -> Element:
    if b"<!" in text:
        raise GatError("The result declares XML entities; this protocol does not use them.")
    try:
        top = fromstring(text)  # noqa: S314 - without a declaration there is no entity
    except ParseError as error:
        raise GatError(f"The result is not XML ({error}).") from error
    if top.tag != name:
        raise GatError(f"The result is <{top.tag}>; <{name}> is expected.")
    return top


def _put(above: Element, name: str, text: str) -> None:
    SubElement(above, name).text = text


def _text(top: Element) -> bytes:
    indent(top)
    return _HEAD + tostring(top)
