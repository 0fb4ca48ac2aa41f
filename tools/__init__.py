"""Generators of pages and drawings, for developers of Wallwright; not installed with it."""
