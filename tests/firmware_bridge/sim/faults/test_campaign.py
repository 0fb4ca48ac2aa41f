"""Files of mishaps: what they mean, and what they are told when they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.errors import ConfigErrors
from config.loader import load_table
from firmware_bridge.sim.faults.campaign import load_campaign
from firmware_bridge.sim.faults.injection import parse

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
        ("- jamm:head2", "There is no mishap 'jamm'. Did you mean 'jam'?"),
        ("- jam:head9", "the table robotic has no 'head9' for jam. Did you mean 'head"),
        ("- 7", "7 is no mishap. Write it as jam:head2@12.5, or as kind, part"),
        ("- {kind: jam}", "a mishap needs its part (nothing). Write it as"),
        ("- {kind: jam, part: head2, when: 3}", "a mishap has no 'when'. Take one of"),
        ("- {kind: jam, part: head2, at: 3, nth: 2}", "at and nth are given together. Keep one"),
        ("- {kind: jam, part: head2, at: soon}", "at is no number from 0 on ('soon'). Write it"),
        ("- {kind: jam, part: head2, nth: 2.5}", "'jam:head2#2.5' is no mishap."),
        ("- {kind: jam, part: head2, rate: 2}", "2 is no probability. Write :0.000001 to :1."),
    ],
)
def test_every_defect_is_told_with_its_line(tmp_path: Path, line: str, sentence: str) -> None:
    file = written(tmp_path, f"faults:\n  - weak_motor:lift1\n  {line}\n")
    with pytest.raises(ConfigErrors) as refused:
        load_campaign(file, ROBOTIC)
    assert str(refused.value).startswith(f"{file}:3: faults.1: ")
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("fautls: [jam:head2]", "fautls: is no key of a campaign ('fautls')."),
        ("faults: jam:head2", "faults: is no list of mishaps ('jam:head2')."),
        ("faults: []", "faults: is no list of mishaps (a list)."),
        ("- jam:head2", "is not a mapping of keys to values (a list)."),
    ],
)
def test_a_file_that_is_no_campaign_is_told_so(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ConfigErrors) as refused:
        load_campaign(written(tmp_path, text), ROBOTIC)
    assert sentence in str(refused.value)
