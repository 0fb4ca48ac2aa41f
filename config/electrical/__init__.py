"""Electrical profiles: how a kind of motor or sensor is wired, with its defaults and limits."""
