"""Options that several commands share: their values, checks and shell completion."""
