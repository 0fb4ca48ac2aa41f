"""The versions of the schema; each changes the one before. A released version never changes."""
