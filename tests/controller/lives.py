"""A table that outlives its host, for the tests: it is the product's own."""

from __future__ import annotations

from controller.chaos.surviving import Killed, MortalJournal, SurvivingTable

__all__ = ["Killed", "MortalJournal", "SurvivingTable"]
