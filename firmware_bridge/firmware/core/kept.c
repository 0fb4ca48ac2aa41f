#include "kept.h"

#include "bits.h"
#include "outputs.h"

#include <string.h>

struct kept kept;

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

uint8_t kept_dome_of(uint8_t channel) {
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
    const uint8_t at = kept_dome_of(channel);
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

void kept_forget_orders(void) {
    for (uint8_t at = 0; at < MOST_OUTPUTS; at++) {
        output_forget(&outputs[at], WIRE_NONE);
    }
}

void kept_forget(void) {
    memset(&kept, 0, sizeof kept);
    for (uint8_t at = 0; at < KEPT_DOMES; at++) {
        kept.domes[at].channel = WIRE_NONE;
    }
    kept_forget_orders();
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
