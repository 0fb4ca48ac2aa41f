"""Hardware access: wire protocol, board drivers, devices, and the simulated table."""
