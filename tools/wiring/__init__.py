"""Draws the wiring of a table as SVG: `python -m tools.wiring TABLE --svg FILE`."""
