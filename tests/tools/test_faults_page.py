"""Tests that docs/operate/FAULTS.md has a section for every fault."""

from __future__ import annotations

from controller.run.faults.catalogue import Fault
from tools.faults_page import page


def test_the_page_has_a_section_for_every_code() -> None:
    text = page()
    assert all(f"\n### {fault.name}\n" in text for fault in Fault)
