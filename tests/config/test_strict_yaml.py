from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.errors import ConfigError, ConfigErrors
from config.strict_yaml import Document, parse

FILE = "house.yaml"


def value(text: str) -> object:
    return parse(text, FILE).value


def complaint(text: str) -> str:
    with pytest.raises(ConfigErrors) as raised:
        parse(text, FILE)
    return str(raised.value)


def read_or_complaint(text: str) -> str:
    """The file's name if the text is read, what one reads about it otherwise."""
    try:
        return parse(text, FILE).file
    except ConfigError as error:
        return str(error)


@pytest.mark.parametrize("word", ["NO", "no", "Yes", "on", "off", "True", "010", "12:30", "0x1F"])
def test_what_yaml_1_1_would_guess_at_stays_the_text_it_looks_like(word: str) -> None:
    assert value(f"key: {word}") == {"key": word}


@pytest.mark.parametrize("word", ["1_000", ".5", "1.", ".inf", ".nan", "1e999", "2026-11-21", "<<"])
def test_odd_numbers_dates_and_merge_signs_stay_texts(word: str) -> None:
    assert value(f"key: {word}") == {"key": word}


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("-7", -7),
        ("0", 0),
        ("0.25", 0.25),
        ("-1.5e-3", -0.0015),
        ("'7'", "7"),
        ('"true"', "true"),
    ],
)
def test_plain_words_numbers_and_quotes_mean_what_they_say(word: str, meant: object) -> None:
    assert value(f"key: {word}") == {"key": meant}


def test_keys_are_always_texts() -> None:
    assert value("on: 1\n010: 2\ntrue: 3\n~: 4") == {"on": 1, "010": 2, "true": 3, "~": 4}


def test_every_value_knows_its_line() -> None:
    document = parse("# a comment\nlid:\n  motor: m1\n  ends: [up,\n    down]\n", FILE)
    assert isinstance(document, Document)
    assert document.lines == {
        (): 2,
        ("lid",): 2,
        ("lid", "motor"): 3,
        ("lid", "ends"): 4,
        ("lid", "ends", 0): 4,
        ("lid", "ends", 1): 5,
    }


def test_every_duplicate_key_is_told_with_both_lines() -> None:
    assert complaint("a: 1\nb: {c: 2, c: 3}\na: 4") == (
        "house.yaml:2: b.c: is given twice, here and on line 2 ('c'). Keep one of the two.\n"
        "house.yaml:3: a: is given twice, here and on line 1 ('a'). Keep one of the two."
    )


def test_an_alias_repeats_a_value() -> None:
    assert value("a: &speed 0.25\nb: *speed") == {"a": 0.25, "b": 0.25}


def test_a_bomb_of_aliases_does_not_go_off() -> None:
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    bomb += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    assert complaint("\n".join(bomb)) == (
        "house.yaml:1: unfolds to more than 20000 values or 32 levels."
        " Write the values out instead of using aliases."
    )


def test_an_alias_that_holds_itself_is_refused() -> None:
    assert complaint("a: &a [*a]") == (
        "house.yaml:1: unfolds to more than 20000 values or 32 levels."
        " Write the values out instead of using aliases."
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "house.yaml: is empty. Write a table or a game into it, or remove it."),
        (
            "# only a comment",
            "house.yaml: is empty. Write a table or a game into it, or remove it.",
        ),
        (
            "a:\n\tb: 1",
            (
                "house.yaml:2: a tab stands here, and YAML is indented by spaces."
                " Replace the tab by spaces."
            ),
        ),
        (
            "a: 1\nb: !!python/object/apply:os.system [ls]",
            "house.yaml:2: a tag stands here. Leave it out: values are what they look like.",
        ),
        (
            "a: !mine 3",
            "house.yaml:1: a tag stands here. Leave it out: values are what they look like.",
        ),
        (
            "[" * 40,
            "house.yaml:1: values are nested more than 32 levels deep. Nest them less.",
        ),
        (
            "a: 1\n? [b]\n: 2",
            "house.yaml:2: a list or mapping stands as a key. Use a word as the key.",
        ),
        (
            "a: 1\n---\na: 2",
            (
                "house.yaml:2: a second document begins here."
                " Give each table and game a file of its own."
            ),
        ),
        (
            "a: *speed",
            (
                "house.yaml:1: cannot be read as YAML (found undefined alias 'speed')."
                " Look for a missing colon, quote, bracket or indent."
            ),
        ),
        (
            'a: "\\ud800"',
            "house.yaml:1: half a character is escaped here. Write it out in UTF-8.",
        ),
        (
            'a: "\\U00110000"',
            (
                "house.yaml: contains characters that no YAML file may have."
                " Save it as plain UTF-8 text."
            ),
        ),
        (
            "a: \0",
            (
                "house.yaml: contains characters that no YAML file may have."
                " Save it as plain UTF-8 text."
            ),
        ),
    ],
)
def test_text_that_is_no_plain_yaml_is_refused_in_one_sentence(text: str, says: str) -> None:
    assert complaint(text) == says


@given(st.text())
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    assert read_or_complaint(text).startswith(FILE)


@given(st.text(alphabet="ab:-?[]{},&*!|>'\"%@#\n\t \\~0\x85\u2028"))
def test_any_heap_of_punctuation_is_read_or_refused_in_words(text: str) -> None:
    assert read_or_complaint(text).startswith(FILE)
