"""The documents say what the program does: commands run, files load, matrices and events agree."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from config.loader import check_file, load_table
from config.schema import Table
from config.validation.checks import NAMES
from controller.cli import main
from tests.pages import PAGES, blocks, files
from tools.readme_picture import portrait

HOUSE = Path(__file__).parent.parent
README, GUIDE, TABLES, EVENTS = (
    HOUSE / name for name in ("README.md", "docs/GUIDE.md", "docs/TABLES.md", "docs/EVENTS.md")
)

EVENTFUL_RUNS = (
    "--reveal",
    "--table auto_deal",
    "--table auto_deal --game filipino",
    "--table classic --game pai_gow",
    "--table pai_gow --game pai_gow --reveal",
    "--table bench --game sniff",
    "--table auto_deal --play",
)
"""Runs that between them emit every event, step and move that goes well."""


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the guide's files lie under the names that it gives them."""
    for name, text in files(GUIDE):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Commands


def test_every_command_of_the_program_is_in_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    there = re.findall(r"^│ ([a-z]+) {2,}", capsys.readouterr().out, re.MULTILINE)
    table = README.read_text("utf-8")
    assert len(there) > 5
    assert not [name for name in there if f"`{name}`" not in table and f" {name}" not in table]


# YAML


@pytest.mark.parametrize("name", [name for name, _ in files(GUIDE)])
def test_a_table_in_the_guide_is_well_described(kitchen: Path, name: str) -> None:
    table = check_file(kitchen / name)
    assert isinstance(table, Table)
    assert f"{table.name}.yaml" == name


