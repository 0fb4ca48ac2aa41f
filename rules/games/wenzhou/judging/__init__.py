"""Judge cases of Wenzhou mahjong, and the judge."""
