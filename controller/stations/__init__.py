"""The stations: act, confirm by sensor, then retry or raise a `TableFault`."""