@pytest.mark.usefixtures("kitchen")
def test_the_mistakes_in_the_guide_are_refused_as_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    right = Path("small.yaml").read_text("utf-8")
    wrong = right.replace("capacity", "capcity").replace(
        "drum: {kind: motor, pin: 4, reverse_pin: 5, safe: 0, ",
        "drum: {kind: motor, pin: 4, reverse_pin: 5, ",
    )
    Path("small.yaml").write_text(wrong, encoding="utf-8")
    assert main(["check", "small.yaml"]) == 2
    said = capsys.readouterr().err.splitlines()
    promised = re.findall(r"^    (small\.yaml:\d+: .*)$", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert len(promised) == 2
    assert set(promised) <= set(said), said


def test_the_pins_in_the_guide_are_those_of_the_bench() -> None:
    wired = dict(
        re.findall(r"^\| `(\w+)` \| ([\d and]+) \|", GUIDE.read_text("utf-8"), re.MULTILINE)
    )
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
    """The rows of a page's tables that have so many columns, without marks of code."""
    split = [
        [cell.strip().replace("`", "") for cell in line.strip("|\n").split("|")]
        for line in page.read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    return [row for row in split if len(row) == width]


def test_every_step_that_may_become_peoples_is_explained() -> None:
    explained = {name for row in rows(TABLES, 2) for name in row[0].split(", ")}
    assert set(NAMES.values()) <= explained


# Events


def documented() -> dict[str, set[str]]:
    """Every event of the page with all the words that its row names."""
    told = re.findall(
        r"^\| \[`(\w+)`\]\(#\w+\) \| (.*?) \|", EVENTS.read_text("utf-8"), re.MULTILINE
    )
    return {name: set(re.findall(r"`(\w+)`", keys)) for name, keys in told}


def keys_of(kind: str) -> dict[str, set[str]]:
    """What the page says of each `step` or each `move`: all the words in its row."""
    section = EVENTS.read_text("utf-8").split(f"\n## {kind}\n")[1].split("\n## ")[0]
    told = re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE)
    return {name: set(re.findall(r"`(\w+)`", keys)) for name, keys in told if name != kind}


def emitted_by_the_code() -> set[str]:
    """The first argument of every `emit(...)` in the controller, and every `emit=`."""
    names: set[str] = set()
    for file in (HOUSE / "controller").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                first = node.args[0]
                if called == "emit" and isinstance(first, ast.Constant):
                    names.add(str(first.value))
                told = (word.value for word in node.keywords if word.arg == "emit")
                names |= {str(each.value) for each in told if isinstance(each, ast.Constant)}
    return names


def events_of(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def as_the_page_says(event: dict[str, object]) -> bool:
    """Whether an event has no key that the page does not name, and a name that it does."""
    name, keys = str(event["event"]), event.keys() - {"t", "event"}
    if name in ("step", "move"):
        return keys - {name} <= keys_of(name)[str(event[name])]
    if name in ("summary", "settled"):
        return keys == {
            key for row in rows(EVENTS, 2) for key in row[0].split(", ") if key in event
        }
    return keys <= documented()[name]


def test_every_event_in_the_code_is_on_the_page_and_no_other() -> None:
    assert emitted_by_the_code() == documented().keys()


def test_every_event_has_its_section_and_a_line() -> None:
    text = EVENTS.read_text("utf-8")
    lines = [line for block in blocks(EVENTS, "json") for line in block.splitlines()]
    for name in documented():
        assert f"\n## {name}\n" in text
        assert any(f'"event": "{name}"' in line for line in lines), name


def test_the_lines_on_the_page_are_events_as_it_says() -> None:
    text = "".join(blocks(EVENTS, "json")) + "".join(
        re.findall(r'^    (\{"t".*\n)', GUIDE.read_text("utf-8"), re.MULTILINE)
    )
    for event in events_of(text.replace(", ...", "")):
        assert as_the_page_says(event), event


AFTER_FAULTS = {
    *("hand_abandoned", "recovered", "operator_prompted", "prompt_answered"),
    *("prompt_withdrawn", "fault", "journal_copy_repaired"),
    *("paused", "motor_reversed", "resumed", "run_resumed", "put_away_requested", "signal_failed"),
}
"""Events of runs with faults only."""


RESEATING = """\
game: wenzhou
tile: {length_mm: 38, width_mm: 28, height_mm: 21}
play: 300
parameters: {dealer_scale: [2], after_fourth: reseat}
"""


def test_what_runs_emit_is_what_the_page_says(tmp_path: Path) -> None:
    seen: set[str] = set()
    house = tmp_path / "house.yaml"
    house.write_text(RESEATING, encoding="utf-8")
    reseating = f"--table auto_deal --game {house} --play --rounds 2 --until ready --seed 12"
    for number, options in enumerate((*EVENTFUL_RUNS, reseating)):
        file = tmp_path / f"{number}.jsonl"
        assert main(["run", "--events", str(file), *options.split()]) == 0
        for event in events_of(file.read_text("utf-8")):
            assert as_the_page_says(event), event
            seen |= {str(event["event"]), str(event.get("step")), str(event.get("move"))}
    everything = documented().keys() | keys_of("step").keys() | keys_of("move").keys()
    assert everything - AFTER_FAULTS <= seen


# The picture


def test_the_picture_asks_for_nothing_outside_itself() -> None:
    text = portrait().replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"http|//|@font-face|@import|href|<script|<image", text)


# Links


def headings(page: Path) -> set[str]:
    """The anchors of a page, as they are made from its headings."""
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOUSE)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text)
    for link in (one or other for one, other in links):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in headings(target), link


@pytest.mark.parametrize("page", [README, TABLES], ids=lambda page: page.stem)
def test_files_that_are_named_exist(page: Path) -> None:
    """`rules/setup.py` from the house; `link.py` in the folder of the one named before it."""
    folder = HOUSE
    for name in re.findall(r"`((?:[\w.]+/)*\w+\.(?:py|yaml|txt))`", page.read_text("utf-8")):
        if (HOUSE / name).exists():
            folder = (HOUSE / name).parent
        assert (folder / name).exists() or (HOUSE / name).exists(), name
