"""The physics of a table: drum, heads, trays, lifts, lid, dice, gantry, felt, and its people.

The plant tracks the identity and place of every tile; the controller has only the sensors' reports.
"""
