"""Tests that the pages agree with the program: files, commands, events, tables and links."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from config.loader import check_file, load_table, table_names
from config.schema import Table
from config.validation.checks import NAMES
from controller.cli import main
from controller.events import EventName
from controller.run.faults.catalogue import CATALOGUE
from tests.pages import PAGES, blocks, files
from tools.fit_matrices import games
from tools.terminal_picture import portrait

HOUSE = Path(__file__).parent.parent
README, CONTRIBUTING, GUIDE, TABLE_FILE, PI, TABLES, COMMANDS, EVENTS = (
    HOUSE / name
    for name in (
        "README.md",
        "CONTRIBUTING.md",
        "docs/start/GUIDE.md",
        "docs/build/TABLE_FILE.md",
        "docs/build/PI.md",
        "docs/start/TABLES.md",
        "docs/reference/COMMANDS.md",
        "docs/reference/EVENTS.md",
    )
)

WITH_FILE_NAMES = (
    *(
        CONTRIBUTING,
        TABLES,
        HOUSE / "docs" / "reference" / "BENCHMARKS.md",
        HOUSE / "docs" / "reference" / "ONE_PACKET.md",
        HOUSE / "docs" / "regulate" / "TESTING.md",
    ),
    *sorted((HOUSE / "docs" / "decisions").glob("*.md")),
)
"""Pages whose file names are those of files in the project."""
EVENTFUL_RUNS = (
    "--reveal",
    "--table auto_deal",
    "--table auto_deal --game filipino",
    "--table classic --game pai_gow",
    "--table pai_gow --game pai_gow --reveal",
    "--table bench --game sniff",
    "--table auto_deal --play",
    "--table auto_deal --game da_san --results --rounds 2",
)
"""Runs that together emit every event, step and move of runs without faults."""


@pytest.fixture
def guide_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that contains the guide's files under their names in the guide."""
    for name, text in files(GUIDE):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Commands


def test_every_command_of_the_help_is_on_the_page_of_the_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--help"]) == 0
    there = re.findall(r"^  ([a-z]+) {2,}", capsys.readouterr().out, re.MULTILINE)
    table = COMMANDS.read_text("utf-8")
    assert len(there) > 5
    assert not [name for name in there if f"\n| `{name}` |" not in table]


# The README


def test_the_readme_states_the_number_of_fault_codes_games_and_tables() -> None:
    text = README.read_text("utf-8")
    (codes,) = re.findall(r"(\d+) fault codes", text)
    assert int(codes) == len(CATALOGUE)
    assert re.findall(r"(\d+) games on (\d+) tables", text) == [
        (str(len(games())), str(len(table_names())))
    ]


def test_the_readme_has_at_most_1200_words() -> None:
    assert len(README.read_text("utf-8").split()) <= 1200


# YAML


