"""Judge cases of pai gow, and the judge."""
