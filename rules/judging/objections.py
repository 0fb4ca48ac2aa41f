"""The reason why an action is not allowed; the legality check and the judge share it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Objection:
    """A sentence that refuses an action, and the number of the rule that it applies (B4, 2.3 ...).

    `str` gives the sentence. `fact` is empty if the sentence is about a text that cannot be parsed.
    """

    sentence: str
    fact: str = ""

    def __str__(self) -> str:
        return self.sentence

    @property
    def cited(self) -> str:
        """The sentence with its rule, as in a verdict: `Point 5 is made (B4).`"""
        return f"{self.sentence.removesuffix('.')} ({self.fact})." if self.fact else self.sentence
