"""Calibrations: measurements that propose a change of the table's file."""
