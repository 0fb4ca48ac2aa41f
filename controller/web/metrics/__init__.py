"""Prometheus metrics of one table, from its status, its events and its figures.

`catalogue` lists every metric, `observation` counts what the events report, `readings` makes the
values of one moment, and `exposition` encodes them. `table_metrics` puts them together.
"""
