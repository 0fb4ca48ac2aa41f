"""A faster `dataclasses.replace` for values that games create thousands of times."""

from __future__ import annotations

from typing import Any, TypeVar

Value = TypeVar("Value")


def changed(value: Value, **fields: Any) -> Value:
    """Returns a copy of the value with these fields changed.

    It does what `dataclasses.replace` does in a fifth of the time, for frozen dataclasses without
    slots: nothing is checked, `__post_init__` is not called. Anything that the value keeps beside
    its fields is copied too, so it must hold for the copy.
    """
    following = object.__new__(type(value))
    object.__setattr__(following, "__dict__", value.__dict__ | fields)
    return following


def made(kind: type[Value], **fields: Any) -> Value:
    """Returns a value of this class; the caller gives every field.

    It does what the call of a frozen dataclass without slots does in half of the time: nothing is
    checked, no default is filled in, `__post_init__` is not called.
    """
    value = object.__new__(kind)
    object.__setattr__(value, "__dict__", fields)
    return value
