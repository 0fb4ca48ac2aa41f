"""Programs that test a table without people: laboratory, chaos, conformance, campaigns."""
