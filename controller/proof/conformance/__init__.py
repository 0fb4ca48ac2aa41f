"""Tests that every game has to pass: the project's own games and any plug-in.

    python -m pytest --pyargs controller.proof.conformance           # every game that is installed
    python -m pytest --pyargs controller.proof.conformance -k NAME   # one of them

The tests need pytest, which is not a dependency of Wallwright: install it in the same environment.
The names of the tests state the requirements: `test_setup` covers the set-up, `test_play` the rules
of play, `test_results` what people say about a finished hand, `test_game_files` the game's YAML
file and its judge, and `test_table` plays the game on a simulated table.
"""
