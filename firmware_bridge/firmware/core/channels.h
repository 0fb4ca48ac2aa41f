/* The state of each channel of the board's table. Compact: 56 channels share 900 bytes.
 *
 * The fixed part is written by records.c while no table is in force. What changes while one
 * is belongs to the reflex, and the main loop touches it under `port_lock`. */
#ifndef WALLWRIGHT_CHANNELS_H
#define WALLWRIGHT_CHANNELS_H

#include "clock.h"
#include "wire.h"

#include <stdbool.h>
#include <stdint.h>

#define MOST_CHANNELS 56u
#define MOST_OUTPUTS 32u /* motors, outputs, strips and dice domes */
#define MOST_SENSORS 48u

/* `channel.flags`: those of Configure, and this one. */
enum { ACTIVE_HIGH = 128 };

/* `sensor.state` */
enum { RAW = 1, ACTIVE = 2, WATCHED = 4, SETTLING = 8, UNTOLD = 16, COUNTED = 32 };

struct sensor {
    uint8_t pin;
    uint8_t debounce_ms;
    uint8_t state;
    uint8_t awaited_by; /* the first output whose drive waits for it, or WIRE_NONE */
    uint8_t first_stopped, last_stopped; /* the outputs that it stops or holds are among these */
    uint32_t count;
    uint32_t since; /* of its last change, raw or settled */
};

/* A motor, output or strip. Stops and hold are channels of sensors, or WIRE_NONE. */
struct plug {
    uint8_t pin, second_pin; /* of a strip: how many lamps */
    uint8_t forward_stop, reverse_stop, hold;
    uint8_t output; /* its place among the outputs */
    int16_t safe;
    uint32_t max_on; /* microseconds; 0 is no limit */
};

struct rail {
    uint8_t step_pin, direction_pin;
    uint8_t forward_stop, reverse_stop;
    uint8_t axis; /* its place among the axes */
};

/* A dice dome, tag reader or analogue input. */
struct unit {
    uint8_t pin;
    uint8_t port; /* of its module */
    uint8_t output; /* a dome's place among the outputs */
    uint16_t faces; /* of the last throw, three bits a die */
    uint32_t throws;
    uint32_t shake; /* microseconds */
};

struct channel {
    uint8_t kind; /* 0: none yet */
    uint8_t flags;
    union {
        struct sensor sensor;
        struct plug plug;
        struct rail rail;
        struct unit unit;
    };
};

/* `output.state`. VOICED: the host that gave the order still listens. COUNTS: the sensor's
 * activations are the order's. */
enum {
    RUNNING = 1,
    VOICED = 2,
    AWAITS_LEVEL = 4,
    AWAITS_ACTIVE = 8, /* with AWAITS_LEVEL: that level; otherwise its inactive one */
    PULSED = 16,       /* its time is its purpose, not its limit */
    COUNTS = 32,
    HELD_BACK = 64,
    LIMITED = 128,
};

/* `output.reason` of an output that had no order yet. */
#define NEVER 254u

/* What an output does, and its last order, which outlives tables. */
struct output {
    uint8_t channel;
    uint8_t state;
    uint8_t ticket;
    uint8_t reason;   /* how the order has ended, WIRE_NONE: not yet, NEVER: there was none */
    uint8_t sensor;   /* what it waits for or counts, or WIRE_NONE */
    uint8_t next;     /* the next output that waits for the same sensor, or WIRE_NONE */
    uint16_t edges;   /* still to come at the order's begin; of a dome: how many dice */
    uint16_t counted;
    uint16_t limit_ma;
    uint32_t span;    /* while it runs: when it began; afterwards: how long it took */
    uint16_t first;   /* what its sensor had counted when it began, modulo 65,536 */
    int32_t wanted;   /* on the copper, unless HELD_BACK: then the safe value is */
    struct deadline ends;
    uint32_t on_until; /* while LIMITED */
};

extern struct channel channels[MOST_CHANNELS];
extern struct output outputs[MOST_OUTPUTS];
extern uint8_t output_count; /* those in use; 0 while no table is in force */

static inline bool has_output(const struct channel *channel) {
    return channel->kind == KIND_MOTOR || channel->kind == KIND_OUTPUT ||
           channel->kind == KIND_STRIP;
}

static inline bool sensor_is_active(uint8_t channel) {
    return channel != WIRE_NONE && (channels[channel].sensor.state & ACTIVE);
}

/* The level of a pin that means active. */
static inline bool is_active_level(const struct channel *channel, bool high) {
    return high == ((channel->flags & ACTIVE_HIGH) != 0);
}

#endif