@pytest.mark.parametrize(("name", "text"), [*files(GUIDE), *files(TABLE_FILE)])
def test_a_table_in_the_guide_is_accepted_by_check(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    table = check_file(tmp_path / name)
    assert isinstance(table, Table)
    assert f"{table.name}.yaml" == name


@pytest.mark.usefixtures("guide_folder")
def test_the_mistakes_in_the_guide_give_the_errors_that_it_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    right = Path("small.yaml").read_text("utf-8")
    wrong = right.replace("capacity", "capcity").replace(
        "drum: {kind: motor, pin: 4, reverse_pin: 5, safe: 0, ",
        "drum: {kind: motor, pin: 4, reverse_pin: 5, ",
    )
    Path("small.yaml").write_text(wrong, encoding="utf-8")
    assert main(["check", "small.yaml"]) == 2
    printed = capsys.readouterr().err.splitlines()
    shown = re.findall(r"^    (small\.yaml:\d+: .*)$", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert len(shown) == 2
    assert set(shown) <= set(printed), printed


def test_the_pins_on_the_page_of_the_pi_are_those_of_the_bench() -> None:
    wired = dict(re.findall(r"^\| `(\w+)` \| ([\d and]+) \|", PI.read_text("utf-8"), re.MULTILINE))
    (board,) = load_table("bench").boards.values()
    pins = {
        name: " and ".join(
            str(pin)
            for pin in (getattr(channel, "pin", None), getattr(channel, "reverse_pin", None))
            if pin is not None
        )
        for name, channel in board.channels.items()
    }
    assert wired == pins


# Matrices


def rows(page: Path, width: int) -> list[list[str]]:
    """Return the rows of a page's tables with this number of columns, without backticks."""
    split = [
        [cell.strip().replace("`", "") for cell in line.strip("|\n").split("|")]
        for line in page.read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    return [row for row in split if len(row) == width]


def test_every_step_that_people_can_do_by_hand_is_explained() -> None:
    explained = {name for row in rows(TABLES, 2) for name in row[0].split(", ")}
    assert set(NAMES.values()) <= explained


# Events


def documented() -> dict[str, set[str]]:
    """Return every event of docs/reference/EVENTS.md with all the keys that its row names."""
    rows_found = re.findall(
        r"^\| \[`(\w+)`\]\(#\w+\) \| (.*?) \|", EVENTS.read_text("utf-8"), re.MULTILINE
    )
    return {name: set(re.findall(r"`(\w+)`", keys)) for name, keys in rows_found}


def keys_of(kind: str) -> dict[str, set[str]]:
    """Return each `step` or `move` of docs/reference/EVENTS.md with the keys that its row names."""
    section = EVENTS.read_text("utf-8").split(f"\n## {kind}\n")[1].split("\n## ")[0]
    found = re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE)
    return {name: set(re.findall(r"`(\w+)`", keys)) for name, keys in found if name != kind}


def emitted_by_the_code() -> set[str]:
    """Return the names of all events that the controller emits, by `emit(...)` or `emit=`."""
    names: set[str] = set()
    texts = [file.read_text("utf-8") for file in (HOUSE / "controller").rglob("*.py")]
    for text in texts:
        for node in ast.walk(ast.parse(text)) if "emit" in text else ():
            if isinstance(node, ast.Call) and node.args:
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                first = node.args[0]
                given = [first] if called == "emit" else []
                given += [word.value for word in node.keywords if word.arg == "emit"]
                names |= {
                    EventName[each.attr].value
                    for each in given
                    if isinstance(each, ast.Attribute) and ast.unparse(each.value) == "EventName"
                }
    return names


def events_of(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def is_documented(event: dict[str, object]) -> bool:
    """Whether the page names the event and all of its keys."""
    name, keys = str(event["event"]), event.keys() - {"t", "event"}
    if name in ("step", "move"):
        return keys - {name} <= keys_of(name)[str(event[name])]
    if name in ("summary", "settled", "result_reported"):
        return keys == {
            key for row in rows(EVENTS, 2) for key in row[0].split(", ") if key in event
        }
    return keys <= documented()[name]


def test_every_event_in_the_code_is_on_the_page_and_no_other() -> None:
    assert emitted_by_the_code() == documented().keys() == set(EventName)


def test_every_event_has_a_section_and_an_example() -> None:
    text = EVENTS.read_text("utf-8")
    lines = [line for block in blocks(EVENTS, "json") for line in block.splitlines()]
    for name in documented():
        assert f"\n## {name}\n" in text
        assert any(f'"event": "{name}"' in line for line in lines), name


def test_the_examples_on_the_pages_have_documented_keys_only() -> None:
    text = "".join(blocks(EVENTS, "json")) + "".join(
        re.findall(r'^    (\{"t".*\n)', GUIDE.read_text("utf-8"), re.MULTILINE)
    )
    for event in events_of(text.replace(", ...", "")):
        assert is_documented(event), event


AFTER_FAULTS = {
    *("hand_abandoned", "recovered", "operator_prompted", "prompt_answered"),
    *("prompt_withdrawn", "fault", "journal_copy_repaired", "protocol_broken", "board_reset"),
    *("paused", "motor_reversed", "resumed", "run_resumed", "put_away_requested", "signal_failed"),
    *("actions_taken_back", "result_overdue"),
}
"""Events that only runs with faults, interruptions, forgotten reports or corrections emit."""


RESEATING = """\
game: wenzhou
tile: {length_mm: 38, width_mm: 28, height_mm: 21}
play: 300
parameters: {dealer_scale: [2], after_fourth: reseat}
"""


@pytest.mark.slow
def test_runs_emit_documented_events_only_and_all_of_them(tmp_path: Path) -> None:
    seen: set[str] = set()
    house = tmp_path / "house.yaml"
    house.write_text(RESEATING, encoding="utf-8")
    reseating = f"--table auto_deal --game {house} --play --rounds 2 --until ready --seed 1"
    for number, options in enumerate((*EVENTFUL_RUNS, reseating)):
        file = tmp_path / f"{number}.jsonl"
        assert main(["run", "--events", str(file), *options.split()]) == 0
        for event in events_of(file.read_text("utf-8")):
            assert is_documented(event), event
            seen |= {str(event["event"]), str(event.get("step")), str(event.get("move"))}
    everything = documented().keys() | keys_of("step").keys() | keys_of("move").keys()
    assert everything - AFTER_FAULTS <= seen


# The picture


def test_the_picture_loads_nothing_from_outside() -> None:
    text = portrait().replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"http|//|@font-face|@import|href|<script|<image", text)


# Links


@cache
def headings(page: Path) -> set[str]:
    """Return the anchors of a page, computed from its headings."""
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def links_without_target(page: Path) -> Iterator[str]:
    """Yield the links of a page to a file or a heading that does not exist."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for one, other in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text):
        link = one or other
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in headings(target)):
            yield link


def test_every_link_of_a_page_has_a_target() -> None:
    wrong = {str(page.relative_to(HOUSE)): list(links_without_target(page)) for page in PAGES}
    assert {page: links for page, links in wrong.items() if links} == {}


def missing_files(page: Path) -> Iterator[str]:
    """Yield the files that a page names and that do not exist.

    A path begins at the top folder; a bare file name is in the folder of the path before it.
    `NAME.yaml` stands for any file.
    """
    folder = HOUSE
    for name in re.findall(r"`((?:[\w.]+/)*\w+\.(?:py|yaml|txt))`", page.read_text("utf-8")):
        if Path(name).stem == "NAME":
            continue
        if (HOUSE / name).exists():
            folder = (HOUSE / name).parent
        elif not (folder / name).exists():
            yield name


def test_files_that_are_named_exist() -> None:
    missing = {str(page.relative_to(HOUSE)): list(missing_files(page)) for page in WITH_FILE_NAMES}
    assert {page: names for page, names in missing.items() if names} == {}


def test_the_index_lists_every_page_of_its_six_folders_once() -> None:
    index = (HOUSE / "docs" / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| \[\w+\]\((\w+/\w+\.md)\) \|", index, re.MULTILINE)
    folders = ("start", "operate", "build", "floor", "regulate", "reference")
    pages = [page for folder in folders for page in (HOUSE / "docs" / folder).glob("*.md")]
    assert sorted(listed) == sorted(str(page.relative_to(HOUSE / "docs")) for page in pages)
