"""Motion in service mode: leases for one motion, jogging, homing, and the safe end."""
