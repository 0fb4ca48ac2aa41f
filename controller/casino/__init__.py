"""A casino's host: its codes for the table's events, and its check of the program (GAT).

No money protocol is here: the table takes no coins, notes, tickets or transfers.
"""
