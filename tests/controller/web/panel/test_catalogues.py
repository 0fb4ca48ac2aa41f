"""Tests of the message catalogues: the same keys and placeholders in every language."""

from __future__ import annotations

import json
import re
from string import Formatter

import pytest

from controller.web.panel.pages import static_files

USED = re.compile(r"""\bt(?:Or)?\(\s*"([\w. -]+)\"""")
BUILT = re.compile(r"""\bt(?:Or)?\(\s*`([\w.-]*)\$\{|\bwords\("([\w.]+)"\)""")
CHOSEN = re.compile(r"""\?\s*"([a-z_]+(?:\.[\w.]+)+)"\s*:\s*"([a-z_]+(?:\.[\w.]+)+)\"""")


def catalogues() -> dict[str, dict[str, str]]:
    return {
        name.removeprefix("messages/").removesuffix(".json"): json.loads(file.read_text("utf-8"))
        for name, file in static_files()
        if name.startswith("messages/")
    }


def sources() -> str:
    """The text of every module of the panel that is not vendored."""
    return "\n".join(
        file.read_text("utf-8")
        for name, file in static_files()
        if name.endswith(".js") and not name.startswith("vendor/")
    )


def placeholders(message: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(message) if field is not None}


ENGLISH = catalogues()["en"]


@pytest.mark.parametrize("language", sorted(catalogues()))
def test_every_catalogue_has_the_keys_and_placeholders_of_the_english_one(language: str) -> None:
    other = catalogues()[language]
    assert sorted(other) == sorted(ENGLISH)
    for key, message in other.items():
        assert placeholders(message) == placeholders(ENGLISH[key]), key
        assert message.strip() == message
        assert message, key


def test_every_message_that_a_view_uses_is_in_the_catalogue() -> None:
    text = sources()
    used = set(USED.findall(text)) | {key for pair in CHOSEN.findall(text) for key in pair}
    assert used - ENGLISH.keys() == set()


def test_every_message_of_the_catalogue_is_used() -> None:
    text = sources()
    prefixes = tuple(prefix for pair in BUILT.findall(text) for prefix in pair if prefix)
    unused = [key for key in ENGLISH if f'"{key}"' not in text and not key.startswith(prefixes)]
    assert unused == []
