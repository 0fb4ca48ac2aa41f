"""Pai gow with tiles: the set-up."""

from __future__ import annotations

from rules.games.pai_gow.setup import PAI_GOW, Parameters

__all__ = ["PAI_GOW", "Parameters"]
