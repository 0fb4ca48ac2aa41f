"""Judge cases: the judge of each game, and checks that several games share."""
