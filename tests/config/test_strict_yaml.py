from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from config import strict_yaml
from config.errors import ConfigError, ConfigErrors
from config.strict_yaml import Document, parse

FILE = "house.yaml"
FORBIDDEN_CHARACTERS = (
    "house.yaml: contains characters that YAML does not allow. Save it as plain UTF-8 text."
)


def value(text: str) -> object:
    return parse(text, FILE).value


def error_text(text: str) -> str:
    with pytest.raises(ConfigErrors) as raised:
        parse(text, FILE)
    return str(raised.value)


def file_or_error_text(text: str) -> str:
    """The name of the file if the text is valid; the text of the error if it is not."""
    try:
        return parse(text, FILE).file
    except ConfigError as error:
        return str(error)


@pytest.mark.parametrize("word", ["NO", "no", "Yes", "on", "off", "True", "010", "12:30", "0x1F"])
def test_words_that_yaml_1_1_reads_as_booleans_or_numbers_stay_texts(word: str) -> None:
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
def test_plain_words_numbers_and_quoted_texts_get_the_expected_type(
    word: str, meant: object
) -> None:
    assert value(f"key: {word}") == {"key": meant}


def test_keys_are_always_texts() -> None:
    assert value("on: 1\n010: 2\ntrue: 3\n~: 4") == {"on": 1, "010": 2, "true": 3, "~": 4}


def test_every_value_has_a_line_number() -> None:
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


def test_every_duplicate_key_is_reported_with_both_lines() -> None:
    assert error_text("a: 1\nb: {c: 2, c: 3}\na: 4") == (
        "house.yaml:2: b.c: is given twice, here and on line 2 ('c'). Keep one of the two.\n"
        "house.yaml:3: a: is given twice, here and on line 1 ('a'). Keep one of the two."
    )


def test_an_alias_repeats_a_value() -> None:
    assert value("a: &speed 0.25\nb: *speed") == {"a": 0.25, "b": 0.25}


def test_aliases_that_expand_without_limit_are_refused() -> None:
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    bomb += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    assert error_text("\n".join(bomb)) == (
        "house.yaml:1: expands to more than 20000 values or 32 levels."
        " Write the values out instead of using aliases."
    )


def test_an_alias_that_contains_itself_is_refused() -> None:
    assert error_text("a: &a [*a]") == (
        "house.yaml:1: expands to more than 20000 values or 32 levels."
        " Write the values out instead of using aliases."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "house.yaml: is empty. Write a table or a game into it, or remove it."),
        (
            "# only a comment",
            "house.yaml: is empty. Write a table or a game into it, or remove it.",
        ),
        (
            "a:\n\tb: 1",
            (
                "house.yaml:2: the line is indented with a tab, but YAML is indented with spaces."
                " Replace the tab with spaces."
            ),
        ),
        (
            "a: 1\nb: !!python/object/apply:os.system [ls]",
            "house.yaml:2: a value has a tag. Leave it out: a value's form decides its type.",
        ),
        (
            "a: !mine 3",
            "house.yaml:1: a value has a tag. Leave it out: a value's form decides its type.",
        ),
        (
            "[" * 40,
            "house.yaml:1: values are nested more than 32 levels deep. Nest them less.",
        ),
        (
            "a: 1\n? [b]\n: 2",
            "house.yaml:2: a key is a list or a mapping. Use a word as the key.",
        ),
        (
            "a: 1\n---\na: 2",
            "house.yaml:2: a second document begins. Give each table and game a file of its own.",
        ),
        (
            "a: *speed",
            (
                "house.yaml:1: cannot be read as YAML (found undefined alias 'speed')."
                " Check for a missing colon, quote, bracket or indent."
            ),
        ),
        (
            'a: "\\ud800"',
            (
                "house.yaml:1: an escape sequence is half of a surrogate pair. Write the character"
                " in UTF-8."
            ),
        ),
        (
            'a: "\\U00110000"',
            FORBIDDEN_CHARACTERS,
        ),
        (
            "a: \0",
            FORBIDDEN_CHARACTERS,
        ),
    ],
)
def test_text_that_is_not_plain_yaml_is_refused_with_one_message(text: str, message: str) -> None:
    assert error_text(text) == message


@given(st.text())
def test_any_text_is_read_or_refused_with_a_message(text: str) -> None:
    assert file_or_error_text(text).startswith(FILE)


@given(st.text(alphabet="ab:-?[]{},&*!|>'\"%@#\n\t \\~0\x85\u2028"))
def test_any_punctuation_is_read_or_refused_with_a_message(text: str) -> None:
    assert file_or_error_text(text).startswith(FILE)


# Two parsers

SHIPPED = sorted(Path(strict_yaml.__file__).parent.glob("*/*.yaml"))
PIECES = (
    *("a", "b: ", "- ", "? ", ": ", "\n", "\n  ", "\n    ", "[", "]", "{", "}", ", ", "#", " # c"),
    *(
        "'",
        '"',
        "|",
        ">-",
        "&a ",
        "*a",
        "!t ",
        "---\n",
        "...\n",
        "\\n",
        "%",
        "\t",
        "\r",
        "\x85",
        "麻",
    ),
)


def nodes(node: yaml.Node | None) -> object:
    """A node as nested tuples: kind, line, quotes and value."""
    if isinstance(node, yaml.MappingNode):
        value: object = [(nodes(key), nodes(part)) for key, part in node.value]
    elif isinstance(node, yaml.SequenceNode):
        value = [nodes(part) for part in node.value]
    else:
        value = node and (node.value, node.style or None)  # type: ignore[attr-defined]
    return node and (type(node), node.start_mark.line, value)


def check_both_parsers(text: str) -> bool:
    """Check that PyYAML reads what libyaml reads; return whether libyaml has read the text."""
    with suppress(strict_yaml._Unsure, yaml.YAMLError, ValueError, OverflowError):
        fast = nodes(strict_yaml._composed(strict_yaml._FastLoader, text))
        assert fast == nodes(strict_yaml._composed(strict_yaml._Loader, text))
        return True
    return False


@pytest.mark.slow
def test_libyaml_reads_every_file_of_the_project_as_pyyaml_does() -> None:
    assert [file for file in SHIPPED if not check_both_parsers(file.read_text("utf-8"))] == []


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("? a")
@example("a: |#\n  b\n")
@example("%YAML 1.1\n---\na\n")
@example("---\n # c")
@example("a: {b: # c\n}")
@example("a: {b?: c}")
def test_any_text_that_libyaml_reads_is_read_as_pyyaml_does(text: str) -> None:
    check_both_parsers(text)
