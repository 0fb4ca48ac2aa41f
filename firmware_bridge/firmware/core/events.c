#include "events.h"

#include "../port.h"
#include "clock.h"
#include "seal.h"

#define PLACES 40u /* a motion of every output, and faults */
#define SPARE 6u /* places for faults and HELD, which reserve none */
#define LONGEST WIRE_EDGE_SEEN_SIZE

struct event {
    uint8_t type;
    uint8_t payload[LONGEST];
};

static struct event ring[PLACES];
static uint8_t oldest;           /* the place of the oldest event */
static volatile uint8_t waiting; /* events in the ring */
static volatile uint8_t reserved;
static volatile bool has_session;

/* Used by the main loop only. Of the waiting events, the first `sent` were sent at least once. */
static uint8_t sent;
static uint8_t repeating; /* how many of these are still to be sent again, the last of them last */
static uint32_t number;   /* the counter of the oldest event */
static bool repeat_is_set;
static uint32_t repeat_at;
static uint16_t interval_ms;

/* The argument is the sum of two numbers below PLACES. A subtraction takes a tenth of the time of a
 * division on the AVR. */
static uint8_t place_of(uint8_t oldest_and_index) {
    return oldest_and_index < PLACES ? oldest_and_index : (uint8_t)(oldest_and_index - PLACES);
}

bool events_have_room(void) {
    return PLACES - waiting > reserved + SPARE;
}

uint8_t *events_add(uint8_t type) {
    if (!has_session || waiting == PLACES) {
        return 0;
    }
    const uint8_t place = place_of((uint8_t)(oldest + waiting));
    waiting++;
    ring[place].type = type;
    return ring[place].payload;
}

void events_reserve(void) {
    reserved++;
}

void events_free_reserved(void) {
    reserved--;
}

static void forget(uint8_t count) {
    port_lock();
    oldest = place_of((uint8_t)(oldest + count));
    waiting = (uint8_t)(waiting - count);
    port_unlock();
    number += count;
    sent = (uint8_t)(sent - count);
    if (repeating > sent) {
        repeating = sent;
    }
}

void events_begin(void) {
    oldest = waiting = reserved = sent = repeating = 0;
    has_session = false;
    repeat_is_set = false;
    interval_ms = WIRE_REPEAT_AFTER_MS;
}

void events_open(uint32_t counter) {
    port_lock();
    oldest = waiting = 0;
    has_session = true;
    port_unlock();
    sent = repeating = 0;
    number = counter;
    repeat_is_set = false;
}

void events_close(void) {
    port_lock();
    oldest = waiting = 0;
    has_session = false;
    port_unlock();
    sent = repeating = 0;
}

void events_received(const struct frame *received, uint32_t now) {
    const uint8_t before = (uint8_t)(wire_received_event(received->payload) - (uint8_t)number);
    if (before >= sent || !seal_is_genuine(received, number + before)) {
        return;
    }
    forget((uint8_t)(before + 1u));
    interval_ms = WIRE_REPEAT_AFTER_MS;
    repeat_is_set = sent > 0;
    repeat_at = now + interval_ms * UINT32_C(1000);
}

static bool line_has_room(void) {
    return port_link_room() >= WIRE_MAX_FRAME;
}

static void put(uint8_t address, uint8_t index) {
    const uint8_t place = place_of((uint8_t)(oldest + index));
    seal_put(address, number + index, ring[place].type, ring[place].payload);
}

static void repeat_if_due(uint32_t now) {
    if (sent == 0) {
        repeat_is_set = false;
        return;
    }
    if (!repeat_is_set) {
        repeat_is_set = true;
        repeat_at = now + interval_ms * UINT32_C(1000);
        return;
    }
    if (!time_reached(now, repeat_at)) {
        return;
    }
    interval_ms = (uint16_t)(2u * interval_ms);
    if (interval_ms > WIRE_REPEAT_AT_LEAST_EVERY_MS) {
        interval_ms = WIRE_REPEAT_AT_LEAST_EVERY_MS;
    }
    repeat_at = now + interval_ms * UINT32_C(1000);
    repeating = sent;
    port_link_put(0); /* ends any noise that an idle line has collected */
}

/* At most one event a turn: computing its tag takes about 1 ms on the AVR. */
void events_turn(uint8_t address, uint32_t now) {
    if (!line_has_room()) {
        return;
    }
    if (repeating > 0) {
        put(address, (uint8_t)(sent - repeating--));
    } else if (sent < waiting && sent < WIRE_EVENT_WINDOW) {
        put(address, sent++);
    } else {
        repeat_if_due(now);
    }
}
