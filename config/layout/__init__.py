"""Geometry of the playing field, and the assignment of tiles to trays."""
