"""Connects tables to a floor over MQTT 5; the floor stores their events and shows their state.

`messages` defines topics and payloads for both sides. `table` publishes one table. `store` keeps
the events of all tables in a database, `server` fills it, and `page` shows it.
"""
