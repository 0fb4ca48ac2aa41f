"""Learning an existing table: finds out what each motor and each sensor wire does.

One motor moves at a time, for short pulses, after a person has typed a word. The sensors show which
motor reaches which limit switch; a person names the part that moved; sensors that no motor reaches
are actuated by hand. The result is a proposal for the table's file. `session` has the order of the
steps, `probe` the motions, `findings` what was learned, `proposal` the file.
"""

from __future__ import annotations

from controller.upkeep.learn.probe import LearnPerson, LearnQuestion, QuestionKind
from controller.upkeep.learn.proposal import Findings, propose
from controller.upkeep.learn.session import LearnSession

__all__ = ["Findings", "LearnPerson", "LearnQuestion", "LearnSession", "QuestionKind", "propose"]
