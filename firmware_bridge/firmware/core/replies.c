#include "replies.h"

#include "identity.h"
#include "limits.h"
#include "seal.h"

#include <string.h>

#define LONGEST WIRE_STATISTICS_SIZE
_Static_assert(LONGEST >= WIRE_REFUSED_SIZE && LONGEST >= WIRE_VALUE_SIZE &&
                   LONGEST >= WIRE_TAG_SIZE && LONGEST >= WIRE_RECALLED_SIZE &&
                   LONGEST >= WIRE_SUPPLY_SIZE,
               "every reply of a session but Limits fits into its place");

/* The payload of Limits is computed again for a repetition: a place for it would take 144 bytes of RAM. */
struct reply {
    uint8_t type;
    uint8_t payload[LONGEST];
};

static struct reply replies[WIRE_REMEMBERED]; /* each at its number modulo WIRE_REMEMBERED */
static uint8_t remembered; /* replies of this session, at most WIRE_REMEMBERED */
static uint32_t expected;  /* the counter of the next command */
static bool due;           /* the reply to command `expected` is not sent yet */
static uint32_t repeated;

void replies_begin(void) {
    due = false;
    expected = 0;
    repeated = 0;
    remembered = 0;
}

void replies_open(uint32_t counter) {
    expected = counter;
    remembered = 0;
}

bool replies_one_is_due(void) {
    return due;
}

uint32_t replies_repeated(void) {
    return repeated;
}

static struct reply *reply_to(uint8_t sequence) {
    return &replies[sequence % WIRE_REMEMBERED];
}

void replies_send(uint8_t type, const uint8_t *payload) {
    struct reply *const reply = reply_to((uint8_t)expected);
    const uint8_t size = frame_payload_size(type);
    reply->type = type;
    if (size != 0 && size <= LONGEST) {
        memcpy(reply->payload, payload, size);
    }
    if (remembered < WIRE_REMEMBERED) {
        remembered++;
    }
    due = false;
    seal_put(identity.address, expected++, type, payload);
}

bool replies_know(uint8_t sequence, uint32_t *counter) {
    const uint8_t ago = (uint8_t)((uint8_t)expected - sequence);
    *counter = expected - ago;
    return ago <= remembered;
}

bool replies_await(uint32_t counter) {
    if (counter == expected) {
        due = true;
        return true;
    }
    const struct reply *const reply = reply_to((uint8_t)counter);
    const uint8_t *payload = reply->payload;
    uint8_t limits_payload[WIRE_LIMITS_SIZE];
    repeated++;
    if (reply->type == WIRE_LIMITS) {
        limits_report(limits_payload);
        payload = limits_payload;
    }
    seal_put(identity.address, counter, reply->type, payload);
    return false;
}
