"""Generators of pages and drawings, for work on Wallwright; not installed with it."""
