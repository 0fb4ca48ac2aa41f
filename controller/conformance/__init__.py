"""The tests that every game has to pass, for the project's own games and for any plug-in.

python -m pytest --pyargs controller.conformance           # every game that is installed
    python -m pytest --pyargs controller.conformance -k NAME   # one of them

They need pytest, which Wallwright itself does not: install it beside Wallwright. The names of the
tests state the requirements: `test_setup` covers the set-up, `test_play` the rules of play,
`test_judging` the judge, `test_settings` the game's YAML file, and `test_table` plays the game on a
simulated table.
"""
