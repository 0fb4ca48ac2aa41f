"""The channels of a table in service mode: their facts, and their live values with traces."""
