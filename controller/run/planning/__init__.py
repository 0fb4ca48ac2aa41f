"""Planning: converts steps of the rules to machine moves, and computes their least times.

All functions are pure.
"""
