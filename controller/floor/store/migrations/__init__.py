"""Versions of the floor's schema; each upgrades the one before it. A released one never changes."""
