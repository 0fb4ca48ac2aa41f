"""Signed notes (c2sp.org/signed-note): a text, an empty line, and one line for each signature."""

from __future__ import annotations

from dataclasses import dataclass

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.notes.base64_text import decoded, encoded
from controller.records.audit.notes.verifier_key import COSIGNATURE, VerifierKey

_DASH = "\N{EM DASH} "
_LONGEST = 1_000_000
"""Characters of the longest note that is parsed (our choice)."""


@dataclass(frozen=True)
class NoteSignatureLine:
    """One signature: the name of its key, the key's id (4 bytes), and the signature's bytes."""

    name: str
    key_id: bytes
    data: bytes

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {encoded(self.key_id + self.data)}"

    @classmethod
    def parsed(cls, line: str) -> NoteSignatureLine:
        """Parse a line. Raises RefusedProofError."""
        name, space, text = line.removeprefix(_DASH).partition(" ")
        if not line.startswith(_DASH) or not name or not space:
            raise RefusedProofError(f"{line[:80]!r} is not a signature line.")
        data = decoded(text, f"The signature of {name}")
        if len(data) < 5:
            raise RefusedProofError(f"The signature of {name} is too short.")
        return cls(name, data[:4], data[4:])


@dataclass(frozen=True)
class SignedNote:
    """A text, whose lines all end with a newline, and its signatures."""

    text: str
    signatures: tuple[NoteSignatureLine, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(f"{line}\n" for line in self.signatures)

    @classmethod
    def parsed(cls, note: str) -> SignedNote:
        """Parse a note. Raises RefusedProofError for a note that `str` does not write."""
        text, separator, below = note.rpartition("\n\n")
        lines = below.split("\n")
        if len(note) > _LONGEST or not separator or not text or lines[-1]:
            raise RefusedProofError("The text is not a signed note: its last lines must be signed.")
        if any(ord(letter) < 32 and letter != "\n" for letter in note):
            raise RefusedProofError("The signed note contains a control character.")
        signatures = tuple(NoteSignatureLine.parsed(line) for line in lines[:-1])
        if not signatures:
            raise RefusedProofError("The note has no signature.")
        return cls(text + "\n", signatures)

    def signature_of(self, key: VerifierKey) -> NoteSignatureLine | None:
        """The verified signature of a key; None if the note has none.

        Raises RefusedProofError if the note has one that does not verify.
        """
        for line in self.signatures:
            if line.name == key.name and line.key_id == key.key_id:
                if not _is_valid(line, key, self.text):
                    raise RefusedProofError(f"The signature of {key.name} is wrong.")
                return line
        return None

    def with_signature(self, line: NoteSignatureLine) -> SignedNote:
        """The note with one more signature; the same note if it has this one already."""
        if line in self.signatures:
            return self
        return SignedNote(self.text, (*self.signatures, line))


def cosigned_message(text: str, seconds: int) -> bytes:
    """What a witness signs: a checkpoint's text and the time (c2sp.org/tlog-cosignature)."""
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def cosigned_at(line: NoteSignatureLine) -> int:
    """The time of a cosignature, in seconds since 1970 (UTC)."""
    return int.from_bytes(line.data[:8], "big")


def _is_valid(line: NoteSignatureLine, key: VerifierKey, text: str) -> bool:
    if key.purpose == COSIGNATURE:
        return key.verify(line.data[8:], cosigned_message(text, cosigned_at(line)))
    return key.verify(line.data, text.encode())
