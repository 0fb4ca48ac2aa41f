"""The test files that take longest, in the order in which `make test` starts them."""

from __future__ import annotations

LONGEST = (
    "hil_tests/test_killed_hosts.py",
    "tests/packaging/test_the_package_file.py",
    "tests/packaging/test_installation.py",
    "tests/packaging/test_a_running_service.py",
    "tests/controller/panel/test_a_guided_table_by_clicks.py",
    "tests/firmware_bridge/firmware/test_emulated_rounds.py",
    "tests/controller/panel/test_accessibility.py",
    "hil_tests/test_two_processes.py",
    "tests/controller/service/test_hours_at_the_table.py",
    "tests/controller/panel/test_an_evening_by_clicks.py",
    "tests/firmware_bridge/conformance/test_sanitizers.py",
    "tests/controller/panel/test_scene.py",
    "tests/examples/test_contributing.py",
    "tests/controller/panel/test_restarts_of_the_service.py",
    "tests/controller/rounds/test_play_at_the_table.py",
    "hil_tests/test_harness.py",
    "tests/controller/pausing/test_pauses.py",
    "tests/controller/panel/test_service_mode_in_a_browser.py",
    "tests/test_page_commands.py",
    "tests/controller/panel/test_keyboard_on_the_real_service.py",
    "tests/controller/test_restart.py",
    "tests/controller/panel/test_role_views.py",
    "tests/firmware_bridge/conformance/test_pico_sessions.py",
    "tests/controller/soak/test_false_messages.py",
    "tests/controller/service/test_an_evening.py",
    "tests/examples/test_examples.py",
    "tests/controller/cli/terminal/test_live_view.py",
    "tests/controller/panel/test_connection.py",
    "tests/tools/test_mutants.py",
    "tests/rules/test_parameter_effects.py",
    "tests/controller/service/test_random_commands.py",
    "tests/firmware_bridge/firmware/test_emulated_bench.py",
    "tests/controller/panel/test_player_view.py",
    "tests/controller/api/test_stream.py",
    "tests/controller/api/test_diagnostics.py",
    "tests/controller/cli/commands/test_ports.py",
    "tests/controller/soak/test_rounds.py",
    "tests/controller/soak/test_wrong_tiles.py",
    "tests/controller/test_slow_storage.py",
)
"""As measured on 23 November 2026 while other programs ran: about 15 s and more, of processor time
or of waiting for a browser, a line or another process. Files that compute stand between files that
wait."""
