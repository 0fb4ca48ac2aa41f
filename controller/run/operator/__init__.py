"""Signals to people and inputs from them: lamp tower, buzzer, keys, guided steps, incidents."""
