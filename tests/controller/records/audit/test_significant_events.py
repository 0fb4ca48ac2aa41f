from controller.records.audit.log.event_line import LONGEST_LINE, plain_details


def test_details_that_a_log_could_not_read_again_become_a_short_text() -> None:
    assert plain_details({"dice": [1, 2]}) == {"dice": [1, 2]}
    for details in ({"value": float("nan")}, {"value": "x" * LONGEST_LINE}, {"value": 2**60}):
        assert len(str(plain_details(details)["text"])) <= 2000
