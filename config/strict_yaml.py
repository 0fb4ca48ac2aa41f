"""Strict YAML parser that keeps the line of every value.

Plain scalars follow YAML 1.2 with restrictions: only `true` and `false` are booleans, only decimal
numbers are numbers, and `NO`, `on`, `010` and `12:30` are strings. Keys are always strings. A
duplicate key, a tag, and an alias that expands to too many values are errors.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

import yaml
from yaml.composer import Composer
from yaml.resolver import Resolver

from config.errors import ConfigError, ConfigErrors, Path, shown

if yaml.__with_libyaml__:
    from yaml.cyaml import CParser  # type: ignore[attr-defined] # missing in the stubs
else:  # PyYAML was built without libyaml: the same result, more slowly
    from yaml import SafeLoader as CParser  # type: ignore[assignment]

MOST_VALUES = 20_000
"""Maximum number of values in one file; each use of an alias counts its values again."""
DEEPEST = 32
"""Maximum levels of nesting."""

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?")
_DIFFERENT = re.compile(r"[?%]|[|>][-+0-9]*#")
"""Matches texts with explicit keys, directives, or a comment right after the head of a block: the
two parsers may read them differently."""
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass(frozen=True)
class Document:
    """A file's values, and the line of each of them."""

    file: str
    value: Value
    lines: dict[Path, int] = field(repr=False)


def parse(text: str, file: str) -> Document:
    """Parses the single document of a YAML text; `file` names it in errors.

    Raises ConfigErrors: with one error for a text that cannot be parsed, otherwise with one error
    for each duplicate key.
    """
    reading = _Reading(file)
    root = reading.compose(text)
    if root is None:
        raise reading.refusal(None, "is empty", "Write a table or a game into it, or remove it.")
    value = reading.value(root, ())
    if reading.errors:
        raise ConfigErrors(reading.errors)
    return Document(file, value, reading.lines)


class _StrictComposer(Composer):
    """Composes nodes without conversion of types; refuses tags and deep nesting."""

    depth = 0
    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}
    """None: plain scalars stay texts, and `_scalar` converts them."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[attr-defined] # a parser's
        if getattr(event, "tag", None) is not None:
            cure = "Leave it out: a value's form decides its type."
            raise _Refused(event.start_mark, "a value has a tag", cure)
        if self.depth > DEEPEST:
            wrong = f"values are nested more than {DEEPEST} levels deep"
            raise _Refused(event.start_mark, wrong, "Nest them less.")
        self.depth += 1
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Loader(_StrictComposer, yaml.SafeLoader):
    """A loader in Python, whose errors are reported."""


class _Unsure(Exception):
    """Raised for a text that libyaml may read differently from PyYAML's Python loader."""


class _FastLoader(_StrictComposer, CParser, Resolver):
    """A loader on libyaml, six times as fast, for texts that both parsers read alike.

    libyaml numbers the line of a missing value differently, so such a value raises `_Unsure`.
    """

    def __init__(self, text: str) -> None:
        if _DIFFERENT.search(text) or not text.replace("\n", "").isprintable():
            raise _Unsure
        CParser.__init__(self, text)
        Composer.__init__(self)
        Resolver.__init__(self)

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node: yaml.ScalarNode = super().compose_scalar_node(anchor)
        if node.value == "" and not node.style:
            raise _Unsure
        return node


class _Refused(yaml.MarkedYAMLError):
    """Raised for valid YAML that the strict dialect does not allow."""

    def __init__(self, mark: yaml.Mark, wrong: str, cure: str) -> None:
        super().__init__(problem=wrong, problem_mark=mark)
        self.cure = cure


def _composed(kind: type[_Loader | _FastLoader], text: str) -> yaml.Node | None:
    loader = kind(text)
    try:
        node: yaml.Node | None = loader.get_single_node()
    finally:
        loader.dispose()
    return node


class _Reading:
    """State of parsing one text: its lines and its defects so far."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Path, int] = {}
        self.errors: list[ConfigError] = []
        self._values = 0

    def compose(self, text: str) -> yaml.Node | None:
        # Errors come from the loader in Python, so that their sentences do not depend on libyaml.
        with suppress(_Unsure, yaml.YAMLError, ValueError, OverflowError):
            return _composed(_FastLoader, text)
        try:
            return _composed(_Loader, text)
        except yaml.MarkedYAMLError as error:
            raise self._syntax(error) from None
        except (yaml.YAMLError, ValueError, OverflowError):
            # PyYAML does not catch the errors of chr() and int() for impossible escapes.
            raise self.refusal(
                None,
                "contains characters that YAML does not allow",
                "Save it as plain UTF-8 text.",
            ) from None

    def value(self, node: yaml.Node, path: Path) -> Value:
        """Returns a node's value, and records its line and those of its children."""
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        self._values += 1
        if len(path) > DEEPEST or self._values > MOST_VALUES:
            raise self.refusal(
                line,
                f"expands to more than {MOST_VALUES} values or {DEEPEST} levels",
                "Write the values out instead of using aliases.",
            )
        match node:
            case yaml.MappingNode():
                return self._mapping(node, path)
            case yaml.SequenceNode():
                return [self.value(part, (*path, at)) for at, part in enumerate(node.value)]
            case yaml.ScalarNode():
                return self._scalar(node)
        raise AssertionError(f"YAML has no other node than {node}")

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Value]:
        mapping: dict[str, Value] = {}
        for key_node, part in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.refusal(line, "a key is a list or a mapping", "Use a word as the key.")
            key = self._text(key_node)
            here = (*path, key)
            if key in mapping:
                wrong = f"is given twice, here and on line {self.lines[here]} ({shown(key)})"
                cure = "Keep one of the two."
                self.errors.append(ConfigError(self.file, line, here, wrong, cure))
                continue
            self.lines[here] = line
            mapping[key] = self.value(part, here)
        return mapping

    def _scalar(self, node: yaml.ScalarNode) -> Value:
        text = self._text(node)
        if node.style:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        if _DECIMAL.fullmatch(text) and math.isfinite(number := float(text)):
            return number
        return text

    def _text(self, node: yaml.Node) -> str:
        text = str(node.value)
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise self.refusal(
                node.start_mark.line + 1,
                "an escape sequence is half of a surrogate pair",
                "Write the character in UTF-8.",
            )
        return text

    def _syntax(self, error: yaml.MarkedYAMLError) -> ConfigErrors:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        problem = error.problem or "it ends too early"
        if isinstance(error, _Refused):
            return self.refusal(line, problem, error.cure)
        if r"'\t'" in problem:
            wrong = "the line is indented with a tab, but YAML is indented with spaces"
            return self.refusal(line, wrong, "Replace the tab with spaces.")
        if problem == "but found another document":
            wrong = "a second document begins"
            return self.refusal(line, wrong, "Give each table and game a file of its own.")
        wrong = f"cannot be read as YAML ({problem})"
        return self.refusal(line, wrong, "Check for a missing colon, quote, bracket or indent.")

    def refusal(self, line: int | None, wrong: str, cure: str) -> ConfigErrors:
        return ConfigErrors([ConfigError(self.file, line, (), wrong, cure)])
