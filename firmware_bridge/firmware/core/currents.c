#include "currents.h"

#include "../port.h"
#include "faults.h"
#include "outputs.h"
#include "state.h"

#define SAMPLES 8u /* of the low pass, one each millisecond: part drive has a period of ten */

#define INRUSHES 4u
#define MOST_INRUSH_MS 16000u /* so that `used_ms` can exceed four of them */

static uint8_t last_started;
static uint32_t sampled_at; /* whole milliseconds after the sample before */

void currents_note_start(uint8_t motor) {
    last_started = motor;
    for (uint8_t number = 0; number < table_channels(); number++) {
        struct channel *const channel = &channels[number];
        if (is_meter(channel) &&
            (channel->meter.motor == motor || channel->meter.motor == WIRE_NONE)) {
            channel->meter.started_ms = 0;
        }
    }
}

static bool runs(uint8_t motor) {
    for (uint8_t at = 0; at < output_count; at++) {
        const struct output *const output = &outputs[at];
        if (output_kind(output) == KIND_MOTOR && output_value(output) != 0 &&
            (motor == WIRE_NONE || output->channel == motor)) {
            return true;
        }
    }
    return false;
}

static void count(uint16_t *milliseconds, uint16_t passed) {
    *milliseconds = *milliseconds > UINT16_MAX - passed ? UINT16_MAX
                                                        : (uint16_t)(*milliseconds + passed);
}

/* A motor that starts may exceed the limit for its inrush time. Further starts do not extend the
 * time above the limit without interruption. With interruptions, which end this time, all starts
 * together have INRUSHES inrush times; these come back while the current is below the limit or the
 * motor is at rest. */
static bool is_exceeded(struct meter *meter, uint16_t passed) {
    meter->mean = (uint16_t)(meter->mean - meter->mean / SAMPLES + port_analog_mv(meter->pin));
    count(&meter->started_ms, passed);
    if (meter->mean / SAMPLES <= meter->limit_mv || !runs(meter->motor)) {
        meter->over_ms = 0;
        meter->used_ms = meter->used_ms > passed ? (uint16_t)(meter->used_ms - passed) : 0;
        return false;
    }
    count(&meter->over_ms, passed);
    count(&meter->used_ms, passed);
    const uint16_t inrush = meter->inrush_ms < MOST_INRUSH_MS ? meter->inrush_ms : MOST_INRUSH_MS;
    return meter->started_ms > meter->inrush_ms || meter->over_ms > meter->inrush_ms ||
           meter->used_ms > inrush * INRUSHES;
}

void currents_turn(uint32_t now) {
    const uint32_t since = (now - sampled_at) / 1000u;
    const uint16_t passed = (uint16_t)(since < UINT16_MAX ? since : UINT16_MAX);
    sampled_at += since * 1000u;
    for (uint8_t number = 0; number < table_channels(); number++) {
        struct channel *const channel = &channels[number];
        if (is_meter(channel) && is_exceeded(&channel->meter, passed)) {
            const uint8_t motor = channel->meter.motor;
            port_lock();
            faults_latch(FAULT_OVER_CURRENT, motor != WIRE_NONE ? motor : last_started);
            port_unlock();
        }
    }
}

static uint16_t milliamps(const struct meter *meter) {
    const uint32_t mv = meter->mean / SAMPLES;
    return (uint16_t)(mv * meter->ma_per_volt / 1000u);
}

uint16_t current_of(uint8_t motor) {
    uint16_t all = 0;
    for (uint8_t number = 0; number < table_channels(); number++) {
        if (!is_meter(&channels[number])) {
            continue;
        }
        const struct meter *const meter = &channels[number].meter;
        if (meter->motor == motor) {
            return milliamps(meter);
        }
        if (meter->motor == WIRE_NONE) {
            all = milliamps(meter);
        }
    }
    return all;
}
