"""Brings a database to the newest schema, from each earlier version of it."""
