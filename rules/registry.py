"""Registry of game plug-ins: the project's own games, and those of installed packages.

Plug-ins are imported on first use. A game of the project is found by the name of its package.
Installed packages are searched only for a name that the project does not have, and for a list of
all names.

A plug-in that cannot be used does not affect the others. `broken` has one sentence for each such
plug-in, with its entry point and the cause.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Protocol

from rules.errors import RulesError
from rules.plugin import GROUP, GamePlugin, PluginError


class GameEntry(Protocol):
    """An entry point, as `importlib.metadata` finds it."""

    @property
    def name(self) -> str: ...

    @property
    def value(self) -> str: ...

    def load(self) -> object: ...


class Registry(Mapping[str, GamePlugin]):
    """Plug-ins by the game's name: first the project's by package, then the installed ones."""

    def __init__(self, package: str, folders: Sequence[str]) -> None:
        self._package = package
        self._folders = folders
        self._own: dict[str, GamePlugin] = {}
        self._added: dict[str, GamePlugin] = {}
        self._broken: dict[str, str] = {}
        self._own_are_known = False
        self._installed_are_known = False

    def __getitem__(self, name: str) -> GamePlugin:
        found = self._own_by_package(name) or self._own_ones().get(name)
        return found or self._others()[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._own_ones()
        yield from self._others()

    def __len__(self) -> int:
        return len(self._own_ones()) + len(self._others())

    @property
    def broken(self) -> tuple[str, ...]:
        """A sentence for each plug-in that cannot be used, in alphabetical order."""
        self._others()
        return tuple(sentence for _, sentence in sorted(self._broken.items()))

    def is_own(self, name: str) -> bool:
        """Whether the project itself has this game."""
        return name in self._own_ones()

    def add(self, entry: GameEntry) -> GamePlugin:
        """Adds the game of an entry point. Raises PluginError if it cannot be used."""
        plugin = self._loaded(entry)
        if self.is_own(plugin.name):
            raise PluginError(
                f"{_label(entry)}: the name '{plugin.name}' belongs to one of Wallwright's own"
                " games; give the game another name."
            )
        known = self._added.get(plugin.name)
        if known is not None and known is not plugin:
            raise PluginError(
                f"{_label(entry)}: another installed package has a game '{plugin.name}' too;"
                " uninstall one of the two."
            )
        self._added[plugin.name] = plugin
        return plugin

    # The project's own games

    def _own_by_package(self, name: str) -> GamePlugin | None:
        """The game whose package has the game's name; imports no other package."""
        if name not in self._own and name in self._packages():
            self._keep(self._plugins_in(name))
        return self._own.get(name)

    def _own_ones(self) -> dict[str, GamePlugin]:
        if not self._own_are_known:
            self._own_are_known = True
            in_order = [plugin for each in self._packages() for plugin in self._plugins_in(each)]
            self._own.clear()
            self._keep(in_order)
        return self._own

    def _keep(self, plugins: Iterable[GamePlugin]) -> None:
        for plugin in plugins:
            if plugin.name in self._own:
                raise PluginError(
                    f"Two packages of {self._package} have a game '{plugin.name}'; rename one."
                )
            self._own[plugin.name] = plugin

    def _packages(self) -> list[str]:
        found = pkgutil.iter_modules(self._folders)
        return sorted(module.name for module in found if module.name[0] != "_")

    def _plugins_in(self, package: str) -> tuple[GamePlugin, ...]:
        module = import_module(f"{self._package}.{package}")
        plugins = getattr(module, "PLUGINS", None) or (getattr(module, "PLUGIN", None),)
        for plugin in plugins:
            if not isinstance(plugin, GamePlugin):
                raise PluginError(
                    f"{module.__name__} has no PLUGIN; give it one, a GamePlugin"
                    " (CONTRIBUTING.md, Add a game)."
                )
        return tuple(plugins)

    # The games of other packages

    def _others(self) -> dict[str, GamePlugin]:
        if not self._installed_are_known:
            self._installed_are_known = True
            for entry in _entry_points():
                try:
                    self.add(entry)
                except PluginError as error:
                    self._broken[entry.name] = str(error)
        return self._added

    @staticmethod
    def _loaded(entry: GameEntry) -> GamePlugin:
        """The plug-in of an entry point. Any exception of its import becomes a PluginError."""
        try:
            plugin = entry.load()
        except Exception as error:
            why = " ".join(str(error).split()) or type(error).__name__
            raise PluginError(
                f"{_label(entry)}: '{entry.value}' cannot be imported ({why});"
                " repair or uninstall its package."
            ) from error
        if not isinstance(plugin, GamePlugin):
            raise PluginError(
                f"{_label(entry)}: '{entry.value}' is a {type(plugin).__name__}, not a GamePlugin;"
                " name the package's PLUGIN."
            )
        fault = _find_fault(plugin)
        if fault is not None:
            raise PluginError(f"{_label(entry)}: {fault}")
        if plugin.name != entry.name:
            raise PluginError(
                f"{_label(entry)}: its game is called '{plugin.name}'; give the entry point the"
                " same name."
            )
        return plugin


def _find_fault(plugin: GamePlugin) -> str | None:
    """The first fault of a plug-in from an installed package, or None."""
    if plugin.settings is None:
        return "its plug-in has no `settings`; name the YAML file with its tile and its parameters."
    if not plugin.settings.is_file():
        return (
            f"its settings file '{plugin.settings}' does not exist; include the YAML file in the"
            " package."
        )
    try:
        plugin.game.setup()
    except RulesError as error:
        return f"its set-up cannot begin: {error}"
    except Exception as error:  # noqa: BLE001 - code of another package can raise any exception
        return f"its set-up cannot begin ({type(error).__name__}: {error}); correct its script."
    return None


def _label(entry: GameEntry) -> str:
    return f"The entry point '{entry.name}' of {GROUP}"


def _entry_points() -> Iterable[GameEntry]:
    """The entry points of every installed package.

    `importlib.metadata` is imported here because its import is slow and rarely needed.
    """
    found: Iterable[GameEntry] = import_module("importlib.metadata").entry_points(group=GROUP)
    return sorted(found, key=lambda entry: (entry.name, entry.value))
