"""Play with undo: `push` plays an action, `pop` takes the last one back.

    >>> from random import Random
    >>> from rules import Line, new_hand
    >>> line = Line(new_hand("backgammon", Random(3)))
    >>> line.push(line.play.legal_actions[0])
    >>> len(line)
    1
    >>> action = line.pop()
    >>> line.play == line.first
    True

For search algorithms. `push` calls `play.apply` and keeps the previous value; `pop` returns to that
value in constant time. So every rule has one implementation, and no separate undo code can be
wrong.
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
        """The present play."""
        return self._plays[-1]

    @property
    def first(self) -> P:
        """The play that the line began with."""
        return self._plays[0]

    @property
    def actions(self) -> tuple[Any, ...]:
        """What led from the first play to the present one."""
        return tuple(self._actions)

    def push(self, action: Any) -> None:
        """Play an action. Raises IllegalActionError for one that is not legal; the line stays."""
        self._plays.append(self._plays[-1].apply(action))
        self._actions.append(action)

    def pop(self) -> Any:
        """Take the last action back and return it. Raises IllegalActionError if there is none."""
        if not self._actions:
            raise IllegalActionError(
                "The line is at its first play; there is no action to take back."
            )
        self._plays.pop()
        return self._actions.pop()

    def __len__(self) -> int:
        """How many actions were played."""
        return len(self._actions)

    def __repr__(self) -> str:
        return f"<Line of {len(self)} actions: {', '.join(map(str, self._actions))}>"
