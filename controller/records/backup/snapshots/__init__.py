"""Consistent copies of a table's records, also while the table runs."""
