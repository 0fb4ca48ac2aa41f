"""The monitor: shows the status of a table in a terminal, from the stream of the API."""
