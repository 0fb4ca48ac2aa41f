"""Prints how the product's code is cut: files, lines, imports, constructors.

    python -m tools.figures [FOLDER]

FOLDER is another checkout to measure, such as one of an older version; without it, this one is
measured. The product is the code in `rules`, `config`, `firmware_bridge` and `controller`. These
figures are a help for reviews: no test requires them.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOMS = ("rules", "config", "firmware_bridge", "controller")
MANY_PARAMETERS = 8
EVENT_TABLE = "controller/events/"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Source:
    """A file of the product: its path in the checkout, its lines and its syntax tree."""

    path: str
    lines: int
    tree: ast.Module

    @property
    def module(self) -> str:
        """The dotted name of the module."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def sources(folder: Path) -> list[Source]:
    """The files of the product in a checkout."""
    found = []
    for room in ROOMS:
        for file in sorted((folder / room).rglob("*.py")):
            text = file.read_text("utf-8")
            path = file.relative_to(folder).as_posix()
            found.append(Source(path, text.count("\n"), ast.parse(text)))
    return found


def figures(folder: Path) -> Iterator[tuple[str, str]]:
    """Each figure: what it counts, and its value."""
    product = sources(folder)
    lengths = [source.lines for source in product]
    yield "modules, __init__ included", f"{len(product):,}"
    yield "lines of Python", f"{sum(lengths):,}"
    longest = max(product, key=lambda source: source.lines)
    yield "lines of a module: median", f"{median(lengths):g}"
    yield "lines of a module: longest", f"{longest.lines} ({longest.path})"
    entries = [each for each in (folder / "controller").iterdir() if is_entry(each)]
    yield "entries of controller/", str(len(entries))
    yield "layers in the contract of controller/", str(_layers(folder / "pyproject.toml"))
    yield "modules that one module imports", str(sum(n == 1 for n in importers(product).values()))
    yield "files with fsync or fdatasync", str(_files_that_call(product, {"fsync", "fdatasync"}))
    yield "files with flock", str(_files_that_call(product, {"flock"}))
    inside = [source for source in product if source.path.startswith("controller/")]
    yield "imports inside functions of controller/", str(sum(map(_indented_imports, inside)))
    wide = [name for source in product for name in _wide_constructors(source)]
    yield f"constructors with {MANY_PARAMETERS} or more parameters, without cli", str(len(wide))
    yield "public names of TableService", str(_public_names(product, "TableService"))


def is_entry(path: Path) -> bool:
    """Whether a path in a room is code of the project."""
    return path.suffix == ".py" or (path.is_dir() and not path.name.startswith("__"))


def importers(product: Sequence[Source]) -> Counter[str]:
    """For each module that is imported, in how many modules of the product."""
    modules = {source.module for source in product}
    return Counter(
        module
        for source in product
        for module in set(_imports(source.tree, modules)) - {source.module}
    )


def _imports(tree: ast.Module, modules: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _files_that_call(product: Sequence[Source], names: set[str]) -> int:
    return sum(
        any(isinstance(node, ast.Attribute) and node.attr in names for node in ast.walk(each.tree))
        for each in product
    )


def _indented_imports(source: Source) -> int:
    return len(
        {
            node
            for function in ast.walk(source.tree)
            if isinstance(function, FUNCTIONS)
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
    )


def _wide_constructors(source: Source) -> Iterator[str]:
    """The classes outside the command line whose `__init__` takes many parameters."""
    if source.path.startswith("controller/cli/"):
        return
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ClassDef):
            continue
        for function in node.body:
            if isinstance(function, FUNCTIONS) and function.name == "__init__":
                given = function.args
                count = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs) - 1
                if count >= MANY_PARAMETERS:
                    yield f"{source.module}.{node.name}"


def _public_names(product: Sequence[Source], name: str) -> int:
    for source in product:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef) and node.name == name:
                return sum(
                    isinstance(each, FUNCTIONS) and not each.name.startswith("_")
                    for each in node.body
                )
    return 0


def _layers(file: Path) -> int:
    """The layers of the contract on the rooms of `controller`; 0 without such a contract."""
    contracts = tomllib.loads(file.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    for contract in contracts:
        if contract.get("containers") == ["controller"]:
            return len(contract["layers"])
    return 0


def main(arguments: Sequence[str]) -> int:
    """Print the figures of a checkout; returns the exit code."""
    folder = Path(arguments[0]) if arguments else Path(__file__).parent.parent
    for what, value in figures(folder):
        print(f"{what:<58} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
