"""The simulated table: virtual clock, virtual boards, and the plant, which tracks every tile."""
