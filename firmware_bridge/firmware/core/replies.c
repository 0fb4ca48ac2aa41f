#include "replies.h"

#include "frame.h"
#include "identity.h"

#include <string.h>

/* Identity is longer than all other replies. It begins a session, so at most one is remembered; its
 * payload has a place of its own. */
#define LONGEST WIRE_STATISTICS_SIZE
_Static_assert(LONGEST >= WIRE_REFUSED_SIZE && LONGEST >= WIRE_VALUE_SIZE &&
                   LONGEST >= WIRE_TAG_SIZE && LONGEST >= WIRE_RECALLED_SIZE,
               "every reply but Identity fits into its place");

struct reply {
    uint8_t type;
    uint8_t payload[LONGEST];
};

static struct reply replies[WIRE_REMEMBERED]; /* each at its number modulo WIRE_REMEMBERED */
static uint8_t identity_payload[WIRE_IDENTITY_SIZE];
static uint8_t remembered; /* replies of this session, at most WIRE_REMEMBERED */
static uint8_t expected;   /* the number of the next command */
static bool due;           /* the reply to command `expected` is not sent yet */
static uint32_t repeated;

void replies_begin(void) {
    due = false;
    expected = 0;
    repeated = 0;
    remembered = 0;
}

void replies_open(uint8_t sequence) {
    expected = sequence;
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

static uint8_t *payload_of(struct reply *reply) {
    return reply->type == WIRE_IDENTITY ? identity_payload : reply->payload;
}

void replies_send(uint8_t type, const uint8_t *payload) {
    struct reply *const reply = reply_to(expected);
    const uint8_t size = frame_payload_size(type);
    reply->type = type;
    if (size != 0) {
        memcpy(payload_of(reply), payload, size);
    }
    if (remembered < WIRE_REMEMBERED) {
        remembered++;
    }
    due = false;
    frame_put(identity.address, expected++, type, payload);
}

bool replies_await(uint8_t sequence) {
    const uint8_t ago = (uint8_t)(expected - sequence);
    if (ago == 0) {
        due = true;
        return true;
    }
    if (ago <= remembered) {
        struct reply *const reply = reply_to(sequence);
        repeated++;
        frame_put(identity.address, sequence, reply->type, payload_of(reply));
    }
    return false;
}
