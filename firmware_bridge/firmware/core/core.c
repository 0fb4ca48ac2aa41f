/* The firmware as a whole: one start, then turns of the main loop (port.h declares both). */
#include "../port.h"
#include "board.h"
#include "frame.h"
#include "identity.h"
#include "memory.h"
#include "session.h"
#include "state.h"

static bool is_announced;

/* The notice means that a session can begin; it has no tag, because there is no session yet. The
 * first zero ends whatever a bootloader has sent. */
static void announce_start(void) {
    if (is_announced || !memory_start_is_kept() || port_link_room() < WIRE_MAX_FRAME) {
        return;
    }
    is_announced = true;
    const uint8_t header[FRAME_HEADER] = {identity.address, 0, WIRE_STARTED};
    uint8_t payload[WIRE_STARTED_SIZE];
    wire_started(payload, (uint16_t)identity.boots, port_reset_cause());
    port_link_put(0);
    frame_put(header, payload, 0);
}

void core_begin(void) {
    identity_begin();
    session_begin();
    board_begin();
    is_announced = false;
    announce_start();
}

bool core_turn(void) {
    const uint32_t began = port_micros();
    struct frame command;
    const enum taken taken = session_turn(began, &command);
    board_plan_steps();
    if (taken == COMMAND) {
        board_execute(command.type, command.payload, command.sequence);
    }
    port_link_hold(lease.holds);
    const bool more = board_turn(began);
    announce_start();
    port_watchdog_kick();
    board_note_turn(port_micros() - began);
    return taken != NOTHING_WAITS || more;
}
