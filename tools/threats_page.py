"""Writes docs/regulate/THREATS.md: attackers, their ways in, the defences, and their tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tools.named_tests import linked


class Threat(NamedTuple):
    """A row of the page: who attacks, how, what prevents it, and the tests that show it."""

    attacker: str
    way: str
    defence: str
    tests: tuple[str, ...]


BREAK_INS = (
    Threat(
        "a person who reaches a USB port of the table",
        "An exposed USB port of a shuffler gave access to its program.",
        "A USB stick is read only when an administrator names it as the source of an update, and"
        " then only signed releases count. A board on USB takes no command outside of a session,"
        " for which both sides prove the board's key.",
        (
            "test_arbitrary_software_is_refused",
            "test_metadata_that_is_signed_with_other_keys_is_refused",
            "test_before_a_session_no_command_is_executed_and_no_event_is_sent",
        ),
    ),
    Threat(
        "a person who knows the password of another table",
        "All units of a model had the same passwords.",
        "There is no default password. The first technician sets one by a link that works once;"
        " every table has accounts of its own, and only hashes are stored.",
        (
            "test_the_first_technician_sets_a_password_with_a_link_that_works_once",
            "test_the_file_has_neither_passwords_nor_secrets_and_only_its_owner_reads_it",
            "test_a_name_is_locked_after_failed_attempts_and_free_again_later",
        ),
    ),
    Threat(
        "a person who can write the program's files",
        "The reference hash was stored beside the code that it checks, so both were exchanged.",
        "The manifest is signed with a key that is not on the table, lies in a folder that the"
        " program cannot write, and is checked before the program runs. A program that the"
        " service's user could write does not run, because it could leave out the check.",
        (
            "test_a_program_that_the_service_could_write_is_refused",
            "test_R12_a_changed_program_does_not_start_and_names_the_file",
            "test_any_changed_byte_of_the_manifest_is_refused",
            "test_a_reference_that_the_program_could_write_is_refused",
            "test_R12_a_challenge_cannot_be_answered_from_stored_hashes",
        ),
    ),
    Threat(
        "a person who offers an update",
        "Updates were not signed, so any program could be installed.",
        "An update needs current metadata by the maker's keys and a manifest by a trusted signer."
        " Firmware images are signed too.",
        (
            "test_any_changed_byte_of_the_metadata_is_refused",
            "test_the_root_is_renewed_before_it_ends",
            "test_a_failed_health_check_leaves_the_release_before_for_a_roll_back",
            "test_a_manifest_by_a_stranger_is_refused_even_with_the_makers_metadata",
            "test_an_image_of_a_signer_whom_this_host_does_not_trust_is_not_flashed",
        ),
    ),
    Threat(
        "the owner of another unit",
        "One key was in all units, so one opened unit opened every other.",
        "Each board gets a key of its own when it is provisioned, and no answer of a board contains"
        " it. Logs are signed with a key that the table has made itself.",
        (
            "test_a_foreign_board_with_the_right_serial_number_is_refused",
            "test_a_key_file_cannot_declare_a_public_key_secret",
            "test_two_logs_have_different_origins_and_keys",
        ),
    ),
    Threat(
        "a person in the same network",
        "Network ports were open for everybody.",
        "The service listens on the table's own computer only, unless an administrator gives an"
        " address and a certificate. Every endpoint needs a role.",
        (
            "test_other_computers_may_connect_with_tls_only",
            "test_a_role_may_use_exactly_its_endpoints",
            "test_a_request_from_a_page_of_another_site_is_refused",
        ),
    ),
    Threat(
        "a player who computes the next game",
        "A linear congruential generator with a seed of 32 bits could be searched.",
        "The choices come from the operating system's generator through a DRBG with 256 bits of"
        " security, and a real table takes no seed.",
        (
            "test_r2_the_source_of_a_real_table_takes_no_seed",
            "test_r2_two_devices_and_two_draws_give_different_shares",
        ),
    ),
    Threat(
        "a person who has modified a table's program",
        "A machine that knows the players' shares can add a choice of its own, and try names for it"
        " until the choices that matter suit it; a player can take all places for shares.",
        "The commitment binds the machine's share and the list of choices before the first share of"
        " a player; places are limited for each seat and each person. A code of each share shows"
        " its player whether the list before it was changed. Not protected: a machine that invents"
        " a share behind the last player's, which the players find only by asking each other"
        " ([CHANCE.md](CHANCE.md#one-cycle)).",
        (
            "test_the_code_of_a_share_fixes_the_list_up_to_it_and_nothing_after_it",
            "test_a_machine_that_invents_a_share_is_shown_by_the_code_of_the_last_player",
            "test_the_code_of_a_players_share_must_be_in_the_receipt",
            "test_a_choice_that_is_added_after_the_commitment_is_refused_by_both_verifiers",
            "test_no_player_takes_the_places_of_the_others",
        ),
    ),
    Threat(
        "a person who reads what the machine sees",
        "The camera inside a shuffler showed the order of the cards to a device outside.",
        "No answer to any role, also not a technician's diagnostics, contains a tile that players"
        " cannot see.",
        (
            "test_R17_no_answer_to_any_role_names_a_hidden_tile",
            "test_only_tiles_that_were_turned_up_or_laid_open_appear",
        ),
    ),
)
"""Known break-ins of card shufflers."""
SERIAL_LINE = (
    Threat(
        "a person with a laptop between host and board",
        "Sends commands of their own.",
        "A command needs a session and a tag by a session key; 64 wrong tags end the session.",
        (
            "test_a_command_without_a_tag_is_not_executed",
            "test_64_guessed_tags_end_the_session",
        ),
    ),
    Threat(
        "the same person",
        "Changes, repeats or reorders frames.",
        "Tags cover a counter that is not transmitted; a changed frame is dropped, and many of them"
        " are a fault that the operator sees.",
        (
            "test_a_command_that_was_altered_on_the_line_is_not_executed",
            "test_a_duplicate_of_any_age_is_never_executed",
            "test_forged_frames_become_a_fault_that_the_operator_sees",
        ),
    ),
    Threat(
        "the same person",
        "Records a session and plays it back.",
        "Session keys come from two nonces that are new in each session. The board's contains the"
        " number of its start, which is stored before any session and never used again, whatever"
        " power cuts and damage happen.",
        (
            "test_no_recorded_session_is_accepted_in_any_later_start",
            "test_a_power_cut_at_every_write_of_a_start_lets_no_session_be_repeated",
            "test_a_board_that_loses_its_log_never_returns_to_a_number",
            "test_a_recorded_session_is_refused",
            "test_a_recorded_session_that_is_played_back_is_refused",
        ),
    ),
    Threat(
        "the same person",
        "Asks for identities without pause, so that no host can begin a session.",
        "The board answers one question after the other, and a later one neither restarts nor ends"
        " an earlier one.",
        (
            "test_a_stranger_who_asks_without_pause_does_not_keep_a_host_from_its_answer",
            "test_the_questions_of_a_stranger_do_not_end_the_challenge_of_a_host",
        ),
    ),
    Threat(
        "a program on the table's computer that has the key of a board",
        "Takes a lease of a minute, or configures motors without a maximum on-time or without the"
        " light curtain.",
        "Limits are provisioned in the board, which refuses what exceeds them.",
        (
            "test_a_lease_of_65_seconds_is_refused",
            "test_a_motors_pin_as_another_kind_of_channel_has_the_same_limits",
            "test_a_guarded_part_without_its_flag_is_refused_on_either_of_its_pins",
        ),
    ),
    Threat(
        "the same person",
        "Connects another board, or forges a reset to make the host lose its place.",
        "The host compares key, serial number, build, configuration and count of starts, and drives"
        " nothing until a technician has decided.",
        (
            "test_R13_a_board_proves_its_key_after_each_reset_and_another_one_is_not_driven",
            "test_a_forged_notice_of_a_start_costs_a_session_and_is_reported",
        ),
    ),
    Threat(
        "the same person",
        "Cuts the line while motors run.",
        "The board sets every output to its safe value when its lease is not renewed.",
        ("test_R13_a_board_makes_its_outputs_safe_when_its_host_is_silent",),
    ),
    Threat(
        "a person with a laptop at the other port of a Pico, USB or UART",
        "Sends without pause, asks for identities, or opens the port and reads nothing.",
        "Both ports are one line until a host takes the lease; from then on its port is the only"
        " one that is heard. USB has no interrupt, so it delays neither a stop nor a step.",
        (
            "test_while_a_host_holds_the_lease_nobody_is_heard_on_the_other_way",
            "test_a_stranger_with_an_open_usb_port_cannot_keep_a_host_from_its_session",
            "test_every_output_of_a_pico_is_safe_10_us_after_the_emergency_stop",
        ),
    ),
)
"""A person with a laptop on the serial line."""
FLOOR = (
    Threat(
        "a person in the network of the broker",
        "Connects without a certificate, with one of another authority, or with an ended one.",
        "The broker accepts only certificates of the floor's own authority.",
        (
            "test_a_client_without_a_certificate_is_refused",
            "test_a_certificate_of_another_floors_authority_is_refused",
            "test_an_ended_certificate_is_refused",
        ),
    ),
    Threat(
        "a person who has stolen a table's certificate and key",
        "Publishes or reads as another table or as the floor, also by a will or a retained message;"
        " ends another table's connection; pretends to be the broker.",
        "The certificate's common name is the user name and the client identifier, and limits the"
        " topics to the table's own. The certificate is a client's only.",
        (
            "test_a_table_cannot_publish_as_another_table_nor_as_the_floor",
            "test_a_table_reads_messages_to_itself_only",
            "test_a_forged_will_in_the_name_of_another_table_is_not_published",
            "test_a_table_cannot_end_the_connection_of_another_with_its_identifier",
            "test_a_stolen_tables_certificate_cannot_serve_as_the_broker",
        ),
    ),
    Threat(
        "the same person",
        "Goes on with the certificate after the theft was noticed, or the table was retired.",
        "A revoked certificate is refused from the next connection on; a live connection ends when"
        " the new certificate connects or the broker restarts. The floor service drops the messages"
        " of a retired table at once.",
        (
            "test_a_revoked_certificate_is_refused_after_a_reload",
            "test_a_retired_table_that_is_still_connected_changes_nothing_on_the_floor",
        ),
    ),
    Threat(
        "the same person",
        "Floods the floor with 10,000 messages in a second, or sends payloads of 10 MB.",
        "The broker's firewall limits what each address sends, the floor service what it takes from"
        " each table, and the broker disconnects the sender of a packet that is too large.",
        (
            "test_a_flooding_table_does_not_delay_the_messages_of_another",
            "test_a_table_that_floods_loses_its_own_messages_only",
            "test_a_payload_that_is_too_large_ends_its_senders_connection_only",
        ),
    ),
    Threat(
        "the same person",
        "Sends malformed or forged retained messages, other events than those of the table's log,"
        " or names with SQL or HTML.",
        "What does not parse is dropped. A batch must continue the hash of the stored event before"
        " it. SQL has parameters only, and pages and templates take texts as texts.",
        (
            "test_malformed_messages_of_one_client_are_dropped_and_counted",
            "test_retained_messages_that_a_table_forges_change_nothing_of_another",
            "test_a_log_that_was_changed_is_refused",
            "test_a_damaged_line_is_refused_and_other_tables_lose_nothing",
            "test_names_and_texts_with_sql_and_html_are_stored_as_they_are",
            "test_html_in_a_title_is_shown_as_text",
            "test_no_text_of_the_table_becomes_part_of_a_template",
            "test_no_text_of_a_table_becomes_a_formula_of_a_spreadsheet",
        ),
    ),
    Threat(
        "a person who controls the broker",
        "Sends requests to tables, or repeats recorded ones.",
        "A request is signed for one table and one connection, with a number that grows. No request"
        " moves anything, and the table's file says which ones it considers.",
        (
            "test_a_recorded_request_is_executed_once_also_after_a_reconnect",
            "test_forged_old_and_foreign_requests_get_no_reply",
            "test_a_request_that_the_table_does_not_permit_is_refused_with_a_sentence",
        ),
    ),
    Threat(
        "a player, a device on a wall, or a page of another site",
        "Reads the floor, acknowledges an alarm or sends a request to a table in a person's name.",
        "Every endpoint of the floor has a least role, and players have none. What is done in a"
        " person's name needs that person's login and the CSRF token of its page.",
        (
            "test_every_endpoint_of_the_floor_is_refused_without_login",
            "test_a_player_sees_nothing_of_the_floor",
            "test_an_acknowledgement_needs_the_csrf_token_the_role_and_a_person",
        ),
    ),
    Threat(
        "a person who works on the floor",
        "Denies an acknowledgement or a request, or guesses passwords of others unnoticed.",
        "The floor service records each with person and address, also refused ones, in a signed log"
        " of its own.",
        (
            "test_logins_acknowledgements_and_requests_are_recorded_with_person_and_address",
            "test_a_changed_log_of_the_floor_is_refused_at_the_start",
        ),
    ),
)
"""Tables, the broker and the floor service."""
OTHERS = (
    Threat(
        "a person who has kept an old release or old metadata",
        "Offers an older release with a known defect, or the same old state for ever.",
        "Versions only rise, metadata expires, a lower release is refused, and a clock before the"
        " installed release is refused.",
        (
            "test_a_replayed_older_state_is_refused",
            "test_a_downgrade_with_valid_metadata_is_refused",
            "test_a_frozen_source_is_refused_when_its_metadata_has_expired",
        ),
    ),
    Threat(
        "a person who controls the source of updates",
        "Mixes parts of different states, sends endless data, or puts files outside the folder.",
        "Each part names the hash and the length of the next; an archive has regular files below"
        " its own folder only.",
        (
            "test_parts_of_different_states_are_refused",
            "test_endless_data_is_refused_at_the_signed_length",
            "test_an_archive_with_a_name_outside_the_program_is_refused",
        ),
    ),
    Threat(
        "a person who switches the power off during an update",
        "Leaves a mixture of two programs.",
        "The slot that runs is never written. The pointer is replaced in one step, and a slot"
        " counts only if all its files match its manifest.",
        ("test_a_power_cut_during_an_update_leaves_one_of_two_valid_slots",),
    ),
    Threat(
        "a person who changes files while the table runs",
        "Exchanges a module after the check at the start.",
        "The service checks all files at intervals and locks the table.",
        ("test_R12_a_changed_file_locks_the_table_until_the_next_start",),
    ),
    Threat(
        "a person at the table's computer who wants another past",
        "Changes the log of events or the journal, cuts the log back, puts back an older copy,"
        " deletes it, or adds a line behind its last signature.",
        "The log is a signed Merkle tree, whose heads others can witness; on a floor the floor"
        " service does. The journal is a hash chain in three copies. The journal and the store of"
        " the evenings keep the size and the root of the log. Not found on the table: a person who"
        " replaces all of them together.",
        (
            "test_an_older_copy_of_the_log_locks_it",
            "test_a_log_that_is_cut_back_to_a_kept_head_locks",
            "test_a_log_that_is_deleted_is_not_begun_again_in_silence",
            "test_the_journal_finds_an_older_copy_of_log_and_store",
            "test_a_line_that_is_forged_behind_the_head_is_not_signed",
            "test_a_changed_byte_of_a_signed_event_locks_the_log",
            "test_a_table_that_signs_other_events_than_it_sends_is_shown",
            "test_a_witness_refuses_a_log_that_was_rewritten",
            "test_R8_damage_in_all_copies_locks_the_journal_and_does_not_clear_itself",
        ),
    ),
    Threat(
        "a person who gives a verifier a file",
        "Changes a bundle or a receipt, signs with a key of his own, begins a log whose last event"
        " introduces the table's key, or makes the verifier wait, use up the memory, or print"
        " something else than the result.",
        "Each byte is covered by a signature or has only one permitted form; with `--key` the last"
        " signature must be by the given key or by one that it has introduced, and with `--witness`"
        " or `--time-authority` theirs must be there; sizes are limited before a file is parsed;"
        " control characters are not printed.",
        (
            "test_a_log_that_only_ends_with_the_introduction_of_the_known_key_proves_nothing",
            "test_no_forged_or_altered_file_is_accepted_by_either_verifier",
            "test_no_key_can_be_removed_from_the_beginning_of_a_receipt",
            "test_a_receipt_is_refused_if_a_witness_or_an_authority_is_required",
            "test_any_changed_byte_is_refused_with_a_reason",
            "test_any_changed_byte_of_a_receipt_is_refused",
            "test_contents_of_another_json_type_are_refused",
            "test_a_bundle_of_another_device_is_refused_if_the_key_is_known",
            "test_a_header_with_millions_of_values_is_refused_before_it_is_parsed",
            "test_a_pipe_and_a_device_are_refused_and_not_waited_for",
            "test_a_forgers_texts_do_not_control_the_terminal",
        ),
    ),
    Threat(
        "a stranger who reaches the port of the service",
        "Sends large or deep bodies, asks for what is slow to make, or holds 1,000 idle sockets, so"
        " that the table's leases expire or its files cannot be opened.",
        "The API has a thread and an event loop of its own. Bodies are bounded by endpoint before"
        " they are parsed, connections are limited in all and by address, and 128 file descriptors"
        " stay with the table.",
        (
            "test_the_loop_of_the_table_runs_on_while_the_api_computes_for_a_second",
            "test_what_a_client_without_login_sends_is_bounded_before_it_is_read",
            "test_a_person_is_answered_however_many_idle_connections_there_are",
            "test_a_client_that_sends_no_whole_request_is_disconnected",
            "test_a_thousand_idle_connections_leave_the_table_its_descriptors",
        ),
    ),
    Threat(
        "a page of another site in a browser that can reach the table",
        "Sends requests in a person's name, or makes the name of its site resolve to the table's"
        " address, so that the browser lets it read the answers.",
        "A request must name the table as its host, and a request that changes something must come"
        " from the table's own page: cookies are not sent for other sites, and the header `Origin`"
        " and a CSRF token are compared.",
        (
            "test_a_site_that_resolves_to_the_table_gets_nothing_and_leaves_no_trace",
            "test_a_browser_comes_in_by_address_and_by_mdns_name_and_a_rebound_page_does_not",
            "test_a_request_from_a_page_of_another_site_is_refused",
        ),
    ),
    Threat(
        "a person who guesses passwords or codes from many addresses of one network, or sets the"
        " clock",
        "Has a new address for each attempt, or makes a code, a link or a login last for longer.",
        "An IPv6 network of 64 bits is one client. One-time codes and links expire by a clock that"
        " a person cannot set. A login also ends when the service has run for as long as the login"
        " is valid. Expired codes and logins are deleted. Not protected: a person with many"
        " networks; each has 20 attempts.",
        (
            "test_a_client_with_a_network_of_addresses_is_one_client",
            "test_a_jump_of_the_clock_neither_ends_nor_extends_what_is_used_once",
            "test_a_clock_that_is_set_back_extends_no_login_also_between_two_starts",
            "test_a_login_that_has_expired_is_not_revived",
        ),
    ),
    Threat(
        "a player or a stranger who fills the log",
        "Logs in, guesses the present password, or asks for paths of 15 KB, without a pause.",
        "At most 60 refused requests a minute are recorded, with at most 100 characters of their"
        " path; a user can log in once in 10 s for a long time; a change of the password is"
        " recorded after the present one was verified.",
        (
            "test_logins_without_end_do_not_fill_the_log",
            "test_wrong_passwords_of_a_player_are_no_changes_in_the_log",
            "test_the_path_of_a_refused_request_is_recorded_up_to_a_length",
        ),
    ),
    Threat(
        "a client behind a proxy",
        "States the address of another computer, of the table itself, or a text without end.",
        "`X-Forwarded-For` counts from configured proxies only, and only its last address that is"
        " no proxy's. No proxy on another computer makes a client this computer.",
        (
            "test_the_last_address_that_is_no_proxys_is_the_clients",
            "test_a_proxy_on_another_computer_makes_nobody_the_touchscreen",
            "test_no_text_of_a_proxy_becomes_a_long_address",
        ),
    ),
    Threat(
        "a person who fills or damages the disk",
        "Plays on while nothing is stored, or acts while the audit log cannot be written.",
        "A command is in the log before it takes effect and in the store before it is acknowledged;"
        " a change of accounts is in the log before it is made. Otherwise it is refused, and the"
        " table stops with a fault. Only stops wait for no disk. Logins and logouts are recorded"
        " after they happened, so that people can see why the log is locked.",
        (
            "test_nothing_acknowledged_is_lost_and_a_pause_waits_for_no_disk",
            "test_no_command_takes_effect_before_its_event_is_on_disk",
            "test_nothing_of_the_accounts_changes_before_it_is_recorded",
        ),
    ),
    Threat(
        "a person whose account was changed or deleted",
        "Uses a login that was in flight, a token, a device or a pairing code.",
        "A login is bound to the password that was verified, a token or a device to the technician"
        " who has made it.",
        (
            "test_a_login_in_flight_does_not_survive_a_change_of_the_password",
            "test_a_deleted_users_login_is_not_that_of_the_next_user_of_the_name",
            "test_what_a_technician_has_made_ends_with_the_rights_of_the_technician",
        ),
    ),
    Threat(
        "a program or a person at the table's computer",
        "Locks the technician out by wrong passwords or a flood of them, or takes a name that looks"
        " like another.",
        "Attempts from this computer wait for each other instead of being locked. A browser in"
        " which the technician has logged in before, and the touchscreen, have turns of their own."
        " Names have letters of one alphabet, and no name may look like another.",
        (
            "test_a_program_at_the_table_cannot_lock_out_the_technician_at_it",
            "test_a_flood_of_guesses_does_not_delay_a_technician_in_a_known_browser",
            "test_the_touchscreen_is_a_known_browser_for_everybody_and_stays_one_after_a_logout",
            "test_a_program_at_the_table_cannot_keep_people_from_the_link_of_the_first_start",
            "test_names_that_look_like_another_are_refused",
        ),
    ),
    Threat(
        "a player with a phone",
        "Fills the log with refused commands, or gives a pause an id that was used before.",
        "Refused commands are recorded by kind, at most 60 a minute, and counted; each caller's"
        " commands are limited. A pause is executed each time, whatever its id is.",
        (
            "test_refused_commands_are_counted_and_their_arguments_are_not_recorded",
            "test_a_caller_cannot_give_commands_without_limit_but_can_always_stop_the_table",
            "test_a_pause_with_a_used_id_pauses_the_table",
        ),
    ),
    Threat(
        "a player with a phone",
        "Clears a fault that only a technician may clear, or chooses the cut after the dice.",
        "Each prompt and each command has a least role; the prompt of the cut closes before the"
        " throw.",
        (
            "test_R15_a_player_cannot_clear_a_jam_and_an_attendant_can",
            "test_R18_the_cut_is_chosen_before_the_dice_and_refused_after_them",
        ),
    ),
)
"""Other ways in."""


def page() -> str:
    """The page. Raises LookupError for a test that does not exist."""
    return (
        HEAD
        + "\n## Known break-ins of card shufflers\n\n"
        + _table(BREAK_INS)
        + "\n## A person with a laptop on the serial line\n\n"
        + LINE
        + _table(SERIAL_LINE)
        + "\n## Tables on a floor\n\n"
        + _table(FLOOR)
        + "\n## Other ways in\n\n"
        + _table(OTHERS)
        + FOOT
    )


def _table(rows: Iterable[Threat]) -> str:
    lines = [
        f"| {row.attacker} | {row.way} | {row.defence} |"
        f" {'; '.join(linked(test) for test in row.tests)} |\n"
        for row in rows
    ]
    return "| attacker | way in | defence | tests |\n|---|---|---|---|\n" + "".join(lines)


HEAD = """\
# Attackers and defences

