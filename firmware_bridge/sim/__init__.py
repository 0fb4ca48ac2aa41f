"""The simulated table: virtual clock, virtual board, and the plant that knows every tile."""
