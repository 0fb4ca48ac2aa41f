"""Why something is not allowed, as a value: the law and the judge say it from the same place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Objection:
    """A sentence against what somebody wants to do, and the fact that it follows (B4, 2.3 ...).

    As text it is the sentence. No `fact`: the sentence is about how something was told.
    """

    sentence: str
    fact: str = ""

    def __str__(self) -> str:
        return self.sentence

    @property
    def cited(self) -> str:
        """The sentence with its fact, as a judge says it: `Point 5 is made (B4).`"""
        return f"{self.sentence.removesuffix('.')} ({self.fact})." if self.fact else self.sentence
