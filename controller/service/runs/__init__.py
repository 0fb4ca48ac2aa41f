"""Runs of a table: a daemon on its hardware and its journal."""
