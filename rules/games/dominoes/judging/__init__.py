"""Judge cases of dominoes, and the judge."""
