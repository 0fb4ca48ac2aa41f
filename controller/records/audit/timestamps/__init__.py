"""Time stamps of signed heads by a time-stamping authority (RFC 3161)."""
