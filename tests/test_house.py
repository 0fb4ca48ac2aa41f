"""Tests the project's structure: layers, clocks, threads, docstrings, names, the command."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module, metadata, resources
from pathlib import Path

import pytest

from controller.events import EventName
from rules.errors import WallwrightError
from tests.longest import LONGEST

HOUSE = Path(__file__).parent.parent
ROOMS = ("rules", "config", "firmware_bridge", "controller")
FILES = [file for room in ROOMS for file in sorted((HOUSE / room).rglob("*.py"))]
NAMES = [str(file.relative_to(HOUSE)) for file in FILES]

THREADS = {"_thread", "concurrent", "multiprocessing", "threading"}
THREAD_CALLS = {"run_in_executor", "to_thread"}
CLOCKS = {"monotonic", "monotonic_ns", "sleep", "time", "time_ns"}
WITH_THREADS = {
    "controller/web/api/server/serving.py",
    "controller/web/api/worker_thread.py",
    "controller/cli/terminal/live_view.py",
    "controller/cli/terminal/serial_console.py",
    "controller/floor/mqtt.py",
    "controller/floor/table/publisher.py",
    "controller/run/journal/writer_threads.py",
    "controller/service/evening/store_thread.py",
    "firmware_bridge/boards/gpio_board.py",
}
"""The only files that use threads: gpiozero calls back in threads of its own, the API runs in one
(docs/decisions/0051) and computes hashes and judgements in others (docs/decisions/0028), a table of
a floor publishes in one, the socket to a broker is connected in one (docs/decisions/0042), and the
journal of a real table is synced in threads (docs/decisions/0015). The live view of a terminal is
drawn by one at intervals. Simulations in virtual time use none of the others."""
ONE_FILE = {
    "fsync": "config/durable_files.py",
    "fdatasync": "config/durable_files.py",
    "flock": "config/file_locks.py",
}
"""The only file that calls each of these (docs/decisions/0072)."""
STARTS_PROCESSES = {
    "controller/proof/campaign.py",
}
"""The only files that start processes: campaigns compute several seeds in parallel."""

OUTSIDE = re.compile(
    r"pypi[.]org|pythonhosted[.]org|npmjs[.](?:org|com)|deb[.]debian[.]org"
    r"|--(?:extra-)?index[-]url|--find[-]links"
    r"|(?<![\w./])/(?:(?:home|root|work)/|opt/(?!wallwright\b))"
)
"""A registry's address, an option that names one, or a path on a developer's computer.

The Debian package installs the program into /opt/wallwright.
"""


def test_imports_go_one_way_from_rules_to_controller() -> None:
    lint = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as go; go()",
            "--no-cache",
            "--no-logo",
        ],
        cwd=HOUSE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert lint.returncode == 0, lint.stdout + lint.stderr


@cache
def tree_of(file: Path) -> ast.Module:
    """Return the syntax tree of a source file, which is parsed once."""
    return ast.parse(file.read_text("utf-8"))


@cache
def uses_in(file: Path) -> tuple[ast.Import | ast.ImportFrom | ast.Attribute, ...]:
    """Return the imports and the attributes of a source file, which is searched once."""
    kinds = ast.Import | ast.ImportFrom | ast.Attribute
    return tuple(node for node in ast.walk(tree_of(file)) if isinstance(node, kinds))


def test_time_comes_from_the_event_loop_only() -> None:
    clocks = {
        name: used
        for file, name in zip(FILES, NAMES, strict=True)
        if (used := CLOCKS & set(_names_of(file, "time")))
    }
    assert not clocks, f"These files read a clock or sleep: {clocks}."


def test_durable_writes_and_locks_are_in_one_file_each() -> None:
    calling: dict[str, set[str]] = {}
    for file, name in zip(FILES, NAMES, strict=True):
        for call in ONE_FILE.keys() & {*_names_of(file, "os"), *_names_of(file, "fcntl")}:
            calling.setdefault(call, set()).add(name)
    assert calling == {call: {name} for call, name in ONE_FILE.items()}


def test_no_thread_is_started() -> None:
    started = {}
    for file, name in zip(FILES, NAMES, strict=True):
        called = {node.attr for node in uses_in(file) if isinstance(node, ast.Attribute)}
        if name not in WITH_THREADS | STARTS_PROCESSES and (
            found := THREADS & _imported(file) | THREAD_CALLS & called
        ):
            started[name] = found
    assert not started, f"These files start threads or processes: {started}."


def test_nothing_depends_on_the_moment_at_which_an_object_is_freed() -> None:
    """A subscription once ended with its last reference: a profiler's thread held it for longer."""
    late = {
        name
        for file, name in zip(FILES, NAMES, strict=True)
        if "weakref" in _imported(file) or "def __del__(" in file.read_text("utf-8")
    }
    assert not late


