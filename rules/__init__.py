"""Pure knowledge of the games: standard library only, no clock, no chance, no input or output.

Dice, cuts, choices and turned-up tiles are *inputs*: a `Setup` asks for them one step at a time.
"""
