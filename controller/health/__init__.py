"""Condition of the machine: samples, drift, and statistics from the journal."""
