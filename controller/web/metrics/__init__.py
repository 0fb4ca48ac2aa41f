"""Prometheus metrics of one table, from its status, its events and its figures.

`catalogue` lists every metric, `readings` counts what the events report and makes the values of one
moment, and `exposition` encodes them. `table_metrics` puts them together.
"""
