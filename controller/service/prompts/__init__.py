"""Prompts: what people are asked, and their answers."""
