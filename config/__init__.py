"""What this table is: its boards, channels and modules, and each game's parameters."""
