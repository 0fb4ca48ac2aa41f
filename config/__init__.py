"""Loads and validates the configuration of tables (boards, channels, modules) and of games."""
