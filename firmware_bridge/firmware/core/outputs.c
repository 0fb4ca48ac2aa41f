#include "outputs.h"

#include "../port.h"

#include <string.h>

#define FULL 1000
#define PHASES 10u /* of the pulse width modulation */
#define PHASE_US UINT32_C(1000)

static uint8_t phase;
static uint32_t next_phase;       /* while `modulates` */
static volatile bool modulates;   /* some motor runs at part of its full drive */
static volatile bool strips_changed;

/* Values and pins */

static uint8_t way_of(int32_t value) {
    return value > 0 ? BARRED_FORWARD : value < 0 ? BARRED_REVERSE : 0;
}

int32_t output_value(const struct output *output) {
    if (output->state & HELD_BACK) {
        return plug_of(output)->safe;
    }
    return output->barred & way_of(output->wanted) ? 0 : output->wanted;
}

/* Bars these ways of a motor for its dead time from now. */
static void bar(struct output *output, uint8_t ways) {
    const uint16_t dead_ms = plug_of(output)->dead_ms;
    if (output_kind(output) == KIND_MOTOR && dead_ms != 0 && ways != 0) {
        output->barred = ways & 3u;
        output->barred_until = port_micros() + dead_ms * UINT32_C(1000);
    }
}

bool output_is_ordered(const struct output *output) {
    return (output->state & RUNNING) ||
           (output_kind(output) != KIND_DICE && output->wanted != plug_of(output)->safe);
}

static void write_motor(const struct plug *plug, int32_t value) {
    /* The pin that becomes low is written first: both pins are never high together. */
    if (value > 0) {
        port_pin_write(plug->second_pin, false);
        port_pin_write(plug->pin, true);
    } else {
        port_pin_write(plug->pin, false);
        port_pin_write(plug->second_pin, value < 0);
    }
}

bool output_is_in_part(int32_t value) {
    return value != 0 && value != FULL && value != -FULL;
}

static void begin_to_modulate(void) {
    if (!modulates) {
        modulates = true;
        next_phase = port_micros() + PHASE_US;
        port_alarm(next_phase);
    }
}

static void write_pins(const struct output *output, int32_t value) {
    const struct plug *const plug = plug_of(output);
    switch (output_kind(output)) {
    case KIND_MOTOR:
        write_motor(plug, value);
        if (output_is_in_part(value)) {
            begin_to_modulate();
        }
        break;
    case KIND_OUTPUT:
        port_pin_write(plug->pin, value != 0);
        break;
    default:
        strips_changed = true;
        break;
    }
}

/* The maximum on-time runs while any value but the safe one is at the pins. */
static void update_on_time_limit(struct output *output) {
    const struct plug *const plug = plug_of(output);
    if (output_value(output) == plug->safe) {
        output->state &= (uint8_t)~LIMITED;
    } else if (plug->max_on != 0 && !(output->state & LIMITED)) {
        output->on_until = port_micros() + plug->max_on;
        output->state |= LIMITED;
    }
}

/* Sets the value of an output; while it is held back the safe value is at its pins. */
static void put(struct output *output, int32_t wanted, bool held) {
    const int32_t before = output_value(output);
    output->wanted = wanted;
    output->state = (uint8_t)(held ? output->state | HELD_BACK : output->state & ~HELD_BACK);
    const uint8_t left = way_of(before);
    if (left != 0 && way_of(output_value(output)) != left) {
        /* Measured from here, which is later than the reflex's cut of the pins: never too short. */
        bar(output, left == BARRED_FORWARD ? BARRED_REVERSE : BARRED_FORWARD);
    }
    if (output_value(output) != before) {
        write_pins(output, output_value(output));
        update_on_time_limit(output);
    }
}

bool output_is_blocked(const struct plug *plug, int32_t value) {
    return (value > 0 && sensor_is_active(plug->forward_stop)) ||
           (value < 0 && sensor_is_active(plug->reverse_stop));
}

/* Sets a new value and restarts its maximum on-time; the safe value if a switch blocks it. */
void output_put(struct output *output, int32_t value) {
    const struct plug *const plug = plug_of(output);
    if (output_is_blocked(plug, value)) {
        put(output, plug->safe, false);
        return;
    }
    output->state &= (uint8_t)~LIMITED;
    put(output, value, sensor_is_active(plug->hold));
    update_on_time_limit(output);
}

void output_rest(struct output *output) {
    output_put(output, plug_of(output)->safe);
}

/* Every cycle counts between a sensor's edge and its motor. If 0 is the motor's safe value, the pin
 * that now drives it is written first. */
