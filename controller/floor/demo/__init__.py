"""A whole floor on one computer: broker, database, floor service and simulated tables.

Every part is a process of its own in one folder, started and supervised by `demonstration`.
"""
