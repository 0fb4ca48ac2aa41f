"""The installation of the service on a table's computer: its ports, its options, its files.

`wallwright install` (`controller/cli/commands/install.py`) asks a person and carries it out.
"""
