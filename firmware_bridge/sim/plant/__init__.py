"""The physics of a table: drum, heads, trays, lifts, lid, dice, gantry, felt, and its people.

The plant knows every tile by identity and place; the controller knows only what sensors tell it.
"""
