#include "replies.h"

#include "frame.h"
#include "identity.h"

#define MEMORY 128u /* bytes of remembered replies: 32 common ones, 14 of the longest */

static uint8_t expected; /* the number of the next command */
static bool due;         /* the reply to command `expected` is not sent yet */
static uint32_t repeated;

/* Remembered replies: type and payload of each, one after the other in a ring. The last one is the
 * reply to the command before `expected`. */
static uint8_t memory[MEMORY];
static uint8_t oldest; /* the index at which the oldest reply begins */
static uint8_t used;
static uint8_t remembered;

_Static_assert(MEMORY >= WIRE_WINDOW * (1u + WIRE_STATISTICS_SIZE),
               "a whole window of commands can be answered again");

void replies_begin(void) {
    due = false;
    expected = 0;
    repeated = 0;
    oldest = remembered = 0;
    used = 0;
}

void replies_open(uint8_t sequence) {
    expected = sequence;
    oldest = remembered = 0;
    used = 0;
}

bool replies_one_is_due(void) {
    return due;
}

uint32_t replies_repeated(void) {
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

void replies_send(uint8_t type, const uint8_t *payload) {
    const uint8_t sequence = expected++;
    due = false;
    remember(type, payload);
    frame_put(identity.address, sequence, type, payload);
}

bool replies_await(uint8_t sequence) {
    const uint8_t ago = (uint8_t)(expected - sequence);
    if (ago == 0) {
        due = true;
        return true;
    }
    if (ago <= remembered) {
        repeated++;
        repeat_reply(sequence, ago);
    }
    return false;
}
