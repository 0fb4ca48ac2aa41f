"""How a board enters service: probe, flash, provision, device keys."""