def test_no_two_modules_import_each_other_types_included() -> None:
    modules = {_module_of(file): file for file in FILES}
    imports = {name: _imports_of(file, set(modules)) - {name} for name, file in modules.items()}
    TopologicalSorter(imports).prepare()  # raises CycleError with the modules of a circle


@pytest.mark.parametrize("page", ["controller/web/panel/static", "controller/floor/page/static"])
def test_no_two_modules_of_a_page_import_each_other(page: str) -> None:
    """Modules that are imported later, when they are needed, are included."""
    files = [file for file in _tracked() if file.suffix == ".js" and HOUSE / page in file.parents]
    assert files
    TopologicalSorter(
        {
            file: {
                (file.parent / name).resolve()
                for name in re.findall(
                    r"""(?:from|import)\s*\(?\s*"([.][^"]+)\"""", file.read_text()
                )
            }
            for file in files
            if "vendor" not in file.parts
        }
    ).prepare()


def test_every_error_derives_from_one_class_and_has_a_name_that_ends_in_error() -> None:
    exempt = {"TableFault", "Deadlock", "ConfigErrors"}
    wrong = []
    for name in map(_module_of, FILES):
        if ".conformance" in name or name.endswith("__main__"):
            continue
        for kind in vars(import_module(name)).values():
            if not (isinstance(kind, type) and issubclass(kind, Exception)):
                continue
            if kind.__module__ != name or kind.__name__.startswith("_"):
                continue
            named = kind.__name__.endswith("Error") or kind.__name__ in exempt
            if not (issubclass(kind, WallwrightError) and named):
                wrong.append(f"{name}.{kind.__name__}")
    assert not wrong


def test_every_public_name_in_the_rules_has_a_docstring() -> None:
    undocumented = [
        f"{file.relative_to(HOUSE)}: {node.name}"
        for file in FILES
        if file.is_relative_to(HOUSE / "rules")
        for node in tree_of(file).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        if not node.name.startswith("_") and ast.get_docstring(node) is None
    ]
    assert not undocumented


def test_no_file_contains_a_registry_address_or_a_path_of_a_developers_computer() -> None:
    named = [
        f"{file.relative_to(HOUSE)}:{number}: {line.strip()}"
        for file in _tracked()
        for number, line in enumerate(_lines(file), 1)
        if OUTSIDE.search(line)
    ]
    assert not named


def test_every_locked_package_has_its_hashes() -> None:
    for lock in sorted(HOUSE.glob("requirements*.txt")):
        entries = re.sub(r"\\\n", " ", lock.read_text()).splitlines()
        packages = [entry for entry in entries if entry and not entry.startswith("#")]
        assert packages
        for package in packages:
            assert re.match(r"[\w.-]+==[\w.]+ ", package), f"{lock.name}: {package}"
            assert "--hash=sha256:" in package, f"{lock.name}: {package}"


def test_tables_and_games_are_part_of_the_package() -> None:
    for shelf in ("tables", "games"):
        assert any(
            entry.name.endswith(".yaml") for entry in (resources.files("config") / shelf).iterdir()
        )


def test_the_command_wallwright_starts_the_command_line() -> None:
    (command,) = metadata.entry_points(group="console_scripts", name="wallwright")
    assert callable(command.load())


