"""Commissioning of boards: probe, flash, provision, device keys."""
