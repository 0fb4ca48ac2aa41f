"""What controls a table: one daemon, its rounds, stations, pauses, faults and journal."""
