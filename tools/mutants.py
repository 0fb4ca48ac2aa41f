"""Mutation test: `make mutants`, or `python -m tools.mutants [--count N] [--seed N] [--whole]`.

A mutant is the program with one random change of one expression or statement. The tool first runs
all quick tests once and records which functions each test file executes. For each mutant it runs,
in a temporary copy of the project, the test files that execute the changed function: first those
of the same folder, then the fastest. A mutant survives if every test passes. It is killed if a test
fails twice with the change and passes without it. If a test fails without the change too, the exit
code is 2, because such a test shows nothing about the mutant. The exit code is 1 if fewer than
`--least` percent of the mutants are killed. The seed is printed; the same seed on the same code
makes the same mutants. Strings, annotations and decorators are not changed, because most such
changes have no effect on a run.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from random import Random

from tools.function_coverage import FOLDER, functions_of, instrumented

HOUSE = Path(__file__).parent.parent
CHANGED = ("controller", "firmware_bridge/wire", "firmware_bridge/boards", "rules")
LEFT_OUT = ("controller/cli", "controller/proof/conformance", "controller/proof/chaos")
"""Folders without mutants: the command line mostly prints, and the other two contain tests."""
RULES = ("tests/rules", "controller/proof/conformance")
PLAYED = ("tests/controller/test_safe_stop.py", "tests/controller/run/rounds")
"""Whole rounds on simulated tables, which execute most of the controller."""
TESTS: dict[str, tuple[str, ...]] = {
    "rules/melds": ("tests/rules/test_melds.py", *RULES),
    "rules": RULES,
    **{
        f"rules/games/{name}": (f"tests/rules/{name}", *RULES)
        for name in ("backgammon", "da_san", "dominoes", "filipino", "pai_gow", "wenzhou")
    },
    "firmware_bridge": (
        *("tests/firmware_bridge/wire", "tests/firmware_bridge/boards"),
        *("tests/firmware_bridge/executor", "tests/firmware_bridge/sim", *PLAYED),
    ),
    **{
        f"controller/run/{name}": (f"tests/controller/run/{name}", *PLAYED)
        for name in (
            *("faults", "health", "journal", "operator", "pausing", "planning", "rounds"),
            "stations",
        )
    },
    "controller/upkeep/selftest": ("tests/controller/cli/commands/test_selftest.py",),
    "controller/upkeep/wiring": ("tests/tools/test_wiring_command.py", "tests/controller/cli"),
    "controller": (*PLAYED, "tests/controller"),
}
"""The tests of each folder, most specific first; the longest path that contains a file counts."""
PYTEST = (
    *(sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider"),
    *("-m", "not slow", "--hypothesis-profile", "quick", "--timeout", "60"),
)
FIRST_SECONDS = 10.0
"""Test files with this total duration run first; collecting all the others takes some seconds."""
PASSED, FAILED, BROKEN, CRASHED, NONE_LEFT = 0, 1, 2, 3, 5
"""Exit codes of pytest. BROKEN: a module cannot be imported; CRASHED: an error in
pytest itself, as after some timeouts; NONE_LEFT: no test was selected."""
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True)
class Mutant:
    """One change of one file: replaces the text between two offsets, in bytes."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.old}  ->  {self.new}"

    def applied(self, source: bytes) -> bytes:
        """Return the source of the file with the change."""
        return source[: self.start] + self.new.encode() + source[self.end :]


