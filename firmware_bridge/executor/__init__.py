"""What a board does with the messages it gets, in Python: the twin of the firmware.

The virtual board runs it against the plant, the GPIO board against its own pins.
"""
