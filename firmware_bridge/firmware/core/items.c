#include "items.h"

#include "bits.h"
#include "identity.h"
#include "kept.h"
#include "outputs.h"
#include "starts.h"

#include <string.h>

/* The first byte of an item; from SENSOR on, it contains a pin. */
/* Firmware that counted 16 bits wrote STARTS_16. */
enum { ORDER = 1, DOME, SAFE_LEVELS, STARTS_16, ORDERS_ARE_OVER, STARTS, SENSOR = 128 };
#define ORDER_SIZE 14u
#define DOME_SIZE 8u
#define SAFE_SIZE (1u + 2u * PIN_BYTES)
#define STARTS_16_SIZE 3u
#define STARTS_SIZE 5u

_Static_assert(ORDER_SIZE <= ITEM_LONGEST, "every item has room");
_Static_assert(PINS <= 128u, "a sensor's item begins with its pin");

/* Writing */

uint8_t item_of_starts(uint8_t *item) {
    item[0] = STARTS;
    wire_put_u32(item + 1, identity.boots);
    return STARTS_SIZE;
}

uint8_t item_of_orders_over(uint8_t *item) {
    item[0] = ORDERS_ARE_OVER;
    return 1;
}

uint8_t item_of_safe_levels(uint8_t *item, bool all) {
    if (!kept.safe_levels_unsaved && !all) {
        return 0;
    }
    kept.safe_levels_unsaved = false;
    item[0] = SAFE_LEVELS;
    memcpy(item + 1, kept.driven, PIN_BYTES);
    memcpy(item + 1 + PIN_BYTES, kept.high, PIN_BYTES);
    return SAFE_SIZE;
}

/* The level is the lowest bit; then the count, seven bits a byte, the lowest first. */
uint8_t item_of_sensor(uint8_t *item, uint8_t pin, bool all) {
    if (!bits_have(kept.unsaved, pin) && !(all && bits_have(kept.known, pin))) {
        return 0;
    }
    bits_remove(kept.unsaved, pin);
    uint32_t left = kept.counts[pin] >> 6;
    const uint8_t low = (uint8_t)((kept.counts[pin] << 1 & 0x7Eu) | bits_have(kept.levels, pin));
    item[0] = (uint8_t)(SENSOR | pin);
    item[1] = left ? (uint8_t)(low | 0x80u) : low;
    uint8_t size = 2;
    while (left) {
        const uint8_t seven = left & 0x7Fu;
        left >>= 7;
        item[size++] = left ? (uint8_t)(seven | 0x80u) : seven;
    }
    return size;
}

uint8_t item_of_dome(uint8_t *item, uint8_t at, bool all) {
    if (!kept.domes[at].unsaved && !(all && kept.domes[at].channel != WIRE_NONE)) {
        return 0;
    }
    kept.domes[at].unsaved = false;
    item[0] = DOME;
    item[1] = kept.domes[at].channel;
    wire_put_u32(item + 2, kept.domes[at].throws);
    wire_put_u16(item + 6, kept.domes[at].faces);
    return DOME_SIZE;
}

/* The duration of an order, also while it runs. After a reset the clock may be a little behind. */
static uint32_t lasted(const struct output *output, uint32_t now) {
    if (output->reason != WIRE_NONE) {
        return output->span;
    }
    return time_reached(now, output->span) ? now - output->span : 0;
}

uint8_t item_of_order(uint8_t *item, uint8_t at) {
    const struct output *const output = &outputs[at];
    if (output->reason == NO_ORDER_YET || output->channel >= MOST_CHANNELS) {
        return 0;
    }
    const uint32_t now = port_micros();
    item[0] = ORDER;
    item[1] = output->channel;
    port_lock();
    item[2] = output->ticket;
    item[3] = output->reason;
    item[4] = output->state & COUNTS;
    item[5] = output->sensor;
    wire_put_u16(item + 6, output->counted);
    wire_put_u32(item + 8, lasted(output, now));
    wire_put_u16(item + 12, output->first);
    port_unlock();
    return ORDER_SIZE;
}

/* Reading */

static uint8_t replay_sensor(const uint8_t *from, uint8_t size) {
    const uint8_t pin = (uint8_t)(from[0] & ~SENSOR);
    uint32_t count = from[1] >> 1 & 0x3Fu;
    uint8_t at = 1;
    for (uint8_t shift = 6; (from[at] & 0x80u) && at + 1u < size && shift < 32;
         shift = (uint8_t)(shift + 7u)) {
        at++;
        count |= (uint32_t)(from[at] & 0x7Fu) << shift;
    }
    if (pin < PINS) {
        kept.counts[pin] = count;
        bits_add(kept.known, pin);
        if (from[1] & 1u) {
            bits_add(kept.levels, pin);
        } else {
            bits_remove(kept.levels, pin);
        }
    }
    return (uint8_t)(at + 1u);
}

static void replay_order(const uint8_t *from) {
    uint8_t at = 0;
    while (at < MOST_OUTPUTS && outputs[at].channel != from[1]) {
        at++;
    }
    for (uint8_t unused = 0; at == MOST_OUTPUTS && unused < MOST_OUTPUTS; unused++) {
        if (outputs[unused].channel == WIRE_NONE) {
            at = unused;
        }
    }
    if (at == MOST_OUTPUTS) {
        return;
    }
    struct output *const output = &outputs[at];
    if (from[1] >= MOST_CHANNELS) {
        return;
    }
    output->channel = from[1];
    output->ticket = from[2];
    /* An order that ran when the board stopped was ended by that. */
    output->reason = from[3] == WIRE_NONE ? REASON_FAULT : from[3];
    output->state = from[4];
    output->sensor = from[5];
    output->counted = wire_get_u16(from + 6);
    output->span = wire_get_u32(from + 8);
    output->first = wire_get_u16(from + 12);
}

static void replay_dome(const uint8_t *from) {
    const uint8_t at = kept_dome_of(from[1]);
    if (at < KEPT_DOMES) {
        kept.domes[at].throws = wire_get_u32(from + 2);
        kept.domes[at].faces = wire_get_u16(from + 6);
    }
}

/* Takes the first item over; returns its size, or all of `size` if it is of an unknown kind. */
static uint8_t replay_item(const uint8_t *from, uint8_t size) {
    if (from[0] >= SENSOR) {
        return size < 2 ? size : replay_sensor(from, size);
    }
    if (from[0] == ORDER && size >= ORDER_SIZE) {
        replay_order(from);
        return ORDER_SIZE;
    }
    if (from[0] == DOME && size >= DOME_SIZE) {
        replay_dome(from);
        return DOME_SIZE;
    }
    if (from[0] == SAFE_LEVELS && size >= SAFE_SIZE) {
        memcpy(kept.driven, from + 1, PIN_BYTES);
        memcpy(kept.high, from + 1 + PIN_BYTES, PIN_BYTES);
        return SAFE_SIZE;
    }
    if (from[0] == STARTS && size >= STARTS_SIZE) {
        starts_replay(wire_get_u32(from + 1));
        return STARTS_SIZE;
    }
    if (from[0] == STARTS_16 && size >= STARTS_16_SIZE) {
        starts_replay_old(wire_get_u16(from + 1));
        return STARTS_16_SIZE;
    }
    if (from[0] == ORDERS_ARE_OVER) {
        kept_forget_orders();
        return 1;
    }
    return size;
}

void items_replay(const uint8_t *body, uint8_t size) {
    while (size > 0) {
        const uint8_t taken = replay_item(body, size);
        body += taken;
        size = (uint8_t)(size - taken);
    }
}
