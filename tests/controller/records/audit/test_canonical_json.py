import json
import random
import struct
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from controller.records.audit.canonical_json import canonical, parse_canonical
from controller.records.audit.errors import NotCanonicalError

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-(2.0**52), 2.0**52)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_the_text_is_the_one_that_another_implementation_writes(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)
    assert canonical(parse_canonical(canonical(value))) == canonical(value)


def test_numbers_are_written_as_the_other_implementation_writes_them() -> None:
    chance = random.Random(1)
    for _ in range(3000):
        (number,) = struct.unpack("d", chance.randbytes(8))
        for value in (number, round(chance.uniform(-1e6, 1e6), chance.randrange(7))):
            if value - value == 0.0:
                assert canonical({"n": value}) == rfc8785.dumps({"n": value})


def test_the_example_of_the_standard() -> None:
    example = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    assert canonical(example).decode() == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_keys_are_sorted_by_utf_16() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    text = canonical(dict.fromkeys(keys, 0)).decode()
    order = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(text)) == order


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, "\ud800", object(), 1e400])
def test_a_value_without_a_canonical_text_is_refused(value: object) -> None:
    with pytest.raises(NotCanonicalError, match="no canonical JSON text"):
        canonical({"value": value})


@pytest.mark.parametrize(
    "text",
    ['{"b":1,"a":2}', '{"a": 1}', '{"a":1,"a":1}', '{"a":1.0}', '"\\u0041"', "{", "[" * 100_000],
)
def test_a_text_that_is_not_the_canonical_one_is_refused(text: str) -> None:
    with pytest.raises(NotCanonicalError):
        parse_canonical(text.encode())