def mutants_of(file: str, source: bytes) -> Iterator[Mutant]:
    """Yield every mutant of one file, in the order of its syntax tree."""
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    for node in _changeable(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        old = " ".join(source[start:end].decode().split())
        for new in _changes(node):
            yield Mutant(file, node.lineno, start, end, old, new)


def _changeable(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield expressions and statements, but no f-strings, annotations, decorators, type-only code.

    Python 3.11 does not record the columns inside f-strings.
    """
    if isinstance(node, ast.JoinedStr):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.expr | ast.stmt):
        yield node
    for name, value in ast.iter_fields(node):
        if name not in {"annotation", "returns", "decorator_list"}:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _changeable(child)


def _changes(node: ast.expr | ast.stmt) -> Iterator[str]:
    """Yield the replacements of a node, as source."""
    match node:
        case ast.Compare(left, [first, *more], others):
            changed = ast.Compare(left, [OPPOSITE[type(first)](), *more], others)
            yield f"({ast.unparse(changed)})"
        case ast.BoolOp(op, values):
            other: ast.boolop = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(ast.Not(), operand):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(bool(value)):
            yield str(not value)
        case ast.Constant(int(number)):
            yield str(number + 1)
        case ast.Constant(float(number)):
            yield str(number * 2 or 1.0)
        case ast.Call(func, [first, second, *rest], keywords) if not (
            ast.dump(first) == ast.dump(second) or isinstance(first, ast.Starred)
        ):
            yield ast.unparse(ast.Call(func, [second, first, *rest], keywords))
        case ast.Return(value) if value is not None and ast.unparse(value) != "None":
            yield "return None"
        case ast.Expr(value) if not isinstance(value, ast.Constant | ast.Yield | ast.YieldFrom):
            yield "pass"
        case ast.AugAssign() | ast.Raise() | ast.Assign([ast.Attribute() | ast.Subscript()]):
            yield "pass"


def tests_of(file: str) -> tuple[str, ...]:
    """Return the test folders and files for a source file, most specific first."""
    folder = max((path for path in TESTS if file.startswith(f"{path}/")), key=len)
    return tuple(dict.fromkeys(TESTS[folder]))


def drawn(house: Path, count: int, random: Random, only: Sequence[str] = CHANGED) -> list[Mutant]:
    """Draw `count` mutants of a project, with equal probability for each."""
    every = [
        mutant
        for file in _changeable_files(house, only)
        for mutant in mutants_of(file, (house / file).read_bytes())
    ]
    return random.sample(every, min(count, len(every)))


def _changeable_files(house: Path, only: Sequence[str]) -> list[str]:
    """Return the source files in these files or folders that can have mutants."""
    files = sorted(
        file.relative_to(house).as_posix() for path in only for file in _python(house / path)
    )
    return [file for file in files if not file.startswith(LEFT_OUT)]


def _python(path: Path) -> list[Path]:
    return [path] if path.is_file() else list(path.rglob("*.py"))


def _copied(folder: Path) -> Path:
    """Copy the project to a folder that does not exist yet; return the folder."""
    return shutil.copytree(HOUSE, folder, ignore=shutil.ignore_patterns(".*", "__pycache__"))


@dataclass(frozen=True)
class Coverage:
    """The functions that each test file executes and its seconds, from a run of all quick tests."""

    seconds: Mapping[str, float]
    functions: Mapping[str, frozenset[str]]

    def tests_of(self, mutant: Mutant, source: bytes) -> list[list[str]]:
        """Return the test files of a mutant, in groups that are run one after the other.

        First those that execute the changed function, or any function of the file if the change is
        outside of functions: the tests of the file's own folder, then by duration. Last those of
        `TESTS`, because a test can use a result that another test file computed and cached.
        """
        within = f"{mutant.file}:"
        function = function_at(source, mutant.line)
        wanted = {f"{within}{function}"} if function else None
        executing = [
            file
            for file, functions in self.functions.items()
            if (functions & wanted if wanted else any(f.startswith(within) for f in functions))
            and self.seconds[file] > 0
        ]
        folders = tests_of(mutant.file)
        executing.sort(key=lambda file: (not file.startswith(folders[0]), self.seconds[file]))
        others = [
            file
            for file, seconds in self.seconds.items()
            if file.startswith(folders) and seconds and file not in executing
        ]
        first: list[str] = []
        while executing and sum(self.seconds[file] for file in first) < FIRST_SECONDS:
            first.append(executing.pop(0))
        return [group for group in (first, executing, others) if group]


def function_at(source: bytes, line: int) -> str:
    """Return the qualified name of the innermost function around a line, "" if there is none."""
    around = [
        (function.lineno, name)
        for name, function in functions_of(ast.parse(source))
        if function.lineno <= line <= (function.end_lineno or 0)
    ]
    return max(around, default=(0, ""))[1]


def covered(folder: Path, jobs: int) -> Coverage:
    """Run all quick tests and record what each test file executes, in a copy of the project.

    Tests that read the source files fail in this copy, because its functions note their calls.
    """
    copy = _copied(folder / "recorded")
    for file in _changeable_files(copy, CHANGED):
        path = copy / file
        path.write_text(instrumented(file, path.read_text("utf-8")), encoding="utf-8")
    with tempfile.TemporaryDirectory() as reports:
        options = ("-n", str(jobs), "--dist", "loadfile", "-p", "tools.function_coverage")
        _pytest(copy, *options, environment={FOLDER: reports})
        seconds: dict[str, float] = defaultdict(float)
        functions: dict[str, set[str]] = defaultdict(set)
        for report in Path(reports).glob("*.json"):
            for file, facts in json.loads(report.read_text("utf-8")).items():
                seconds[file] += facts["seconds"]
                functions[file] |= set(facts["functions"])
    return Coverage(seconds, {file: frozenset(names) for file, names in functions.items()})


def outcome(mutant: Mutant, house: Path, groups: Sequence[Sequence[str]]) -> str:
    """Test one mutant; return `SURVIVED`, `killed by TEST`, or `UNSOUND: TEST`.

    A test kills a mutant if it fails twice; a test that fails once only may depend on real time. A
    test that fails without the change too is left out; the outcome is unsound if no other test
    fails. The project's copy `house` is restored afterwards.
    """
    unsound: list[str] = []
    for tests in groups:
        while (failing := _failing_twice(mutant, house, tests, unsound)) is not None:
            if _failing(house, [failing]) is None:
                return f"killed by {failing}"
            unsound.append(failing)
    return f"UNSOUND: {unsound[0]}" if unsound else "SURVIVED"


def _write(file: Path, source: bytes) -> None:
    """Write a file with a modification time of its own.

    Python loads old bytecode if a file of the same length was changed within a second.
    """
    changed = int(file.stat().st_mtime) - 10
    file.write_bytes(source)
    os.utime(file, (changed, changed))


def _failing_twice(
    mutant: Mutant, house: Path, tests: Sequence[str], unsound: Sequence[str]
) -> str | None:
    """Return the first test that fails with a change and again alone; None if there is none."""
    file = house / mutant.file
    source = file.read_bytes()
    _write(file, mutant.applied(source))
    left_out = [*unsound]
    try:
        while (failing := _failing(house, tests, left_out)) is not None:
            if _failing(house, [failing]) is not None:
                return failing
            left_out.append(failing)
    finally:
        _write(file, source)
    return None


def _failing(house: Path, tests: Sequence[str], without: Sequence[str] = ()) -> str | None:
    """Return the first test that fails, or None if all pass."""
    left_out = [f"--deselect={test}" for test in without]
    ended = _pytest(house, "-x", *left_out, *tests)
    if ended.returncode == PASSED:
        return None
    lines = ended.stdout.splitlines()
    named = [line.split(" ", 1)[1] for line in lines if line.startswith(("FAILED ", "ERROR "))]
    if ended.returncode == NONE_LEFT:
        return None
    if ended.returncode == CRASHED:
        if len(tests) == 1:
            return tests[0]
        return next(filter(None, (_failing(house, [test], without) for test in tests)), None)
    if ended.returncode not in {FAILED, BROKEN} or not named:
        raise RuntimeError(f"pytest cannot run {' '.join(tests)}: {ended.stdout[-2000:]}")
    return named[0].split(" - ")[0]


def _pytest(
    house: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run pytest in a copy of the project, with compiled modules."""
    set_here = {"PYTHONPATH": str(house), "PYTHONDONTWRITEBYTECODE": "", **(environment or {})}
    # The command is this Python, with arguments from this file and the names of tests.
    return subprocess.run(  # noqa: S603
        (*PYTEST, *arguments),
        cwd=house,
        env={**os.environ, **set_here},
        capture_output=True,
        text=True,
        check=False,
    )


def main(arguments: Sequence[str]) -> int:
    """Draw mutants, test each of them, and report the survivors; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument(
        "paths", nargs="*", default=CHANGED, help="change only these files or folders"
    )
    parser.add_argument("--count", type=int, default=300, help="mutants that are tested")
    parser.add_argument(
        "--seed", type=int, help="selects the mutants; a new seed is drawn if none is given"
    )
    parser.add_argument("--jobs", type=int, default=2, help="mutants that are tested in parallel")
    parser.add_argument("--least", type=float, default=95.0, help="percent that must be killed")
    parser.add_argument(
        "--minutes", type=float, default=1e6, help="start no mutant after this time"
    )
    parser.add_argument(
        "--whole", action="store_true", help="run every quick test on the survivors"
    )
    parser.add_argument("--report", type=Path, help="write the survivors to this file")
    given = parser.parse_args(arguments)
    seed = secrets.randbelow(1_000_000) if given.seed is None else given.seed
    chosen = drawn(HOUSE, given.count, Random(seed), given.paths)
    print(f"seed {seed}: {len(chosen)} mutants", flush=True)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [_copied(Path(folder) / str(job)) for job in range(given.jobs)]
        coverage = covered(Path(folder), given.jobs)
        print(f"{len(coverage.functions)} test files recorded", flush=True)
        results = _results(chosen, copies, coverage, given.minutes * 60, whole=given.whole)
    return _reported(results, given.least, given.report)


def _results(
    chosen: Sequence[Mutant],
    copies: Sequence[Path],
    coverage: Coverage,
    seconds: float,
    *,
    whole: bool,
) -> list[tuple[Mutant, str]]:
    """Yield each tested mutant with its outcome; a copy of the project has one mutant at a time."""
    free: SimpleQueue[Path] = SimpleQueue()
    for copy in copies:
        free.put(copy)
    end = time.monotonic() + seconds

    def result(mutant: Mutant) -> str:
        if time.monotonic() > end:
            return ""
        copy = free.get()
        try:
            groups = coverage.tests_of(mutant, (copy / mutant.file).read_bytes())
            verdict = outcome(mutant, copy, [*groups, ["tests"]] if whole else groups)
        finally:
            free.put(copy)
        print(f"{mutant}: {verdict}", flush=True)
        return verdict

    with ThreadPoolExecutor(len(copies)) as pool:
        results = zip(chosen, pool.map(result, chosen), strict=True)
        return [(mutant, verdict) for mutant, verdict in results if verdict]


def _reported(results: Sequence[tuple[Mutant, str]], least: float, report: Path | None) -> int:
    """Print the share of killed mutants, write the survivors, and return the exit code."""
    alive = [str(mutant) for mutant, verdict in results if verdict == "SURVIVED"]
    killed = sum(verdict.startswith("killed") for _, verdict in results)
    share = 100 * killed / len(results) if results else 0.0
    print(f"{killed} of {len(results)} mutants killed: {share:.1f} %")
    if report:
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text("".join(f"{line}\n" for line in alive))
    if unsound := [verdict for _, verdict in results if verdict.startswith("UNSOUND")]:
        print(f"{unsound[0]} fails without a change; correct that test first.", file=sys.stderr)
        return 2
    return 0 if share >= least else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
