"""A faster `dataclasses.replace` for values that games create thousands of times."""

from __future__ import annotations

from typing import Any, TypeVar

Value = TypeVar("Value")


def changed(value: Value, **fields: Any) -> Value:
    """Returns a copy of the value with these fields changed.

    `changed` takes a fifth of the time of `dataclasses.replace`. It works for frozen dataclasses
    without slots. It checks nothing and does not call `__post_init__`. Cached values that are kept
    beside the fields are copied too, so they must be true for the copy.
    """
    following = object.__new__(type(value))
    object.__setattr__(following, "__dict__", value.__dict__ | fields)
    return following


def made(kind: type[Value], **fields: Any) -> Value:
    """Returns a value of this class; the caller gives every field.

    `made` takes half of the time of a call of the class. It works for frozen dataclasses without
    slots. It checks nothing, fills in no default and does not call `__post_init__`.
    """
    value = object.__new__(kind)
    object.__setattr__(value, "__dict__", fields)
    return value
