#include "session.h"

#include "../port.h"
#include "challenge.h"
#include "events.h"
#include "identity.h"
#include "memory.h"
#include "replies.h"
#include "seal.h"

#define BYTES_A_TURN 32u /* taken from the line in one turn */

void session_begin(void) {
    replies_begin();
    frame_begin();
    events_begin();
    seal_begin();
    challenge_begin();
}

/* Commands */

static void open_session(uint32_t counter) {
    seal_open(challenge_keys());
    replies_open(counter);
    events_open(counter);
}

/* Whether a command comes from the host of this session. The proof of Authenticate takes the place
 * of a tag, at the beginning of the session only. */
static bool is_genuine(const struct frame *frame, uint32_t counter) {
    return challenge_was_met(frame, counter) || seal_is_genuine(frame, counter);
}

/* Whether the command is to be executed: it is the next one, and not a repetition. */
static bool is_next(const struct frame *frame) {
    uint32_t counter;
    if (challenge_is_met(frame, &counter)) {
        open_session(counter);
    }
    return seal_is_open() && replies_know(frame->sequence, &counter) &&
           is_genuine(frame, counter) && replies_await(counter);
}

/* Until the number of this start is stored, no Identify is answered: the next start could have the
 * same one. Nor before the program is tested once. */
static void identify(const struct frame *frame) {
    if (memory_start_is_late()) {
        challenge_refuse(frame, REFUSAL_NOT_STORED);
    } else {
        challenge_identify(frame);
    }
}

static bool receive(const struct frame *frame, uint32_t now) {
    bool next = false;
    if (frame->address != identity.address) {
        return false;
    }
    if (frame->type == WIRE_IDENTIFY) {
        identify(frame);
    } else if (frame->type == WIRE_RECEIVED) {
        events_received(frame, now);
    } else if (frame->type < WIRE_OK) {
        next = is_next(frame);
    }
    if (!seal_is_open()) {
        events_close(); /* the session may have ended by forged frames */
    }
    return next;
}

/* A command is taken only if its reply has room, so the main loop never waits for the line. */
static bool may_take(void) {
    return !replies_one_is_due() && port_link_room() >= WIRE_MAX_FRAME;
}

enum taken session_turn(uint32_t now, struct frame *command) {
    const bool more = memory_start_is_kept() && port_is_tested() && challenge_turn(now);
    for (uint8_t taken = 0; taken < BYTES_A_TURN; taken++) {
        const int16_t byte = may_take() ? port_link_get() : -1;
        if (byte < 0) {
            return more ? BYTES : NOTHING_WAITS;
        }
        if (frame_take((uint8_t)byte, command)) {
            return receive(command, now) ? COMMAND : BYTES; /* one frame a turn */
        }
    }
    return BYTES;
}
