from __future__ import annotations

from pathlib import Path

from config.loader import load_table
from firmware_bridge.sim.faults.campaign import load_campaign
from firmware_bridge.sim.faults.kinds import KINDS
from tools.injected_faults_page import page

CAMPAIGN = Path(__file__).parents[2] / "docs" / "campaigns" / "evening.yaml"


def test_every_kind_has_its_section_and_says_what_it_does_and_shows() -> None:
    text = page()
    for kind in KINDS.values():
        assert f"\n### {kind.name}\n\n{kind.does}\n" in text
        assert f"| what the sensors show | {kind.shows} |" in text


def test_the_campaign_that_the_page_names_can_be_ordered() -> None:
    assert len(load_campaign(CAMPAIGN, load_table("robotic"))) == 6
    assert "docs/campaigns/evening.yaml" in page()
