"""Service mode as a state of the service, and its commands."""
