"""Everything between Python and copper: the wire, boards, devices, and the simulated table."""
