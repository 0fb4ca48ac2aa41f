"""Reads the electrical profiles of the package, and fills a table's channels with their defaults.

A motor names its profile by `driver:`, a sensor by `element:`. A key that the channel gives itself
is kept; `config.validation.electrical` checks it against the profile's limits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path as FilePath
from typing import Any

from pydantic import TypeAdapter, ValidationError

from config.errors import Finding, instead, located
from config.schema.electrical import ElectricalProfile, MotorProfile, SensorProfile
from config.strict_yaml import Document, Value, parse

NAMED_BY = {"driver": "motor", "element": "sensor"}
"""For each key that names a profile, the kind of the channels that can have it."""


@cache
def electrical_profiles() -> Mapping[str, MotorProfile | SensorProfile]:
    """The profiles of the package by name, in alphabetical order. Raises ConfigErrors."""
    files = sorted(
        (file for file in (resources.files("config") / "electrical").iterdir()),
        key=lambda file: file.name,
    )
    found = {}
    for file in files:
        if file.name.endswith(".yaml"):
            profile = _profile(parse(file.read_text("utf-8"), file.name))
            if profile.name != FilePath(file.name).stem:
                wrong = f"is not the name of its file ('{profile.name}')"
                cure = f"Give '{FilePath(file.name).stem}'."
                raise located(file.name, {}, [Finding(("name",), wrong, cure)])
            found[profile.name] = profile
    return found


def profiles_of(kind: str) -> tuple[str, ...]:
    """The names of the profiles for a kind of channel, `motor` or `sensor`."""
    return tuple(name for name, profile in electrical_profiles().items() if profile.kind == kind)


def with_defaults(document: Document) -> Document:
    """Returns a table's document, its channels filled with their profiles' defaults.

    Raises ConfigErrors for a channel that names an unknown profile, because every further error of
    that channel would only follow from it.
    """
    wrong = [
        finding
        for path, channel in _channels(document.value)
        for finding in _unknown(path, channel)
    ]
    if wrong:
        raise located(document.file, document.lines, wrong)
    if not any(_named(channel) for _, channel in _channels(document.value)):
        return document
    value = json.loads(json.dumps(document.value))
    for _, channel in _channels(value):
        for profile in _named(channel):
            defaults = electrical_profiles()[profile].defaults.model_dump(exclude_none=True)
            own = dict(channel)
            channel.clear()
            channel.update({**defaults, **_implied(profile), **own})
    return Document(document.file, value, document.lines)


def _implied(profile: str) -> dict[str, Any]:
    found = electrical_profiles()[profile]
    return {"full_only": found.full_only} if isinstance(found, MotorProfile) else {}


def _named(channel: Mapping[str, Any]) -> list[str]:
    return [
        channel[key]
        for key, kind in NAMED_BY.items()
        if channel.get("kind") == kind and isinstance(channel.get(key), str)
    ]


def _unknown(path: tuple[str | int, ...], channel: Mapping[str, Any]) -> Iterator[Finding]:
    for key, kind in NAMED_BY.items():
        name = channel.get(key)
        if channel.get("kind") == kind and isinstance(name, str) and name not in profiles_of(kind):
            wrong = f"is not an electrical profile of a {kind} ('{name}')"
            yield Finding((*path, key), wrong, instead(name, profiles_of(kind)))


def _channels(value: Value) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Every mapping at `boards.*.channels.*` of a file that may be invalid elsewhere."""
    boards = value.get("boards") if isinstance(value, dict) else None
    for name, board in boards.items() if isinstance(boards, dict) else ():
        channels = board.get("channels") if isinstance(board, dict) else None
        for channel, config in channels.items() if isinstance(channels, dict) else ():
            if isinstance(config, dict):
                yield ("boards", name, "channels", channel), config


@cache
def _validator() -> TypeAdapter[MotorProfile | SensorProfile]:
    """The validator of profiles; it is built on first use, because that takes up to 30 ms."""
    return TypeAdapter(ElectricalProfile)


def _profile(document: Document) -> MotorProfile | SensorProfile:
    try:
        return _validator().validate_json(json.dumps(document.value))
    except ValidationError as error:
        found = [
            Finding(tuple(each["loc"]), each["msg"], "See config/schema/electrical.py.")
            for each in error.errors(include_url=False)
        ]
        raise located(document.file, document.lines, found) from None
