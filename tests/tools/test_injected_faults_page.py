"""Tests that docs/build/INJECTED_FAULTS.md has a section for every kind of injected fault."""

from __future__ import annotations

from pathlib import Path

from config.loader import load_table
from firmware_bridge.sim.faults.campaign import load_campaign
from firmware_bridge.sim.faults.kinds import KINDS
from tools.injected_faults_page import page

CAMPAIGN = Path(__file__).parents[2] / "docs" / "build" / "campaigns" / "evening.yaml"


def test_every_kind_has_a_section_with_its_effect_and_what_the_sensors_show() -> None:
    text = page()
    for kind in KINDS.values():
        assert f"\n### {kind.name}\n\n{kind.does}\n" in text
        assert f"| what the sensors show | {kind.shows} |" in text


def test_the_campaign_file_that_the_page_names_loads() -> None:
    assert len(load_campaign(CAMPAIGN, load_table("robotic"))) == 6
    assert "docs/build/campaigns/evening.yaml" in page()