def test_the_command_wallwright_prints_its_version() -> None:
    ended = subprocess.run(
        [Path(sys.executable).with_name("wallwright"), "version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert metadata.version("wallwright") in ended.stdout


def test_every_file_that_starts_first_exists() -> None:
    assert [name for name in LONGEST if not (HOUSE / name).is_file()] == []
    assert len(set(LONGEST)) == len(LONGEST)


def _imported(file: Path) -> set[str]:
    """Return the top-level names of all modules that a file imports."""
    names: set[str] = set()
    for node in uses_in(file):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add((node.module or "").partition(".")[0])
    return names


def _names_of(file: Path, module: str) -> Iterator[str]:
    """Return the names that a file uses of a module: `from time import sleep`, or `time.sleep`."""
    aliases = {
        alias.asname or alias.name
        for node in uses_in(file)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == module
    }
    for node in uses_in(file):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            yield from (alias.name for alias in node.names)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in aliases
        ):
            yield node.attr


def _tracked() -> list[Path]:
    """Return every file of the project: those that git lists, or all files if git is missing."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=HOUSE,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        return [HOUSE / name for name in listed.stdout.split("\0") if (HOUSE / name).is_file()]
    return [file for file in HOUSE.rglob("*") if file.is_file() and ".venv" not in file.parts]


def _lines(file: Path) -> list[str]:
    """Return the lines of a text file, and no line for a binary file."""
    try:
        return file.read_text().splitlines()
    except UnicodeDecodeError:
        return []


def _module_of(file: Path) -> str:
    parts = file.relative_to(HOUSE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports_of(file: Path, modules: set[str]) -> set[str]:
    """Return the modules that a file imports, also for types and inside functions."""
    found = set()
    for node in uses_in(file):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in modules else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & modules


WIRE = {"firmware_bridge/wire/codes.py", "firmware_bridge/wire/messages.py"}
"""Their class names are those of the protocol; other modules use messages as `wire.Move`."""


def test_every_public_class_has_a_name_of_its_own() -> None:
    """Games use the same class names on purpose; every other class name occurs once."""
    places: dict[str, set[str]] = {}
    for file, name in zip(FILES, NAMES, strict=True):
        for node in tree_of(file).body:
            if (
                isinstance(node, ast.ClassDef)
                and not node.name.startswith("_")
                and name not in WIRE
            ):
                game = name.startswith("rules/games/")
                places.setdefault(node.name, set()).add("rules/games" if game else name)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


EVENTS = HOUSE / "controller" / "events"
EMITTING = {"emit", "_event", "events_named"}
"""Functions whose first argument is the name of an event."""


def test_names_of_events_are_texts_in_the_table_of_events_only() -> None:
    literals = [
        f"{name}:{node.lineno}: {node.value}"
        for file, name in zip(FILES, NAMES, strict=True)
        if file.is_relative_to(HOUSE / "controller") and not file.is_relative_to(EVENTS)
        for node in _names_of_events(tree_of(file))
    ]
    assert not literals, f"Use a member of controller.events.EventName: {literals}."


def _names_of_events(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the texts in a file that name an event where it is emitted, compared or matched."""
    names = {name.value for name in EventName}
    for node in ast.walk(tree):
        for part in _event_parts(node):
            for text in ast.walk(part):
                if isinstance(text, ast.Constant) and text.value in names:
                    yield text


def _event_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of an expression or a pattern that have the name of an event."""
    match node:
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)):
            yield from node.args[:1] if called in EMITTING else ()
            yield from (word.value for word in node.keywords if word.arg == "emit")
        case ast.Compare():
            sides = [node.left, *node.comparators]
            yield from sides if any(map(_reads_an_event, sides)) else ()
        case ast.MatchMapping(keys=keys, patterns=patterns):
            pairs = zip(keys, patterns, strict=True)
            yield from (pattern for key, pattern in pairs if _is_event_key(key))
        case ast.Dict(keys=keys, values=values):
            given = zip(keys, values, strict=True)
            yield from (value for key, value in given if _is_event_key(key))
        case ast.Set(elts=elements) | ast.Tuple(elts=elements) | ast.List(elts=elements):
            # Texts with an underscore have no other meaning than that of an event.
            yield from (
                each
                for each in elements
                if isinstance(each, ast.Constant) and "_" in str(each.value)
            )


def _reads_an_event(node: ast.expr) -> bool:
    """Whether an expression is `event["event"]`, `event.get("event")` or `event.what`."""
    match node:
        case ast.Subscript(slice=key) | ast.Call(func=ast.Attribute(attr="get"), args=[key, *_]):
            return _is_event_key(key)
        case ast.Attribute(attr="what"):
            return True
    return False


def _is_event_key(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == "event"