This page is generated by `tools/threats_page.py`; `make docs` writes it, and every test that it
names exists. The requirements of regulators are in [COMPLIANCE.md](COMPLIANCE.md).

The **owner of the signing keys** (the maker) and **root on the table's computer** are trusted.
Not protected:

- A person who is root on the table's computer can change the checks themselves, and answer a
  challenge from a copy of the signed files. A verified start of the computer, a read-only disk, and
  reading the disk in another computer help against that.
- Python itself and the operating system are outside of the manifest.
- A board cannot check the signature of its firmware, and a stock bootloader gives the board's key
  to a person who holds the board
  ([decision 24](../decisions/0024-mutual-proof-and-tagged-frames.md)).
- A person who looks at the tiles, marks them, or moves them by hand. Sensors count tiles; they do
  not see faces on most tables.
"""
LINE = """\
Such a person can read the positions of tiles that the machine moves, but no face, unless the
table has a reader. They can also stop the table by cutting or disturbing the line, which is a
pause and loses no tile. A device that passes all bytes on without delay is a longer cable.

"""
FOOT = """
## What is not on this page

The shuffle itself: a drum that mixes badly is an advantage for a player who follows the tiles,
and no cryptography prevents it. `wallwright check` warns about a mixing time that is too short for
the drum ([MIXING.md](../build/MIXING.md)), `wallwright lab shuffle` examines recorded cycles
([LABORATORY.md](../build/LABORATORY.md)), and a magazine makes the order independent of the drum.
"""
