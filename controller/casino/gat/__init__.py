"""The serial protocol of a Game Authentication Terminal (GAT), version 3.50.

A terminal asks over a serial line (9600 baud, 8 data bits, no parity, 1 stop bit) for a calculation
over the program's files with a seed of its own, and compares the result with that of a reference.
"""
