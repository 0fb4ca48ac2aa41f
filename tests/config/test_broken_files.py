from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from annotated_types import Le, Lt

from config.schema import Part, Unit
from tests.config.broken_files import BrokenFile, broken_files, check_messages

FILES = ("values", "wiring", "electrical", "currents", "mechanics", "games")


def each_broken_file(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("broken", broken_files(name), ids=lambda broken: broken.what)


@each_broken_file("values")
def test_a_wrong_value_is_reported_with_its_line_its_key_and_a_next_step(
    broken: BrokenFile, tmp_path: Path
) -> None:
    check_messages(broken, tmp_path)


@each_broken_file("wiring")
def test_wrong_wiring_is_reported_with_its_line(broken: BrokenFile, tmp_path: Path) -> None:
    check_messages(broken, tmp_path)


@each_broken_file("electrical")
def test_a_channel_that_contradicts_its_electrical_profile_is_reported(
    broken: BrokenFile, tmp_path: Path
) -> None:
    check_messages(broken, tmp_path)


@each_broken_file("currents")
def test_a_limit_of_current_that_cannot_hold_is_reported(
    broken: BrokenFile, tmp_path: Path
) -> None:
    check_messages(broken, tmp_path)


@each_broken_file("mechanics")
def test_modules_that_cannot_work_together_are_reported(broken: BrokenFile, tmp_path: Path) -> None:
    check_messages(broken, tmp_path)


@each_broken_file("games")
def test_a_game_with_impossible_parameters_is_reported(broken: BrokenFile, tmp_path: Path) -> None:
    check_messages(broken, tmp_path)


def _parts(of: type[Part] = Part) -> Iterator[type[Part]]:
    for part in of.__subclasses__():
        if part.__module__.startswith("config.schema"):
            yield part
        yield from _parts(part)


def test_every_quantity_with_a_unit_has_a_largest_value() -> None:
    """Without one, a value in another unit, such as a field of 900 m, is not a defect."""
    without = []
    for part in _parts():
        for name, field in part.model_fields.items():
            inner = (m for a in get_args(field.annotation) for m in getattr(a, "__metadata__", ()))
            found = [
                m for each in (*field.metadata, *inner) for m in getattr(each, "metadata", [each])
            ]
            if any(isinstance(m, Unit) for m in found) and not any(
                isinstance(m, (Le, Lt)) for m in found
            ):
                without.append(f"{part.__name__}.{name}")
    assert not without


def test_there_are_at_least_90_different_broken_files() -> None:
    every = [broken for name in FILES for broken in broken_files(name)]
    assert len({broken.what for broken in every}) == len(every) >= 90
