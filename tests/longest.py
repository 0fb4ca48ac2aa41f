"""The test files that take longest, in the order in which `make test` starts them."""

from __future__ import annotations

LONGEST = (
    "tests/controller/panel/test_an_evening_by_clicks.py",
    "tests/firmware_bridge/firmware/test_emulated_rounds.py",
    "hil_tests/test_killed_hosts.py",
    "tests/firmware_bridge/conformance/test_sanitizers.py",
    "hil_tests/test_two_processes.py",
    "tests/controller/rounds/test_play_at_the_table.py",
    "tests/examples/test_contributing.py",
    "tests/controller/panel/test_scene.py",
    "tests/controller/pausing/test_pauses.py",
    "tests/firmware_bridge/conformance/test_pico_sessions.py",
    "tests/controller/test_restart.py",
    "tests/controller/panel/test_accessibility.py",
    "tests/controller/service/test_hours_at_the_table.py",
    "tests/rules/test_parameter_effects.py",
    "tests/controller/soak/test_rounds.py",
    "tests/tools/test_mutants.py",
    "tests/firmware_bridge/firmware/test_emulated_bench.py",
    "tests/controller/soak/test_false_messages.py",
    "tests/controller/soak/test_wrong_tiles.py",
    "hil_tests/test_harness.py",
    "tests/controller/panel/test_role_views.py",
    "tests/controller/test_every_cut_at_the_table.py",
    "tests/controller/test_slow_storage.py",
    "tests/controller/panel/test_player_view.py",
    "tests/firmware_bridge/firmware/test_emergency_phases.py",
    "tests/controller/cli/terminal/test_live_view.py",
)
"""As measured on 23 November 2026: 15 s and more of processor time, or of waiting for a browser, a
line or another process. Files that compute stand between files that wait."""
