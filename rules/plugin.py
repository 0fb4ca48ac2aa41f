"""The interface of a game: how Wallwright sets it up, plays it, judges it and records it.

A package of a game has, in its `__init__`, one `GamePlugin` for each of its games: `PLUGIN`, or
`PLUGINS` for several. The packages in `rules/games/` are found by their folder. A package outside
the project names its plug-in as an entry point of the group `wallwright.games`:

    [project.entry-points."wallwright.games"]
    odd_bones = "odd_bones:PLUGIN"

`controller.proof.conformance` is the test suite that every plug-in has to pass; CONTRIBUTING.md
says how to run it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rules.errors import RulesError
from rules.setup import Game

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from rules.judging.judge_registry import Judging
    from rules.play import AnyRules

GROUP = "wallwright.games"
"""The group of the entry points."""


class PluginError(RulesError):
    """Raised for an incomplete or wrong plug-in; the message names the plug-in and the cause."""


@dataclass(frozen=True)
class GamePlugin:
    """One game: its set-up, and optionally its rules of play, its judge and its settings.

    `game` is the set-up, which every plug-in has. `rules` and `judging` are functions, so that the
    code of a game's play is imported only when the game is played or judged; `lazily_rules` and
    `lazily_judging` make such functions. Without `rules` the game can be dealt but not followed.
    Without `judging`, `wallwright judge` refuses the game.
    """

    game: Game
    rules: Callable[[], AnyRules] | None = None
    judging: Callable[[], Judging] | None = None
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
        from rules.judging.judge_registry import Judging  # noqa: PLC0415 - as in `require_rules`

        if not isinstance(judging, Judging):
            raise PluginError(
                f"The plug-in '{self.name}' returns {judging!r} as its `judging`, not a Judging;"
                " correct its `judging`."
            )
        return judging

    def require_complete(self) -> None:
        """Imports the rules of play and the judge, which a check of the set-up alone does not need.

        Raises PluginError for a part that cannot be imported, with the cause.
        """
        parts = (
            ("rules of play", self.rules, self.require_rules),
            ("judge", self.judging, self.require_judging),
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
        from rules.judging.judge_registry import Judging  # noqa: PLC0415 - as in `require_rules`

        imported: Any = import_module(module)
        made = getattr(imported, "recorded_case", None)
        questions = getattr(imported, "QUESTIONS", {})
        return Judging(imported.Case, imported.judge, made, questions)

    return judging
