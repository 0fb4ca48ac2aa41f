"""`wallwright lab`: computes probabilities of the games, and examines shuffles and random choices.

`lab paigow` prints the frequency of each rank of pai gow; `lab shuffle` compares shuffle cycles
with a perfect shuffle; `lab chance` tests the random source.
"""

from __future__ import annotations

import typer

from controller.cli.commands.lab.paigow import paigow
from controller.cli.commands.lab.shuffle import shuffle
from controller.cli.commands.lab_chance import chance

lab = typer.Typer(name="lab", help="Print probabilities of the games and results of strategies.")
lab.command("chance")(chance)
lab.command()(paigow)
lab.command()(shuffle)
