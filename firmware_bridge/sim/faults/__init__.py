"""Injected faults: their kinds, the parts they act on, and when they act."""
