/* The state of the board: the channels of its table, their outputs and axes, and the lease.
 * Compact: 56 channels share 900 bytes.
 *
 * setup.c writes the configured part while no table is in force. The part that changes while a
 * table is in force belongs to the reflex; the main loop accesses it under `port_lock`. */
#ifndef WALLWRIGHT_STATE_H
#define WALLWRIGHT_STATE_H

#include "../port.h"
#include "clock.h"
#include "wire.h"

#include <stdbool.h>
#include <stdint.h>

#define MOST_CHANNELS 56u
#define MOST_OUTPUTS 32u /* motors, outputs, strips and dice domes */
#define MOST_SENSORS 48u

/* `channel.flags`: the flags of `Configure`, and this one. */
enum { ACTIVE_HIGH = 128 };

/* `sensor.state`. SETTLING: the debounce time runs. UNREPORTED: the event queue had no room for the
 * last edge. COUNTED: `count` and ACTIVE are known. */
enum { RAW = 1, ACTIVE = 2, WATCHED = 4, SETTLING = 8, UNREPORTED = 16, COUNTED = 32 };

/* In each of these structures the configured part comes first: draft.c keeps only that. */
struct sensor {
    uint8_t pin;
    uint8_t debounce_ms;
    uint16_t low_mv, high_mv; /* thresholds of a sensor on an analogue input; 0: digital */
    uint8_t state;
    uint8_t awaited_by; /* the first output whose drive waits for it, or WIRE_NONE */
    uint8_t first_stopped, last_stopped; /* range of the outputs that it stops or holds */
    uint32_t count;
    uint32_t since; /* time of its last change; while SETTLING is set: the end of that time */
};

/* A motor, output or strip. The stops and `hold` are channels of sensors, or WIRE_NONE. */
struct plug {
    uint8_t pin, second_pin; /* of a strip: the number of lamps */
    uint8_t forward_stop, reverse_stop, hold;
    int16_t safe;
    uint32_t max_on; /* microseconds; 0 is no limit */
    uint16_t dead_ms; /* a motor stays off for this time before it reverses */
    uint8_t output;   /* its index in `outputs` */
};

struct rail {
    uint8_t step_pin, direction_pin;
    uint8_t forward_stop, reverse_stop;
    uint8_t axis; /* its index in `axes` */
};

/* A dice dome, tag reader or analogue input. */
struct unit {
    uint8_t pin;
    uint8_t port; /* of its module */
    uint32_t shake; /* microseconds */
    uint8_t output; /* of a dome: its index in `outputs` */
    uint16_t faces; /* of the last throw, three bits for each die */
    uint32_t throws;
};

/* An analogue input that limits the current of a motor, or of all motors of the board. */
struct meter {
    uint8_t pin;
    uint8_t motor; /* the channel, or WIRE_NONE: all motors */
    uint16_t ma_per_volt, limit_mv, inrush_ms;
    uint16_t mean; /* in eighths of a millivolt */
    uint16_t over_ms; /* for how long the mean has been above the limit */
    uint16_t used_ms; /* the time above the limit that has not come back yet */
    uint16_t started_ms; /* since the last start of the motor */
};

struct channel {
    uint8_t kind; /* 0: not configured */
    uint8_t flags;
    union {
        struct sensor sensor;
        struct plug plug;
        struct rail rail;
        struct unit unit;
        struct meter meter;
    };
};

/* `output.state`. An order is a command that began a motion of the output. */
enum {
    RUNNING = 1,        /* an order runs */
    REPORTS_END = 2,    /* the host that gave the order still has its session */
    AWAITS_LEVEL = 4,   /* the order ends at a level of its sensor */
    AWAITS_ACTIVE = 8,  /* with AWAITS_LEVEL: at the active level; otherwise at the inactive one */
    PULSED = 16,        /* a pulse: the end of its time is REASON_DONE, not REASON_TIME */
    COUNTS = 32,        /* activations of its sensor count for the order */
    HELD_BACK = 64,     /* back-pressure: a sensor holds it at its safe value */
    LIMITED = 128,      /* its maximum on-time runs */
};

