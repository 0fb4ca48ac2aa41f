"""Judge cases of Da San, and the judge."""
