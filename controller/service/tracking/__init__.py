"""Tracking: builds the status of a table from its events, its run and its session."""
