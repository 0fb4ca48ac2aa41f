"""From steps of the rules to machine moves and their least times; pure functions."""
