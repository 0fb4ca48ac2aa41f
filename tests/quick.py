"""Reduces the tests of `make test-quick`: fewer random cases, and fewer parameters of a test."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import settings


def tries(full: int, *, quick: int) -> int:
    """Return `full`, or `quick` under hypothesis's profile `quick`: the number of random cases."""
    return quick if settings.get_current_profile_name() == "quick" else full


def slow_except(quick: Collection[Any], cases: Iterable[Any]) -> list[Any]:
    """Return the parameters `cases` of a test; all that are not in `quick` are marked `slow`."""
    every = list(cases)
    missing = [case for case in quick if case not in every]
    assert not missing, f"`quick` may contain values of `cases` only; got {missing}."
    return [
        case
        if case in quick
        else pytest.param(*(case if isinstance(case, tuple) else [case]), marks=pytest.mark.slow)
        for case in every
    ]
