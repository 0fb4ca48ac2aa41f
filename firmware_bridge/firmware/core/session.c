#include "session.h"

#include "../port.h"
#include "events.h"
#include "identity.h"
#include "replies.h"

#include <string.h>

#define BYTES_A_TURN 32u /* taken from the line in one turn */

static bool open;
static uint8_t opening[1 + WIRE_IDENTIFY_SIZE]; /* number and payload of the session's Identify */

void session_begin(void) {
    open = false;
    replies_begin();
    frame_begin();
    events_begin();
}

/* Commands */

static bool is_opening(const struct frame *frame) {
    return open && opening[0] == frame->sequence &&
           memcmp(opening + 1, frame->payload, WIRE_IDENTIFY_SIZE) == 0;
}

static void open_session(const struct frame *frame) {
    open = true;
    opening[0] = frame->sequence;
    memcpy(opening + 1, frame->payload, WIRE_IDENTIFY_SIZE);
    replies_open(frame->sequence);
    events_open((uint8_t)(frame->sequence + 1u));
}

/* Whether the command is to be executed: it is the next one, and not a repetition. */
static bool is_next(const struct frame *frame) {
    if (frame->type == WIRE_IDENTIFY && !is_opening(frame)) {
        open_session(frame);
    }
    return open && replies_await(frame->sequence);
}

static bool receive(const struct frame *frame, uint32_t now) {
    if (frame->address != identity.address) {
        return false;
    }
    if (frame->type == WIRE_RECEIVED) {
        events_received(wire_received_event(frame->payload), now);
    }
    return frame->type < WIRE_OK && is_next(frame);
}

/* A command is taken only if its reply has room, so the main loop never waits for the line. */
static bool may_take(void) {
    return !replies_one_is_due() && port_link_room() >= WIRE_MAX_FRAME;
}

enum taken session_turn(uint32_t now, struct frame *command) {
    for (uint8_t taken = 0; taken < BYTES_A_TURN; taken++) {
        const int16_t byte = may_take() ? port_link_get() : -1;
        if (byte < 0) {
            return NOTHING_WAITS;
        }
        if (frame_take((uint8_t)byte, command)) {
            return receive(command, now) ? COMMAND : BYTES; /* one frame a turn */
        }
    }
    return BYTES;
}
