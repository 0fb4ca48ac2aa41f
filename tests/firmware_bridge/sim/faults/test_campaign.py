"""Tests which faults campaign files inject, and the errors for defective files."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.errors import ConfigErrors
from config.loader import load_table
from firmware_bridge.sim.faults.campaign import load_campaign
from firmware_bridge.sim.faults.injected_fault import parse

ROBOTIC = load_table("robotic")


def written(folder: Path, text: str) -> Path:
    file = folder / "campaign.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_text_and_a_mapping_mean_the_same(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "faults:\n"
        "  - jam:head2@12.5\n"
        "  - {kind: jam, part: head2, at: 12.5}\n"
        "  - {kind: jam, part: head2, nth: 30, size: 2}\n"
        "  - {kind: dirty_sensor, part: head3, rate: 0.02}\n"
        "  - {kind: weak_motor, part: lift1}\n",
    )
    texts = ("jam:head2@12.5", "jam:head2@12.5", "jam:head2#30~2", "dirty_sensor:head3:0.02")
    assert load_campaign(file, ROBOTIC) == tuple(map(parse, (*texts, "weak_motor:lift1")))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("- jamm:head2", "'jamm' is not a kind of injected fault. Did you mean 'jam'?"),
        ("- jam:head9", "the table robotic has no 'head9' for jam. Did you mean 'head"),
        ("- 7", "7 is not an injected fault. Write a fault as jam:head2@12.5, or as a mapping"),
        ("- {kind: jam}", "`part` of an injected fault must be a text; got nothing. Write a fault"),
        ("- {kind: jam, part: head2, when: 3}", "'when' is not a key of an injected fault. Give"),
        ("- {kind: jam, part: head2, at: 3, nth: 2}", "nth and rate; got at and nth. Keep one"),
        ("- {kind: jam, part: head2, at: soon}", "must be a number of at least 0; got 'soon'."),
        ("- {kind: jam, part: head2, nth: 2.5}", "'jam:head2#2.5' is not an injected fault."),
        ("- {kind: jam, part: head2, rate: 2}", "a probability must be 0.000001 to 1; got 2."),
    ],
)
def test_every_defect_is_reported_with_its_line(tmp_path: Path, line: str, sentence: str) -> None:
    file = written(tmp_path, f"faults:\n  - weak_motor:lift1\n  {line}\n")
    with pytest.raises(ConfigErrors) as refused:
        load_campaign(file, ROBOTIC)
    assert str(refused.value).startswith(f"{file}:3: faults.1: ")
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("fautls: [jam:head2]", "fautls: is not a key of a campaign file."),
        ("faults: jam:head2", "faults: must be a list of at least one injected fault; got 'jam:"),
        ("faults: []", "faults: must be a list of at least one injected fault; got a list."),
        ("- jam:head2", "is not a mapping of keys to values (a list)."),
    ],
)
def test_a_file_that_is_not_a_campaign_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ConfigErrors) as refused:
        load_campaign(written(tmp_path, text), ROBOTIC)
    assert sentence in str(refused.value)
