"""Results of calculations as XML: the list of functions, and the answers of components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element, ParseError, SubElement, fromstring, indent, tostring

from controller.casino.gat.frames import GatError
from controller.casino.gat.functions import ANSWERS, COMPONENT, FILE

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
        raise GatError("The result declares XML entities, which no machine needs.")
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
