"""Game plug-ins: the interface of a game, and the registry that finds every game by its name.

A package of a game has, in its `__init__`, one `GamePlugin` for each of its games: `PLUGIN`, or
`PLUGINS` for several. The packages in `rules/games/` are found by their folder. A package outside
the project names its plug-in as an entry point of the group `wallwright.games`:

    [project.entry-points."wallwright.games"]
    odd_bones = "odd_bones:PLUGIN"

`controller.proof.conformance` is the test suite that every plug-in has to pass; CONTRIBUTING.md
says how to run it.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from rules.errors import RulesError
from rules.setup import Game

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from rules.judging import Judging
    from rules.play import AnyRules
    from rules.results import GameResults


GROUP = "wallwright.games"
"""The group of the entry points."""


class PluginError(RulesError):
    """Raised for an incomplete or wrong plug-in; the message names the plug-in and the cause."""


@dataclass(frozen=True)
class GamePlugin:
    """One game: its set-up, and optionally its rules of play, its judge, its results, its settings.

    `game` is the set-up, which every plug-in has. `rules`, `judging` and `results` are functions,
    so that the code of a game's play is imported only when the game is played or judged;
    `lazily_rules`, `lazily_judging` and `lazily_results` make such functions. Without `rules` the
    game can be dealt but not followed. Without `judging`, `wallwright judge` refuses the game.
    Without `results`, people say who won and how many points each seat gets.
    """

    game: Game
    rules: Callable[[], AnyRules] | None = None
    judging: Callable[[], Judging] | None = None
    results: Callable[[], GameResults] | None = None
    settings: Traversable | None = None
    """The YAML file with the size of the game's tile, its pace of play and its parameters.

    It is None for the project's own games, which use `config/games/NAME.yaml`.
    """
    case: Traversable | None = None
    """The YAML file with an example of a case, if the game has a judge.

    It is None for the project's own games, which use `config/cases/NAME.yaml`.
    """

    @property
    def name(self) -> str:
        """The game's name on the command line."""
        return self.game.name

    def require_rules(self) -> AnyRules:
        """Returns the rules of play. Raises PluginError if the plug-in has none."""
        if self.rules is None:
            raise PluginError(
                f"{self.game.title} has no rules of play, so it can be dealt but not followed;"
                " leave out --play."
            )
        rules = self.rules()
        from rules.play import Rules  # noqa: PLC0415 - a set-up alone does not need it

        if not isinstance(rules, Rules):
            raise PluginError(
                f"The plug-in '{self.name}' returns {rules!r} as its `rules`, not a Rules; correct"
                " its `rules`."
            )
        if rules.game != self.name:
            raise PluginError(
                f"The plug-in '{self.name}' returns the rules of the game '{rules.game}'; return"
                " its own."
            )
        return rules

    def require_judging(self) -> Judging:
        """Returns the judge. Raises PluginError if the plug-in has none."""
        if self.judging is None:
            raise PluginError(f"{self.game.title} has no judge, so no case of it can be judged.")
        judging = self.judging()
        from rules.judging import Judging  # noqa: PLC0415 - as in `require_rules`

        if not isinstance(judging, Judging):
            raise PluginError(
                f"The plug-in '{self.name}' returns {judging!r} as its `judging`, not a Judging;"
                " correct its `judging`."
            )
        return judging

    def require_results(self) -> GameResults:
        """Returns the results of the game; `BY_POINTS` if it declares none. Raises PluginError."""
        from rules.results import BY_POINTS, GameResults  # noqa: PLC0415 - as in `require_rules`

        results = BY_POINTS if self.results is None else self.results()
        if not isinstance(results, GameResults):
            raise PluginError(
                f"The plug-in '{self.name}' returns {results!r} as its `results`, not GameResults;"
                " correct its `results`."
            )
        return results

    def require_complete(self) -> None:
        """Imports the rules of play, the judge and the results, without which a set-up can do.

        Raises PluginError for a part that cannot be imported, with the cause.
        """
        parts = (
            ("rules of play", self.rules, self.require_rules),
            ("judge", self.judging, self.require_judging),
            ("results", self.results, self.require_results),
        )
        for name, given, require in parts:
            try:
                if given is not None:
                    require()
            except PluginError:
                raise
            except Exception as error:
                why = " ".join(str(error).split()) or type(error).__name__
                raise PluginError(
                    f"The {name} of the game '{self.name}' cannot be imported ({why}); correct the"
                    " module that is named."
                ) from error


def lazily_rules(module: str, name: str) -> Callable[[], AnyRules]:
    """Returns a function that imports `module` and returns its value `name`."""

    def rules() -> AnyRules:
        found: AnyRules = getattr(import_module(module), name)
        return found

    return rules


def lazily_judging(module: str) -> Callable[[], Judging]:
    """Returns a function that imports `module` and returns its `Case` and `judge`.

    If the module has a function `recorded_case` or the mapping `QUESTIONS`, they are returned as
    well.
    """

    def judging() -> Judging:
        from rules.judging import Judging  # noqa: PLC0415 - as in `require_rules`

        imported: Any = import_module(module)
        made = getattr(imported, "recorded_case", None)
        questions = getattr(imported, "QUESTIONS", {})
        return Judging(imported.Case, imported.judge, made, questions)

    return judging


def lazily_results(module: str) -> Callable[[], GameResults]:
    """Returns a function that imports `module` and returns its `RESULTS`."""

    def results() -> GameResults:
        found: GameResults = import_module(module).RESULTS
        return found

    return results


class GameEntry(Protocol):
    """An entry point, as `importlib.metadata` finds it."""

    @property
    def name(self) -> str: ...

    @property
    def value(self) -> str: ...

    def load(self) -> object: ...


class Registry(Mapping[str, GamePlugin]):
    """Plug-ins by the game's name: first the project's by package, then the installed ones.

    Plug-ins are imported on first use. A game of the project is found by the name of its package.
    Installed packages are searched only for a name that the project does not have, and for a list
    of all names. A plug-in that cannot be used does not affect the others.
    """

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
        """A sentence for each plug-in that cannot be used, with its entry point and the cause."""
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
        # A package of several games can have the name of none of them, such as dominoes.
        if not self._own_are_known and name not in self._own and name in self._packages():
            plugins = self._plugins_in(name)
            self._keep(each for each in plugins if each.name not in self._own)
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
