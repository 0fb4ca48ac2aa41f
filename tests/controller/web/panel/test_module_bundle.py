"""Tests the joining of modules into one script."""

from __future__ import annotations

import pytest

from controller.web.panel.replay_export import BundleError, bundle


def test_modules_are_joined_in_the_order_of_their_imports() -> None:
    modules = {
        "page.js": 'import { two as pair } from "./parts/two.js";\nexport const page = pair();',
        "parts/two.js": (
            'import {\n  one,\n} from "../one.js";\nexport function two() { return one + one; }'
        ),
        "one.js": "export const one = 1;",
    }
    joined = bundle("page.js", modules.__getitem__)
    assert joined.index("const one = 1;") < joined.index("function two()") < joined.index("page =")
    assert next(line for line in joined.splitlines() if "pair" in line).split() == [
        "const",
        "{",
        "two:",
        "pair",
        "}",
        "=",
        "m1;",
    ]
    assert "import" not in joined
    assert "export" not in joined
    assert joined.endswith("const bundle = m2;")


@pytest.mark.parametrize(
    "code", ['import all from "./one.js";', 'export { one } from "./one.js";', "export default 5;"]
)
def test_another_form_of_import_is_refused_with_its_line(code: str) -> None:
    modules = {"page.js": f"{code}\n", "one.js": "export const one = 1;"}
    with pytest.raises(BundleError, match="cannot be joined"):
        bundle("page.js", modules.__getitem__)


def test_a_circle_of_imports_is_refused() -> None:
    modules = {
        "one.js": 'import { two } from "./two.js";\nexport const one = 1;',
        "two.js": 'import { one } from "./one.js";\nexport const two = 2;',
    }
    with pytest.raises(BundleError, match="imports itself"):
        bundle("one.js", modules.__getitem__)