void output_cut(const struct output *output) {
    const struct channel *const channel = &channels[output->channel];
    if (channel->kind != KIND_MOTOR || channel->plug.safe != 0) {
        write_pins(output, channel->plug.safe);
    } else if (output->wanted < 0) {
        port_pin_low(channel->plug.second_pin);
        port_pin_low(channel->plug.pin);
    } else {
        port_pin_low(channel->plug.pin);
        port_pin_low(channel->plug.second_pin);
    }
}

void output_end_dead_time(struct output *output, uint32_t now) {
    if (output->barred == 0 || !time_reached(now, output->barred_until)) {
        return;
    }
    const int32_t before = output_value(output);
    output->barred = 0;
    if (output_value(output) != before) {
        write_pins(output, output_value(output));
        update_on_time_limit(output);
    }
}

void output_hold(uint8_t output, bool held) {
    put(&outputs[output], outputs[output].wanted, held);
}

bool output_takes(const struct output *output, int32_t value) {
    switch (output_kind(output)) {
    case KIND_MOTOR:
        if (channels[output->channel].flags & FLAG_FULL_ONLY) {
            return value == 0 || value == FULL || value == -FULL;
        }
        return value >= -FULL && value <= FULL;
    case KIND_OUTPUT:
        return value == 0 || value == 1;
    default: {
        const uint8_t lamps = plug_of(output)->second_pin;
        return value >= 0 && (lamps > 30 || value < INT32_C(1) << lamps);
    }
    }
}

/* Tables */

void output_forget(struct output *output, uint8_t channel) {
    memset(output, 0, sizeof *output);
    output->channel = channel;
    output->reason = NO_ORDER_YET;
    output->next = WIRE_NONE;
}

static void connect_pins(const struct output *output) {
    const struct channel *const channel = &channels[output->channel];
    switch (channel->kind) {
    case KIND_MOTOR:
        port_pin_drive(channel->plug.pin, channel->plug.safe > 0);
        port_pin_drive(channel->plug.second_pin, channel->plug.safe < 0);
        break;
    case KIND_OUTPUT:
        port_pin_drive(channel->plug.pin, channel->plug.safe != 0);
        break;
    case KIND_STRIP:
        port_pin_drive(channel->plug.pin, false);
        break;
    default:
        port_pin_drive(channel->unit.pin, false);
        break;
    }
}

void outputs_connect(void) {
    for (uint8_t at = 0; at < output_count; at++) {
        struct output *const output = &outputs[at];
        output->state &= (uint8_t) ~(RUNNING | HELD_BACK | LIMITED);
        output->wanted = output_kind(output) == KIND_DICE ? 0 : plug_of(output)->safe;
        output->barred = 0;
        bar(output, BARRED_FORWARD | BARRED_REVERSE); /* the motor may have run until the reset */
        connect_pins(output);
    }
    strips_changed = true;
    modulates = false;
}

bool outputs_take_strip_change(void) {
    if (!strips_changed) {
        return false;
    }
    strips_changed = false; /* a change from the reflex after the check above is sent with this one */
    return true;
}

void outputs_off(void) {
    for (uint8_t at = 0; at < output_count; at++) {
        const struct channel *const channel = &channels[outputs[at].channel];
        if (channel->kind == KIND_DICE) {
            port_pin_release(channel->unit.pin);
            continue;
        }
        port_pin_release(channel->plug.pin);
        if (channel->kind == KIND_MOTOR) {
            port_pin_release(channel->plug.second_pin);
        }
    }
    output_count = 0;
}

/* Pulse width modulation of motors */

/* In how many of the ten phases a motor is on: to the nearest tenth, but at least one. */
static uint8_t phases_on(int32_t value) {
    const uint16_t drive = (uint16_t)(value < 0 ? -value : value);
    const uint8_t on = (uint8_t)((drive + FULL / PHASES / 2) / (FULL / PHASES));
    return on == 0 ? 1 : on;
}

bool outputs_phase_is_over(uint32_t now) {
    if (!modulates) {
        return false;
    }
    const bool over = time_reached(now, next_phase);
    if (!over) {
        port_alarm(next_phase);
    }
    return over;
}

void outputs_modulate(uint32_t now) {
    if (!modulates || !time_reached(now, next_phase)) {
        return;
    }
    phase = (uint8_t)((phase + 1u) % PHASES);
    modulates = false;
    for (uint8_t at = 0; at < output_count; at++) {
        const int32_t value = output_value(&outputs[at]);
        if (output_is_in_part(value) && output_kind(&outputs[at]) == KIND_MOTOR) {
            write_motor(plug_of(&outputs[at]), phase < phases_on(value) ? value : 0);
            modulates = true;
        }
    }
    if (modulates) {
        next_phase += PHASE_US;
        if (time_reached(now, next_phase)) {
            next_phase = now + PHASE_US; /* a late phase makes the next one no shorter */
        }
        port_alarm(next_phase);
    }
}
