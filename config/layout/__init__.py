"""Where things lie: the table's geometry, and which tray holds which tile."""
