#include "kept.h"

#include "bits.h"
#include "identity.h"
#include "outputs.h"

#include <string.h>

/* The first byte of an item; from SENSOR on, it contains a pin. */
enum { ORDER = 1, DOME, SAFE_LEVELS, STARTS, ORDERS_ARE_OVER, SENSOR = 128 };
#define ORDER_SIZE 14u
#define DOME_SIZE 8u
#define SAFE_SIZE (1u + 2u * PIN_BYTES)
#define STARTS_SIZE 3u

_Static_assert(ORDER_SIZE <= KEPT_LONGEST, "every item has room");
_Static_assert(PINS <= 128u, "a sensor's item begins with its pin");

/* What is kept, as last known. `unsaved` marks what the log does not have yet. */
static struct {
    uint32_t counts[PINS];
    uint8_t known[PIN_BYTES]; /* pins that have a count */
    uint8_t levels[PIN_BYTES];
    uint8_t unsaved[PIN_BYTES];
    uint8_t driven[PIN_BYTES]; /* outputs of the last table, and those that are safe when high */
    uint8_t high[PIN_BYTES];
    bool safe_levels_unsaved;
    struct {
        uint8_t channel; /* or WIRE_NONE */
        bool unsaved;
        uint32_t throws;
        uint16_t faces;
    } domes[KEPT_DOMES];
} kept;

/* Taking over the state of the table in force */

static void keep_sensor(const struct sensor *sensor) {
    const uint8_t pin = sensor->pin;
    if (pin >= PINS) {
        return;
    }
    port_lock();
    const uint32_t count = sensor->count;
    const bool active = (sensor->state & ACTIVE) != 0;
    port_unlock();
    if (bits_have(kept.known, pin) && kept.counts[pin] == count &&
        bits_have(kept.levels, pin) == active) {
        return;
    }
    kept.counts[pin] = count;
    bits_add(kept.known, pin);
    bits_add(kept.unsaved, pin);
    if (active) {
        bits_add(kept.levels, pin);
    } else {
        bits_remove(kept.levels, pin);
    }
}

/* The place of a dome, a new one if it has none; KEPT_DOMES if there is none left. */
static uint8_t dome_of(uint8_t channel) {
    uint8_t at = 0;
    while (at < KEPT_DOMES && kept.domes[at].channel != channel) {
        at++;
    }
    for (uint8_t unused = 0; at == KEPT_DOMES && unused < KEPT_DOMES; unused++) {
        if (kept.domes[unused].channel == WIRE_NONE) {
            at = unused;
            kept.domes[at].channel = channel;
        }
    }
    return at;
}

static void keep_dome(uint8_t channel, const struct unit *dome) {
    if (dome->throws == 0 && dome->faces == 0) {
        return;
    }
    const uint8_t at = dome_of(channel);
    if (at < KEPT_DOMES &&
        (kept.domes[at].throws != dome->throws || kept.domes[at].faces != dome->faces)) {
        kept.domes[at].throws = dome->throws;
        kept.domes[at].faces = dome->faces;
        kept.domes[at].unsaved = true;
    }
}

static void keep_channel(uint8_t number) {
    const struct channel *const channel = &channels[number];
    if (channel->kind == KIND_SENSOR) {
        keep_sensor(&channel->sensor);
    } else if (channel->kind == KIND_DICE) {
        keep_dome(number, &channel->unit);
    }
}

void kept_take_counts(void) {
    for (uint8_t number = 0; number < table_channels(); number++) {
        keep_channel(number);
    }
}

static void add_safe_level(uint8_t *driven, uint8_t *high, uint8_t pin, bool is_high) {
    if (pin < PINS) {
        bits_add(driven, pin);
        if (is_high) {
            bits_add(high, pin);
        }
    }
}

