"""Condition of the machine: samples of sensors and motors, their drift, journal statistics."""
