"""Prompts to people, and their answers."""
