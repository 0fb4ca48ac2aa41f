"""Records which functions of the project each test file executes.

`instrumented` adds one statement to each function of a source file, which notes that the function
was called. This module is also the pytest plugin that collects these notes: load it with
`-p tools.function_coverage` and name a folder in the environment variable `FUNCTION_COVERAGE`. Each
process writes one JSON file there: for each test file its duration in seconds and the functions
that its tests called, each as `path:qualified name`. Calls in other processes are not recorded.
`sys.settrace` would need no change of the sources, but slows Python 3.11 down by a factor of eight.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

FOLDER = "FUNCTION_COVERAGE"
CALLED = "functions_called"
"""The name of the set of called functions, among the built-in names of a process."""
_called: set[str] = builtins.__dict__.setdefault(CALLED, set())
_functions: dict[str, set[str]] = defaultdict(set)
_seconds: dict[str, float] = defaultdict(float)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions_of(node: ast.AST, path: str = "") -> Iterator[tuple[str, Function]]:
    """Yield each function below a node of a syntax tree, with its qualified name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield f"{path}{child.name}", child
            yield from functions_of(child, f"{path}{child.name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from functions_of(child, f"{path}{child.name}.")
        else:
            yield from functions_of(child, path)


def instrumented(file: str, source: str) -> str:
    """Return the source of a file with one more statement per function, which notes the call."""
    tree = ast.parse(source)
    for name, function in functions_of(tree):
        after = int(ast.get_docstring(function, clean=False) is not None)
        note = ast.parse(f"{CALLED}.add({f'{file}:{name}'!r})").body
        function.body[after:after] = note
    after = 1 + max(
        (
            number
            for number, node in enumerate(tree.body)
            if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        ),
        default=int(ast.get_docstring(tree) is not None) - 1,
    )
    header = f"import builtins\n{CALLED} = builtins.__dict__.setdefault({CALLED!r}, set())\n"
    tree.body[after:after] = ast.parse(header).body
    return ast.unparse(ast.fix_missing_locations(tree))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Record what a test calls, its fixtures included."""
    began = time.perf_counter()
    result = yield from _recorded(item.location[0])
    _seconds[item.location[0]] += time.perf_counter() - began
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, object, object]:
    """Record what a test file calls while it is imported."""
    return (yield from _recorded(collector.nodeid.partition("::")[0]))


def _recorded(file: str) -> Generator[None, object, object]:
    _called.clear()
    result = yield
    _functions[file] |= _called
    return result


def pytest_sessionfinish() -> None:
    """Write the functions that each test file has called in this process to a JSON file."""
    report = {
        file: {"seconds": _seconds[file], "functions": sorted(called)}
        for file, called in _functions.items()
    }
    path = Path(os.environ[FOLDER]) / f"{os.getpid()}.json"
    path.write_text(json.dumps(report), encoding="utf-8")
