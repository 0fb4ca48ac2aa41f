"""Rigid-body simulation of tiles in a drum, from which the mixing model is fitted."""
