#include "session.h"

#include "../port.h"
#include "board.h"
#include "events.h"
#include "frame.h"
#include "identity.h"

#include <string.h>

#define MEMORY 128u       /* bytes of remembered replies: 32 common ones, 14 of the longest */
#define BYTES_A_TURN 32u  /* taken from the line in one turn */

static bool open;
static uint8_t opening[1 + WIRE_IDENTIFY_SIZE]; /* number and payload of the session's Identify */
static uint8_t expected;
static bool executing; /* the reply to command `expected` is not sent yet */
static uint32_t repeated;

/* Remembered replies: type and payload of each, one after the other in a ring. The last one is the
 * reply to the command before `expected`. */
static uint8_t memory[MEMORY];
static uint8_t oldest; /* the index at which the oldest reply begins */
static uint8_t used;
static uint8_t remembered;

_Static_assert(MEMORY >= WIRE_WINDOW * (1u + WIRE_STATISTICS_SIZE),
               "a whole window of commands can be answered again");

void session_begin(void) {
    open = executing = false;
    expected = 0;
    repeated = 0;
    oldest = remembered = 0;
    used = 0;
    frame_begin();
    events_begin();
}

uint32_t session_repeated(void) {
    return repeated;
}

/* Storing replies */

static uint8_t around(uint8_t at) {
    return at % MEMORY;
}

static uint8_t size_at(uint8_t at) {
    return (uint8_t)(1u + frame_payload_size(memory[at]));
}

static void forget_oldest(void) {
    const uint8_t size = size_at(oldest);
    oldest = around((uint8_t)(oldest + size));
    used = (uint8_t)(used - size);
    remembered--;
}

static void remember(uint8_t type, const uint8_t *payload) {
    const uint8_t size = frame_payload_size(type);
    while (remembered == WIRE_REMEMBERED || (uint8_t)(used + size) >= MEMORY) {
        forget_oldest();
    }
    uint8_t at = around((uint8_t)(oldest + used));
    memory[at] = type;
    for (uint8_t byte = 0; byte < size; byte++) {
        at = around((uint8_t)(at + 1u));
        memory[at] = payload[byte];
    }
    used = (uint8_t)(used + size);
    used++;
    remembered++;
}

/* Sends the reply again that was sent `ago` commands ago. */
static void repeat_reply(uint8_t sequence, uint8_t ago) {
    uint8_t at = oldest;
    for (uint8_t skip = (uint8_t)(remembered - ago); skip > 0; skip--) {
        at = around((uint8_t)(at + size_at(at)));
    }
    uint8_t payload[WIRE_MAX_PAYLOAD];
    const uint8_t type = memory[at];
    for (uint8_t byte = 0; byte < frame_payload_size(type); byte++) {
        at = around((uint8_t)(at + 1u));
        payload[byte] = memory[at];
    }
    frame_put(identity.address, sequence, type, payload);
}

void session_reply(uint8_t type, const uint8_t *payload) {
    const uint8_t sequence = expected++;
    executing = false;
    remember(type, payload);
    frame_put(identity.address, sequence, type, payload);
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
    expected = frame->sequence;
    oldest = remembered = 0;
    used = 0;
    events_open((uint8_t)(frame->sequence + 1u));
}

static void command(const struct frame *frame) {
    if (frame->type == WIRE_IDENTIFY && !is_opening(frame)) {
        open_session(frame);
    } else if (!open) {
        return;
    }
    const uint8_t ago = (uint8_t)(expected - frame->sequence);
    if (ago == 0) {
        executing = true;
        board_execute(frame->type, frame->payload, frame->sequence);
    } else if (ago <= remembered) {
        repeated++;
        repeat_reply(frame->sequence, ago);
    }
}

static void receive(const struct frame *frame, uint32_t now) {
    if (frame->address != identity.address) {
        return;
    }
    if (frame->type == WIRE_RECEIVED) {
        events_received(wire_received_event(frame->payload), now);
    } else if (frame->type < WIRE_OK) {
        command(frame);
    }
}

/* A command is taken only if its reply has room, so the main loop never waits for the line. */
static bool may_take(void) {
    return !executing && port_link_room() >= WIRE_MAX_FRAME;
}

bool session_turn(uint32_t now) {
    for (uint8_t taken = 0; taken < BYTES_A_TURN && may_take(); taken++) {
        const int16_t byte = port_link_get();
        if (byte < 0) {
            break;
        }
        struct frame frame;
        if (frame_take((uint8_t)byte, &frame)) {
            receive(&frame, now);
            return true; /* one frame a turn: its events are sent before the next is executed */
        }
        if (taken == BYTES_A_TURN - 1u) {
            return true;
        }
    }
    return false;
}
