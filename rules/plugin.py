"""What a game provides so that Wallwright can set it up, play it, judge it and record it.

A package of a game has, in its `__init__`, one `GamePlugin` for each of its games: `PLUGIN`, or
`PLUGINS` for several. The packages in `rules/games/` are found there. A package outside the project
names its plug-in as an entry point of the group `wallwright.games`:

    [project.entry-points."wallwright.games"]
    odd_bones = "odd_bones:PLUGIN"

`controller.conformance` is the test suite that every plug-in has to pass; CONTRIBUTING.md says how
to run it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rules.errors import RulesError
from rules.judge_registry import Judging
from rules.play import AnyRules, Rules
from rules.setup import Game

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

GROUP = "wallwright.games"
"""The entry points' group."""


class PluginError(RulesError):
    """A plug-in that lacks something; the sentence says which plug-in, and what is missing."""


@dataclass(frozen=True)
class GamePlugin:
    """One game as Wallwright uses it.

    `game` is the set-up, which every plug-in has. `rules` and `judging` are functions, so that the
    code of a game's play is imported only when somebody plays it: `lazily_rules` and
    `lazily_judging` make such functions. Without `rules` the game can be dealt but not followed,
    without `judging` `wallwright judge` refuses it.
    """

    game: Game
    rules: Callable[[], AnyRules] | None = None
    judging: Callable[[], Judging] | None = None
    settings: Traversable | None = None
    """The YAML file with the game's tile, its pace of play and its parameters.

    None for the project's own games: theirs is `config/games/NAME.yaml`.
    """
    case: Traversable | None = None
    """The YAML file with an example of a case, if the game has a judge.

    None for the project's own games: theirs is `config/cases/NAME.yaml`.
    """

    @property
    def name(self) -> str:
        """The game's name on the command line."""
        return self.game.name

    def require_rules(self) -> AnyRules:
        """How the game is played. Raises PluginError if the plug-in does not have it."""
        if self.rules is None:
            raise PluginError(
                f"{self.game.title} has no rules of play, so it can be dealt but not followed;"
                " leave out --play."
            )
        rules = self.rules()
        if not isinstance(rules, Rules):
            raise PluginError(f"The plug-in '{self.name}' has {rules!r} as `rules`, not a Rules.")
        if rules.game != self.name:
            raise PluginError(f"The plug-in '{self.name}' has the rules of '{rules.game}'.")
        return rules

    def require_judging(self) -> Judging:
        """How the game is judged. Raises PluginError if the plug-in does not have it."""
        if self.judging is None:
            raise PluginError(f"{self.game.title} has no judge, so no case of it can be judged.")
        judging = self.judging()
        if not isinstance(judging, Judging):
            raise PluginError(
                f"The plug-in '{self.name}' has {judging!r} as `judging`, not a Judging."
            )
        return judging


def lazily_rules(module: str, name: str) -> Callable[[], AnyRules]:
    """A function that imports `module` and returns its value called `name`."""

    def rules() -> AnyRules:
        found: AnyRules = getattr(import_module(module), name)
        return found

    return rules


def lazily_judging(module: str) -> Callable[[], Judging]:
    """A function that imports `module` and returns its `Case` and `judge`."""

    def judging() -> Judging:
        imported: Any = import_module(module)
        return Judging(imported.Case, imported.judge)

    return judging
