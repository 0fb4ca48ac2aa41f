"""Da San (Wa Keng, dig a pit): three players, an auction for a kitty, cards played out."""

from __future__ import annotations

from rules.games.da_san.setup import DA_SAN, PILE, Parameters, first_dealer

__all__ = ["DA_SAN", "PILE", "Parameters", "first_dealer"]
