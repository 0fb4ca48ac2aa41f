"""The rules import only the standard library, and nothing of it for clocks, chance or files."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import rules

FOLDER = Path(rules.__file__).parent
FILES = sorted(FOLDER.rglob("*.py"))
IMPURE = {"asyncio", "datetime", "logging", "os", "pathlib", "random", "secrets", "socket"}
IMPURE |= {"subprocess", "threading", "time"}

IMPORT_ALL = """
import sys
sys.path.insert(0, sys.argv[1])
import rules.setup, rules.games
foreign = {name.partition(".")[0] for name in sys.modules} - {"rules", "__main__"}
print(*sorted(foreign - set(sys.stdlib_module_names)))
"""

FILLED = """
from rules.games.pai_gow import cuts
from rules.melds import counts as melds_counts
from rules.games.backgammon import board, judge, legal, moves, reading
from rules.games.da_san import position
caches = cuts._of_the_eight, melds_counts.kind_of, board._swap, legal._faces, position._bits
print(len(moves.STEPS), len(moves.SHIFTS), len(reading._HITTING), len(position._FIRST))
print(*(cache.cache_info().currsize for cache in caches))
"""


def test_importing_the_rules_loads_the_standard_library_only() -> None:
    command = [sys.executable, "-S", "-c", IMPORT_ALL, str(FOLDER.parent)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_a_lookup_table_is_computed_at_its_first_use_and_not_at_import() -> None:
    command = [sys.executable, "-c", FILLED]
    run = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == {"0"}


def test_no_file_of_the_rules_reads_a_clock_or_a_file_or_makes_random_numbers() -> None:
    impure = {str(file.relative_to(FOLDER)): found for file in FILES if (found := _impure(file))}
    assert not impure


def _impure(file: Path) -> set[str]:
    """Return the modules and functions that a file of the rules uses, and may not use."""
    imported, called = set(), set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called |= {node.func.id} & {"open", "print", "input"}
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            # `play_texts` finds the classes of a game in the modules that are loaded.
            and node.value.id == "sys"
            and node.attr != "modules"
        ):
            called.add(f"sys.{node.attr}")
    return imported & IMPURE | called
