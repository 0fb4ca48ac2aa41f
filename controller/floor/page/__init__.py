"""The floor's page: the room, its alarms and figures, each table's history, reports, requests."""
