"""Service mode: live sensors, jogging, calibration and diagnostics of one table."""
