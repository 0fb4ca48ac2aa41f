"""The file with which a table joins a floor: every defect has its line and a next step."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.errors import ConfigErrors
from controller.floor.settings import load_floor_settings
from controller.records.audit.notes import SigningKey

KEY = str(SigningKey("pit", b"p" * 32).public)
WHOLE = f"""\
floor: main
table: t07
title: Table 7
broker:
  host: broker.club
  ca: ca.pem
  cert: t07.pem
  key: /keys/t07.key
requests:
  - key: {KEY}
    may: [take_out_of_play, put_in_play]
"""


def test_a_whole_file_has_the_usual_port_and_files_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "floor.yaml"
    file.write_text(WHOLE)
    settings = load_floor_settings(file)
    assert str(settings.address) == "main/t07"
    assert str(settings.broker) == "broker.club:8883"
    assert settings.broker.tls is not None
    assert settings.broker.tls.ca == tmp_path / "ca.pem"
    assert settings.broker.tls.key == Path("/keys/t07.key")
    (key,) = settings.keys
    assert (key.role, sorted(key.may)) == ("attendant", ["put_in_play", "take_out_of_play"])


def test_a_broker_on_this_computer_needs_no_certificate(tmp_path: Path) -> None:
    file = tmp_path / "floor.yaml"
    file.write_text("floor: main\ntable: t07\nbroker: {host: 127.0.0.1}\n")
    settings = load_floor_settings(file)
    assert (str(settings.broker), settings.broker.tls) == ("127.0.0.1:1883", None)
    assert settings.title == "t07"


@pytest.mark.parametrize(
    ("good", "wrong", "sentence"),
    [
        ("table: t07", "table: a/b", "table: "),
        ("table: t07", "table: 't 7#'", "table: "),
        ("  key: /keys/t07.key\n", "", "floor.yaml:4: broker: has only a part"),
        (
            "  ca: ca.pem\n  cert: t07.pem\n  key: /keys/t07.key\n",
            "",
            "floor.yaml:5: broker.host: names another computer",
        ),
        (KEY, KEY[:-8] + "AAAAAAA=", "requests.0.key: is not a public key"),
        ("may: [take_out_of_play, put_in_play]", "may: [jog]", "requests.0.may.0"),
        ("title: Table 7", "titel: Table 7", "titel"),
        ("  host: broker.club", "  host: broker.club\n  port: 70000", "broker.port"),
    ],
)
def test_each_defect_is_named_with_its_place(
    good: str, wrong: str, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "floor.yaml"
    assert good in WHOLE
    file.write_text(WHOLE.replace(good, wrong))
    with pytest.raises(ConfigErrors) as caught:
        load_floor_settings(file)
    assert sentence in str(caught.value)


def test_two_keys_of_one_name_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "floor.yaml"
    file.write_text(WHOLE + f"  - key: {KEY}\n    may: []\n")
    with pytest.raises(ConfigErrors, match="two keys of the same name"):
        load_floor_settings(file)
