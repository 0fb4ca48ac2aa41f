"""The stations: act, confirm by sensor, retry, or raise a `TableFault`. They never assume."""
