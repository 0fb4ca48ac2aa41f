"""What a table keeps for others: audit log, identity of the program, backups, traces."""
