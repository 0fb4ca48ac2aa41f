"""Simulated people: players, a technician, and a person who watches a self-test."""
