"""Publishes one table to a floor: its state, and each event of its audit log until it is stored.

The audit log is the outbox: events are on disk before they are sent, and they are sent again until
the floor has them in its database. A table without a network plays on; nothing is kept twice.
"""
