"""A faster `dataclasses.replace` for values that games create thousands of times."""

from __future__ import annotations

from typing import Any, TypeVar

Value = TypeVar("Value")


def changed(value: Value, **fields: Any) -> Value:
    """Returns a copy of the value with these fields changed.

    It does what `dataclasses.replace` does in a fifth of the time, for frozen dataclasses without
    slots that keep nothing but their fields: nothing is checked, `__post_init__` is not called.
    """
    following = object.__new__(type(value))
    following.__dict__.update(value.__dict__)
    following.__dict__.update(fields)
    return following
