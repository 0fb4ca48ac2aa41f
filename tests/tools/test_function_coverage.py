"""Tests the record of called functions, and the order of the test files of a mutant."""

from __future__ import annotations

import builtins

from tools import mutants
from tools.function_coverage import CALLED, instrumented

SOURCE = '''"""A module."""

from __future__ import annotations

LIMIT = 3


class Counter:
    """A counter."""

    def count(self) -> int:
        """Return the count."""
        def inner() -> int:
            return 1

        return inner()


def unused() -> None:
    return None
'''


def test_each_function_records_that_it_was_called() -> None:
    names: dict[str, object] = {}
    called: set[str] = getattr(builtins, CALLED)
    before = set(called)
    exec(instrumented("room/counter.py", SOURCE), names)  # noqa: S102
    counter = names["Counter"]
    assert isinstance(counter, type)
    try:
        assert counter().count() == 1
        assert {name for name in called if name.startswith("room/counter.py:")} == {
            "room/counter.py:Counter.count",
            "room/counter.py:Counter.count.<locals>.inner",
        }
        assert counter.count.__doc__ == "Return the count."
    finally:
        called.clear()
        called |= before


def test_a_line_belongs_to_the_innermost_function_around_it() -> None:
    lines = SOURCE.splitlines()
    inner, outer = (
        lines.index("            return 1") + 1,
        lines.index("        return inner()") + 1,
    )
    assert mutants.function_at(SOURCE.encode(), inner) == "Counter.count.<locals>.inner"
    assert mutants.function_at(SOURCE.encode(), outer) == "Counter.count"
    assert mutants.function_at(SOURCE.encode(), lines.index("LIMIT = 3") + 1) == ""


def test_files_that_call_the_changed_function_run_first_their_own_folder_before_the_fastest() -> (
    None
):
    source = b"def raised():\n    return 1\n\n\ndef lowered():\n    return 2\n"
    coverage = mutants.Coverage(
        seconds={
            "tests/controller/run/faults/test_own.py": 9.0,
            "tests/rules/test_fast.py": 0.5,
            "tests/controller/test_slow.py": 20.0,
            "tests/controller/run/rounds/test_other.py": 1.0,
            "tests/rules/test_unrelated.py": 0.1,
        },
        functions={
            "tests/controller/run/faults/test_own.py": frozenset(
                {"controller/run/faults/a.py:raised"}
            ),
            "tests/rules/test_fast.py": frozenset({"controller/run/faults/a.py:raised"}),
            "tests/controller/test_slow.py": frozenset({"controller/run/faults/a.py:raised"}),
            "tests/controller/run/rounds/test_other.py": frozenset(
                {"controller/run/faults/a.py:lowered"}
            ),
            "tests/rules/test_unrelated.py": frozenset(),
        },
    )
    changed = mutants.Mutant("controller/run/faults/a.py", 2, 0, 0, "1", "2")
    assert coverage.tests_of(changed, source) == [
        [
            "tests/controller/run/faults/test_own.py",
            "tests/rules/test_fast.py",
            "tests/controller/test_slow.py",
        ],
        ["tests/controller/run/rounds/test_other.py"],
    ]
