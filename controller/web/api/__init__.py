"""The API: HTTP commands and a WebSocket stream of the status, for panels and programs."""
