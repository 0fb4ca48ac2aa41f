"""The mechanics on and above the table: felt, lid, dice dome, flipper, and gantry."""
