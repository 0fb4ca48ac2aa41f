"""The daemon: decides, sequences, records and serves."""
