"""Interfaces for browsers and programs: the API, the panel and the metrics."""
