"""High Bone: dominoes played in tricks; the most pips take a trick. An example of a plug-in."""

from __future__ import annotations

from importlib.resources import files

from high_bone.setup import HIGH_BONE, Parameters
from rules.plugin import GamePlugin, lazily_judging, lazily_rules

__all__ = ["HIGH_BONE", "PLUGIN", "Parameters"]

PLUGIN = GamePlugin(
    HIGH_BONE,
    rules=lazily_rules("high_bone.play", "HIGH_BONE_RULES"),
    judging=lazily_judging("high_bone.judge"),
    settings=files("high_bone") / "high_bone.yaml",
    case=files("high_bone") / "case.yaml",
)
"""The game as a plug-in; the entry point in pyproject.toml has this name."""
