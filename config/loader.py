"""Loads tables and games from strict YAML into frozen values, or raises every defect with its line.

    table = load_table("robotic")
    game = load_game("house/wenzhou.yaml")

A name without a suffix is a file of the package, or the settings of an installed game; anything
else is a path. The files of the package are read once and cached, since tables and games are frozen
values. Every function here raises ConfigErrors, and no other exception, for an invalid file.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path as FilePath
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from config.errors import ConfigError, ConfigErrors, Finding, instead, located, shown
from config.schema import GameConfig, Table
from config.strict_yaml import Document, parse
from config.validation.game_parameters import accepted, game_parameters
from config.validation.messages import findings
from rules.games import GAMES, PLUGINS

LARGEST = 256 * 1024
"""Maximum bytes of a file; the largest table of the package has a twentieth of it."""

Model = TypeVar("Model", bound=BaseModel)

__all__ = [
    "check_file",
    "game_names",
    "game_parameters",
    "load_game",
    "load_settings",
    "load_table",
    "packaged_text",
    "table_names",
    "table_of_text",
]


def table_names() -> tuple[str, ...]:
    """The names of the package's tables, in alphabetical order."""
    return _packaged("tables")


def game_names() -> tuple[str, ...]:
    """The names of the package's games, then of installed games, both in alphabetical order."""
    own = _packaged("games")
    return (*own, *sorted(name for name in PLUGINS if PLUGINS[name].settings and name not in own))


def load_table(name_or_path: str | FilePath) -> Table:
    """Loads and cross-checks a table by its name or its file. Raises ConfigErrors."""
    if name_or_path in table_names():
        return _packaged_table(str(name_or_path))
    return _table(_document(name_or_path, "tables"))


def table_of_text(text: str, name: str) -> Table:
    """Loads a table from a text; errors use `name` for its file. Raises ConfigErrors."""
    return _table(parse(text, name))


def packaged_text(name: str) -> str:
    """The text of a table of the package. Raises KeyError for a name that the package lacks."""
    if name not in table_names():
        raise KeyError(name)
    return (resources.files("config") / "tables" / f"{name}.yaml").read_text("utf-8")


def load_game(name_or_path: str | FilePath) -> GameConfig:
    """Loads a game by its name or its file and checks its parameters. Raises ConfigErrors."""
    if name_or_path in _packaged("games"):
        return _packaged_game(str(name_or_path))
    if isinstance(name_or_path, str) and _is_name(name_or_path):
        settings = PLUGINS[name_or_path].settings if name_or_path in PLUGINS else None
        if settings is not None:
            return _game(_read(settings, settings.name))
    return _game(_document(name_or_path, "games"))


def check_file(path: str | FilePath) -> Table | GameConfig:
    """Loads a file that holds a table or a game; its keys decide which. Raises ConfigErrors."""
    document = _read(FilePath(path), str(path))
    if not isinstance(document.value, dict):
        raise _not_a_mapping(document)
    if "boards" in document.value or "modules" in document.value:
        return _table(document)
    if "game" in document.value:
        return _game(document)
    raise _refusal(
        document.file,
        "is neither a table nor a game",
        "Give a table `boards:` and `modules:`, a game `game:`.",
    )


@cache
def _packaged_table(name: str) -> Table:
    return _table(_in_package(name, "tables"))


@cache
def _packaged_game(name: str) -> GameConfig:
    return _game(_in_package(name, "games"))


def _table(document: Document) -> Table:
    # Imported here, because the checks of tables would delay a command that reads only a game.
    from config.electrical_profiles import with_defaults  # noqa: PLC0415
    from config.validation.board_pins import with_pin_numbers  # noqa: PLC0415
    from config.validation.checks import check_table  # noqa: PLC0415

    document = with_pin_numbers(with_defaults(document))
    table = _validated(document, Table)
    if defects := check_table(table):
        raise located(document.file, document.lines, defects)
    return table


def _game(document: Document) -> GameConfig:
    config = _validated(document, GameConfig)
    if config.game not in GAMES:
        wrong = f"is not a known game ({shown(config.game)})"
        defect = Finding(("game",), wrong, instead(config.game, GAMES))
        raise located(document.file, document.lines, [defect])
    _, defects = accepted(config.game, config.parameters)
    if defects:
        raise located(document.file, document.lines, defects)
    return config


def load_settings(path: str | FilePath, model: type[Model]) -> Model:
    """Loads a file of another kind of settings by its model. Raises ConfigErrors."""
    return _validated(read(path), model)


def read(path: str | FilePath) -> Document:
    """Reads a strict YAML file that holds a mapping, with its lines. Raises ConfigErrors."""
    document = _read(FilePath(path), str(path))
    if not isinstance(document.value, dict):
        raise _not_a_mapping(document)
    return document


def _validated(document: Document, model: type[Model]) -> Model:
    if not isinstance(document.value, dict):
        raise _not_a_mapping(document)
    try:
        # Through JSON, because a strict model accepts JSON arrays as tuples.
        return model.model_validate_json(json.dumps(document.value))
    except ValidationError as error:
        raise located(document.file, document.lines, findings(error, model)) from None


def _document(name_or_path: str | FilePath, folder: str) -> Document:
    """Reads the file at a path. Raises ConfigErrors for a name that the package lacks."""
    if isinstance(name_or_path, str) and _is_name(name_or_path):
        wrong = f"is not the name of a {folder[:-1]}"
        known = table_names() if folder == "tables" else game_names()
        cure = f"{instead(name_or_path, known)} Name a file with its .yaml."
        raise _refusal(name_or_path, wrong, cure)
    return _read(FilePath(name_or_path), str(name_or_path))


def _is_name(given: str) -> bool:
    """Whether the text is a name and not a path; a path has a folder or a suffix."""
    return "." not in given and "/" not in given


def _in_package(name: str, folder: str) -> Document:
    file = f"{name}.yaml"
    return _read(resources.files("config") / folder / file, file)


@cache
def _packaged(folder: str) -> tuple[str, ...]:
    files = (resources.files("config") / folder).iterdir()
    return tuple(sorted(FilePath(file.name).stem for file in files if file.name.endswith(".yaml")))


def _read(file: Traversable, name: str) -> Document:
    """Reads the document in a file; error messages use `name` for the file."""
    try:
        if file.is_dir():
            raise _refusal(name, "is a directory", "Name a file in it.")
        if not file.is_file():
            raise _refusal(name, "the file does not exist", "Check the path.")
        with file.open("rb") as opened:
            content = opened.read(LARGEST + 1)
    except OSError as error:
        wrong = f"cannot be read ({error.strerror})"
        raise _refusal(name, wrong, "Check its path and permissions.") from None
    if len(content) > LARGEST:
        raise _refusal(name, f"has more than {LARGEST} bytes", "Name a table or a game.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        wrong = f"is not UTF-8 (byte {content[error.start]:#04x})"
        defect = ConfigError(name, line, (), wrong, "Save it as UTF-8 text.")
        raise ConfigErrors([defect]) from None
    return parse(text, name)


def _not_a_mapping(document: Document) -> ConfigErrors:
    wrong = f"is not a mapping of keys to values ({shown(document.value)})"
    return _refusal(document.file, wrong, "Begin with keys such as `name:` or `game:`.")


def _refusal(file: str, wrong: str, cure: str) -> ConfigErrors:
    return ConfigErrors([ConfigError(file, None, (), wrong, cure)])
