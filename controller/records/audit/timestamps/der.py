"""Reads and writes the few DER values (X.690) that time stamps have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controller.records.audit.errors import RefusedProofError

INTEGER, OCTETS, NULL, OBJECT, SEQUENCE, SET = 0x02, 0x04, 0x05, 0x06, 0x30, 0x31
TRUE = b"\x01\x01\xff"
CONTEXT = 0xA0
"""The tag of [0]; the number of the tag is added."""


@dataclass(frozen=True)
class DerValue:
    """One value: its tag, its contents, and all its bytes."""

    tag: int
    content: bytes
    whole: bytes

    @property
    def parts(self) -> list[DerValue]:
        """The values in its contents. Raises RefusedProofError."""
        return list(_values(self.content))

    def of(self, tag: int) -> DerValue:
        """The value itself, if it has this tag. Raises RefusedProofError for another one."""
        if self.tag != tag:
            raise RefusedProofError(f"The time stamp has the tag {self.tag:#x}, not {tag:#x}.")
        return self


def der_value(data: bytes) -> DerValue:
    """The one value of a text. Raises RefusedProofError for anything else."""
    values = list(_values(data))
    if len(values) != 1:
        raise RefusedProofError(f"A time stamp is one DER value; the file has {len(values)}.")
    return values[0]


def der(tag: int, *parts: bytes) -> bytes:
    """Encode a value with these contents."""
    content = b"".join(parts)
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    size = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 + len(size)]) + size + content


def der_object(text: str) -> bytes:
    """Encode an object identifier, such as 1.2.840."""
    first, second, *rest = map(int, text.split("."))
    data = bytearray()
    for number in (40 * first + second, *rest):
        septets = [number & 0x7F]
        while number := number >> 7:
            septets.append(0x80 | number & 0x7F)
        data += bytes(reversed(septets))
    return der(OBJECT, bytes(data))


def _values(data: bytes) -> Iterator[DerValue]:
    at = 0
    while at < len(data):
        begin, (tag, size) = at, _head(data, at)
        at += 2
        if size >= 0x80:
            count = size - 0x80
            size = int.from_bytes(data[at : at + count], "big")
            if not 0 < count <= 4 or size < 0x80 or size >> 8 * (count - 1) == 0:
                raise RefusedProofError("The time stamp is damaged: a length is not DER.")
            at += count
        if at + size > len(data):
            raise RefusedProofError("The time stamp is cut off.")
        yield DerValue(tag, data[at : at + size], data[begin : at + size])
        at += size


def _head(data: bytes, at: int) -> tuple[int, int]:
    if at + 2 > len(data) or data[at] & 0x1F == 0x1F:
        raise RefusedProofError("The time stamp is damaged: a tag is not complete.")
    return data[at], data[at + 1]
