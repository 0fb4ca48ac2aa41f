"""The `Board` protocol and its drivers: boards on serial lines and on GPIO pins."""
