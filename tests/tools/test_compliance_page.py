"""docs/regulate/COMPLIANCE.md and docs/regulate/THREATS.md name tests that exist."""

from __future__ import annotations

import pytest

from tools import compliance_page, named_tests, threats_page


def test_every_requirement_has_a_test_or_is_pending() -> None:
    assert list(compliance_page.REQUIREMENTS) == [f"R{number}" for number in range(1, 19)]
    assert compliance_page.unproven() == []


def test_a_requirement_without_a_test_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = {
        name: file for name, file in named_tests.tests().items() if not name.startswith("test_R18_")
    }
    monkeypatch.setattr(compliance_page, "tests", lambda: {**fewer, "test_R19_x": "tests/x.py"})
    with pytest.raises(LookupError) as wrong:
        compliance_page.page()
    assert "R18 has no test test_R18_...; write one." in str(wrong.value)
    assert "There is no requirement R19" in str(wrong.value)


def test_a_requirement_that_has_a_test_does_not_stay_pending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compliance_page, "PENDING", compliance_page.PENDING | {"R5"})
    assert "R5 has a test; remove it from PENDING." in compliance_page.unproven()


def test_a_threat_whose_test_does_not_exist_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "is refused" in threats_page.page()
    row = threats_page.BREAK_INS[0]._replace(tests=("test_that_nobody_wrote",))
    monkeypatch.setattr(threats_page, "BREAK_INS", (row,))
    with pytest.raises(LookupError, match="There is no test test_that_nobody_wrote"):
        threats_page.page()
