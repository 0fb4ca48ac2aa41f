"""One round: the set prepared below, the set dealt on top, the hand played."""