/* `output.barred`: the ways in which a motor may not run yet, because it ran the other way less than
 * its dead time ago, or because the board has just been configured. */
enum { BARRED_FORWARD = 1, BARRED_REVERSE = 2 };

/* `output.reason` of an output that has had no order. */
#define NO_ORDER_YET 254u

/* The state of an output, and its last order, which is kept when the table changes. */
struct output {
    uint8_t channel;
    uint8_t state;
    uint8_t ticket;
    uint8_t reason;   /* why the order ended; WIRE_NONE: it runs; NO_ORDER_YET: there was none */
    uint8_t sensor;   /* the sensor that it awaits or counts, or WIRE_NONE */
    uint8_t next;     /* the next output that waits for the same sensor, or WIRE_NONE */
    uint16_t edges;   /* the count that ends the order, or 0; of a dome: how many dice */
    uint16_t counted;
    uint16_t limit_ma;
    uint32_t span;    /* while it runs: the time at which it began; afterwards: its duration */
    uint16_t first;   /* the count of its sensor when it began, modulo 65,536 */
    int32_t wanted;   /* the value at its pins; with HELD_BACK the safe value is there instead */
    bool reverse : 1; /* the way of its drive */
    uint8_t barred : 2; /* while its way is barred, 0 is at its pins instead of `wanted` */
    uint32_t barred_until;
    struct deadline ends;
    uint32_t on_until; /* while LIMITED */
};

/* An axis's part of a `Configure` record. */
struct axis_record {
    uint8_t channel; /* or WIRE_NONE */
    int32_t low_um, high_um;
    uint32_t speed_um_s, acceleration_um_s2, step_nm;
};

#define MOST_UM 2000000 /* the greatest permitted distance of an axis from its zero */

/* The lease under which outputs may be active. It belongs to the table in force. */
struct lease {
    bool holds;
    bool expired; /* the host has not given the expired lease back yet */
    uint32_t until;
};

extern struct channel channels[MOST_CHANNELS];
extern struct output outputs[MOST_OUTPUTS];
extern uint8_t output_count; /* outputs in use; 0 while no table is in force */
extern uint8_t sensor_on[PINS]; /* the channel of the sensor on each pin, or WIRE_NONE */
extern struct axis_record axis_records[AXES];
extern struct lease lease;

void state_begin(void);

bool table_in_force(void);
uint8_t table_channels(void); /* 0 while none is in force */
uint16_t table_crc(void);     /* 0 while none is in force */
void table_put_in_force(uint8_t count, uint16_t crc);
void table_put_out_of_force(void); /* also ends the lease, without an event */

static inline bool has_output(const struct channel *channel) {
    return channel->kind == KIND_MOTOR || channel->kind == KIND_OUTPUT ||
           channel->kind == KIND_STRIP;
}

/* The sensor at which an axis is homed, or WIRE_NONE. */
static inline uint8_t home_switch(const struct rail *rail) {
    return rail->reverse_stop < rail->forward_stop ? rail->reverse_stop : rail->forward_stop;
}

static inline bool has_threshold(const struct channel *channel) {
    return channel->kind == KIND_SENSOR && channel->sensor.high_mv != 0;
}

static inline bool is_meter(const struct channel *channel) {
    return channel->kind == KIND_ANALOG && (channel->flags & FLAG_CURRENT);
}

static inline bool sensor_is_active(uint8_t channel) {
    return channel != WIRE_NONE && (channels[channel].sensor.state & ACTIVE);
}

/* An emergency stop or a light curtain. */
static inline bool is_safety_input(const struct channel *channel) {
    return (channel->flags & (FLAG_EMERGENCY | FLAG_CURTAIN)) != 0;
}

/* Whether this level of the sensor's pin means active. */
static inline bool is_active_level(const struct channel *channel, bool high) {
    return high == ((channel->flags & ACTIVE_HIGH) != 0);
}

#endif
