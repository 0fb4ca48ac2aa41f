"""Judge cases of Filipino mahjong, and the judge."""
