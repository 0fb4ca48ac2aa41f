"""Figures of tables, computed from the stored events of their audit logs."""
