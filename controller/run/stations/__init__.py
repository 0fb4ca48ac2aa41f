"""Stations: control one part of the table each; confirm by sensor, retry, or raise TableFault."""
