"""Service mode: live sensors, jogging, homing, tests, calibration, counters and diagnostics."""
