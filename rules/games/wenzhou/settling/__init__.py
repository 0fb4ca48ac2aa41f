"""The end of a Wenzhou hand and its payments (W30-W36)."""