void kept_take_safe_levels(void) {
    uint8_t driven[PIN_BYTES] = {0}, high[PIN_BYTES] = {0};
    for (uint8_t at = 0; at < output_count; at++) {
        const struct channel *const channel = &channels[outputs[at].channel];
        if (channel->kind == KIND_DICE) {
            add_safe_level(driven, high, channel->unit.pin, false);
            continue;
        }
        const bool strip = channel->kind == KIND_STRIP;
        add_safe_level(driven, high, channel->plug.pin, !strip && channel->plug.safe > 0);
        if (channel->kind == KIND_MOTOR) {
            add_safe_level(driven, high, channel->plug.second_pin, channel->plug.safe < 0);
        }
    }
    if (memcmp(driven, kept.driven, PIN_BYTES) || memcmp(high, kept.high, PIN_BYTES)) {
        memcpy(kept.driven, driven, PIN_BYTES);
        memcpy(kept.high, high, PIN_BYTES);
        kept.safe_levels_unsaved = true;
    }
}

bool kept_has_new_safe_levels(void) {
    return kept.safe_levels_unsaved;
}

bool kept_is_unsaved(void) {
    if (kept.safe_levels_unsaved) {
        return true;
    }
    for (uint8_t byte = 0; byte < PIN_BYTES; byte++) {
        if (kept.unsaved[byte]) {
            return true;
        }
    }
    for (uint8_t at = 0; at < KEPT_DOMES; at++) {
        if (kept.domes[at].unsaved) {
            return true;
        }
    }
    return false;
}

/* Items */

uint8_t kept_starts(uint8_t *item) {
    item[0] = STARTS;
    wire_put_u16(item + 1, identity.boots);
    return STARTS_SIZE;
}

uint8_t kept_orders_are_over(uint8_t *item) {
    item[0] = ORDERS_ARE_OVER;
    return 1;
}

uint8_t kept_safe_levels(uint8_t *item, bool all) {
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
uint8_t kept_sensor(uint8_t *item, uint8_t pin, bool all) {
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

uint8_t kept_dome(uint8_t *item, uint8_t at, bool all) {
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

uint8_t kept_order(uint8_t *item, uint8_t at) {
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

/* Reading the log */

static void forget_orders(void) {
    for (uint8_t at = 0; at < MOST_OUTPUTS; at++) {
        output_forget(&outputs[at], WIRE_NONE);
    }
}

void kept_forget(void) {
    memset(&kept, 0, sizeof kept);
    for (uint8_t at = 0; at < KEPT_DOMES; at++) {
        kept.domes[at].channel = WIRE_NONE;
    }
    forget_orders();
}

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
    const uint8_t at = dome_of(from[1]);
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
        identity.boots = wire_get_u16(from + 1);
        return STARTS_SIZE;
    }
    if (from[0] == ORDERS_ARE_OVER) {
        forget_orders();
        return 1;
    }
    return size;
}

void kept_replay(const uint8_t *body, uint8_t size) {
    while (size > 0) {
        const uint8_t taken = replay_item(body, size);
        body += taken;
        size = (uint8_t)(size - taken);
    }
}

bool kept_has_orders(void) {
    for (uint8_t at = 0; at < MOST_OUTPUTS; at++) {
        if (outputs[at].reason != NO_ORDER_YET) {
            return true;
        }
    }
    return false;
}

/* A table comes in force */

void kept_restore_sensor(struct sensor *sensor) {
    if (!(sensor->state & COUNTED) && sensor->pin < PINS && bits_have(kept.known, sensor->pin)) {
        const uint8_t active = bits_have(kept.levels, sensor->pin) ? ACTIVE : 0;
        sensor->state = (uint8_t)(COUNTED | active);
        sensor->count = kept.counts[sensor->pin];
    }
}

void kept_restore_dome(uint8_t channel, struct unit *dome) {
    for (uint8_t at = 0; dome->throws == 0 && at < KEPT_DOMES; at++) {
        if (kept.domes[at].channel == channel) {
            dome->throws = kept.domes[at].throws;
            dome->faces = kept.domes[at].faces;
        }
    }
}

bool kept_drives(uint8_t pin) {
    return bits_have(kept.driven, pin);
}

bool kept_is_high(uint8_t pin) {
    return bits_have(kept.high, pin);
}
