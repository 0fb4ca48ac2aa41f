"""Records for other parties: audit log, identity of the program, backups, traces."""
