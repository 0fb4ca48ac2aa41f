"""Signals and inputs for people: lamp tower, buzzer, keys, guided steps."""
