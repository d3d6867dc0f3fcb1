"""The promises of verdicts, each on fewer simulated sets than `python -m benchmarks validity`."""

import pytest

from benchmarks.validity import SECTIONS, Setting, measured, settings

SMALL = [
    pytest.param(setting, id=f"{section}: {setting.name}")
    for section in SECTIONS
    for setting in settings(section)
    if setting.small
]


@pytest.mark.parametrize("setting", SMALL)
def test_promise(setting: Setting) -> None:
    found = measured(setting, setting.small)
    assert found.kept(), f"{found.rate:.4f} ± {found.error:.4f}, promised {setting.promised}"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_tried_here(section: str) -> None:
    assert any(setting.small for setting in settings(section))
