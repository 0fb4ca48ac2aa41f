"""The executor: board behaviour in Python, equivalent to that of the firmware.

The virtual board runs it on the simulated plant, the GPIO board on the host's pins.
"""
