"""The panel: the page on which people see and operate a table."""
