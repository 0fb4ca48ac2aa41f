"""What tries a table without people: laboratory, chaos, conformance, campaigns."""
