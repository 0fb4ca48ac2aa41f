"""Tests of the page's files: its own and the panel's fit together, and every message exists."""

from __future__ import annotations

import json
import posixpath
import re
from importlib import resources

import pytest

from controller.floor.page.app import page_files
from tests.controller.web.panel.test_catalogues import BUILT, CHOSEN, USED, placeholders

FILES = page_files()
MODULES = {
    name: file.body.decode()
    for name, file in FILES.items()
    if name.endswith(".js") and not name.startswith("vendor/")
}
EXPORT = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)
ENGLISH = json.loads(FILES["messages/en.json"].body)


def own_messages(language: str = "en") -> dict[str, str]:
    """The floor's own messages in a language."""
    file = resources.files("controller.floor.page") / f"static/messages/{language}.json"
    found: dict[str, str] = json.loads(file.read_text("utf-8"))
    return found


def test_every_import_of_a_module_is_a_file_that_exports_the_name() -> None:
    for name, text in MODULES.items():
        for names, path in re.findall(r'^import \{([^}]*)\} from "([^"]+)";', text, re.MULTILINE):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            assert target in FILES, f"{name} imports {path}"
            if target.startswith("vendor/"):
                continue
            exported = set(EXPORT.findall(MODULES[target]))
            wanted = {each.strip() for each in names.split(",") if each.strip()}
            assert wanted <= exported, f"{name} imports {wanted - exported} from {path}"


def test_every_style_sheet_and_script_of_the_page_exists() -> None:
    page = FILES["index.html"].body.decode()
    named = set(re.findall(r'(?:href|src)="([^"]+)"', page))
    assert named <= FILES.keys()


def test_no_module_writes_html_from_data() -> None:
    for name, text in MODULES.items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
        assert "dangerouslySetInnerHTML" not in text, name


def test_every_message_that_a_view_uses_is_in_the_catalogue() -> None:
    text = "\n".join(MODULES.values())
    used = set(USED.findall(text)) | {key for pair in CHOSEN.findall(text) for key in pair}
    assert used - ENGLISH.keys() == set()


def test_every_message_of_the_floors_own_catalogue_is_used() -> None:
    text = "\n".join(MODULES.values())
    own = own_messages()
    prefixes = tuple(prefix for pair in BUILT.findall(text) for prefix in pair if prefix)
    assert [key for key in own if f'"{key}"' not in text and not key.startswith(prefixes)] == []


@pytest.mark.parametrize("language", ["ja", "zh", "fil"])
def test_every_language_has_every_message_with_its_placeholders(language: str) -> None:
    other = json.loads(FILES[f"messages/{language}.json"].body)
    assert other.keys() >= ENGLISH.keys()
    assert list(own_messages(language)) == list(own_messages())
    for key, message in ENGLISH.items():
        assert placeholders(other[key]) == placeholders(message), key
