"""Checks every message of a board once, where it enters; what passes is trusted typed data.

A message that breaks the protocol is counted, reported as a `ProtocolFault`, and ignored. No
message raises an exception here, so the messages behind it are processed.
"""
