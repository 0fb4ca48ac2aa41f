"""The stream: changes of the status and events, to every client that watches the table."""
