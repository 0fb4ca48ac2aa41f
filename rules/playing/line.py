"""A play with undo: `push` plays an action, `pop` takes the last one back.

    >>> from random import Random
    >>> from rules import Line, new_hand
    >>> line = Line(new_hand("backgammon", Random(3)))
    >>> line.push(line.play.legal_actions[0])
    >>> len(line)
    1
    >>> action = line.pop()
    >>> line.play == line.first
    True

A `Line` is for search algorithms. `push` calls `play.apply` and keeps the previous value; `pop`
returns to that value in constant time. No rule needs separate code for undo.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from rules.play import IllegalActionError, Play

P = TypeVar("P", bound=Play[Any])


class Line(Generic[P]):
    """A sequence of plays and the actions between them, with `push` and `pop`."""

    __slots__ = ("_actions", "_plays")

    def __init__(self, play: P) -> None:
        self._plays = [play]
        self._actions: list[Any] = []

    @property
    def play(self) -> P:
        """The play after the last action."""
        return self._plays[-1]

    @property
    def first(self) -> P:
        """The play that the line began with."""
        return self._plays[0]

    @property
    def actions(self) -> tuple[Any, ...]:
        """The actions that led from the first play to the current one."""
        return tuple(self._actions)

    def push(self, action: Any) -> None:
        """Plays an action. Raises IllegalActionError, and changes nothing, if it is not legal."""
        self._plays.append(self._plays[-1].apply(action))
        self._actions.append(action)

    def pop(self) -> Any:
        """Takes the last action back and returns it. Raises IllegalActionError if there is none."""
        if not self._actions:
            raise IllegalActionError(
                "The line is at its first play; there is no action to take back."
            )
        self._plays.pop()
        return self._actions.pop()

    def __len__(self) -> int:
        """The number of actions played."""
        return len(self._actions)

    def __repr__(self) -> str:
        return f"<Line of {len(self)} actions: {', '.join(map(str, self._actions))}>"
