"""Configuration of tables (boards, channels, modules) and games (parameters): load and validate."""
