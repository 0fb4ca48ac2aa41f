"""The public names of `rules`, its examples, and the time of its import."""

from __future__ import annotations

import ast
import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

import rules
from rules import Line, before_next_hand, deal, find_game, new_hand, random_action, rules_of
from rules.play import IllegalActionError
from tests.quick import slow_except

ROOT = Path(rules.__file__).parent
PROJECT = ROOT.parent
LISTED = """
    Action AnyRules Chance Counts Dealt FinishedHand GAMES Game Group HOUSE IllegalActionError
    IllegalOutcomeError IllegalSetupError Judging LegalActions Line Match MissingThrowError
    NotationError Payment Play Reading Rules RulesError Seating Settlement Setup TileSet Verdict
    WallwrightError before_next_hand deal find_game from_hands judging_of new_hand only_sets pairs
    play_text random_action read_play readings ResultField ResultForm GameResults recorded
    replayed results_of rules_of sets_and_pair settle tile_set tiles_short waits
"""
PUBLIC = LISTED.split()
EXAMPLES = {
    "enumerate_wins": "3m 4m 5m, 7s 8s* 9s*, 1z 1z",
    "score_a_hand": "seat 3 pays seat 1 2: 1 between non-dealers, x2 hard (W31)",
    "random_match": "scores 103, 0, 43, 0",
    "house_way_against_optimum": "of 200 hands the house way sets 33 differently from the optimum",
}
MOST_LOOPS = 3.0
"""The processor time for the import of `rules` and `rules.games`, without any game, in times of an
empty loop of a million steps: 1.0 to 1.5, of about 0.05 s each, on the computer of this figure."""
TIMED = """
import time
begun = time.process_time()
import rules, rules.games
imported = time.process_time()
for _ in range(1_000_000):
    pass
print((imported - begun) / (time.process_time() - imported))
"""
MODULES = sorted(
    ".".join(file.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__")
    for file in ROOT.rglob("*.py")
    if ">>>" in file.read_text()
)


def test_the_public_names_are_the_listed_ones_and_each_can_be_imported() -> None:
    assert sorted(rules.__all__) == sorted(PUBLIC) == sorted(dir(rules))
    for name in rules.__all__:
        assert getattr(rules, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'newhand'"):
        rules.newhand  # noqa: B018 # the attribute is looked up


def test_a_type_checker_sees_the_same_names() -> None:
    (block,) = (
        node
        for node in ast.parse((ROOT / "__init__.py").read_text()).body
        if isinstance(node, ast.If)
    )
    seen = {
        alias.asname: import_module(line.module)
        for line in block.body
        if isinstance(line, ast.ImportFrom) and line.module
        for alias in line.names
        if alias.name == alias.asname
    }
    assert sorted(map(str, seen)) == sorted(PUBLIC)
    for name, module in seen.items():
        assert getattr(module, str(name)) is getattr(rules, str(name))
    assert (ROOT / "py.typed").exists()


def test_the_rules_are_imported_quickly() -> None:
    command = [sys.executable, "-c", TIMED]
    for _ in range(10):  # a busy computer makes the import slower than the loop
        timed = subprocess.run(command, cwd=PROJECT, capture_output=True, check=True)
        loops = float(timed.stdout)
        if loops < MOST_LOOPS:
            break
    assert loops < MOST_LOOPS


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_a_docstring_run_as_they_are_printed(module: str) -> None:
    found = doctest.testmod(import_module(module))
    assert found.attempted
    assert not found.failed


def test_the_examples_on_the_library_page_run_as_they_are_printed() -> None:
    page = PROJECT / "docs" / "reference" / "RULES_LIBRARY.md"
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.attempted > 15
    assert not found.failed


@pytest.mark.parametrize("name", slow_except(["enumerate_wins", "score_a_hand"], EXAMPLES))
def test_an_example_runs_and_prints_its_documented_result(name: str) -> None:
    command = [sys.executable, f"examples/{name}.py"]
    run = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    assert EXAMPLES[name] in run.stdout
    page = (PROJECT / "docs" / "reference" / "RULES_LIBRARY.md").read_text()
    assert f"python examples/{name}.py" in page


@pytest.mark.parametrize("game", rules.GAMES)
def test_a_hand_of_every_game_is_dealt_in_one_line_and_played_in_a_match(game: str) -> None:
    chance = Random(game)
    parameters = find_game(game).parameters()
    match = rules_of(game).match(parameters, find_game(game).setup().seating.players, 0)
    for _ in range(2):
        match = before_next_hand(game, match, chance)
        play = new_hand(game, chance, parameters=parameters, match=match)
        while play.settlement is None:
            play = play.apply(random_action(play, chance.choice))
        match = match.after(play)


@pytest.mark.parametrize("game", rules.GAMES)
def test_the_same_seed_deals_the_same_hand_and_another_seed_deals_another(game: str) -> None:
    one, again, other = (deal(game, Random(seed)) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    assert sorted(one.tiles.values()) == sorted(find_game(game).tiles.faces)


def test_a_line_goes_back_to_the_same_play_objects() -> None:
    chance = Random(5)
    line = Line(new_hand("filipino", chance))
    plays = [line.play]
    for _ in range(40):
        line.push(chance.choice(line.play.legal_actions))
        plays.append(line.play)
    with pytest.raises(IllegalActionError):
        line.push("no action")
    assert len(line) == len(line.actions) == 40
    while len(line):
        assert line.play is plays.pop()
        line.pop()
    assert line.play is line.first is plays.pop()
    with pytest.raises(IllegalActionError, match="no action to take back"):
        line.pop()
