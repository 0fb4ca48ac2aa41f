"""The server: uvicorn in the table's event loop, on loopback unless TLS protects the API."""
