#include "selftest.h"

#include "../port.h"
#include "clock.h"
#include "faults.h"
#include "outputs.h"
#include "setup.h"
#include "state.h"
#include "wire.h"

#define EVERY_US 1000u
#define CHECKS 3u /* one after the other that find a pin active: a pin needs time to fall */

static uint32_t next_test;
static uint8_t reported; /* defects of the processor that are latched */
static uint8_t checked, active_checks;

void selftest_begin(void) {
    next_test = port_micros();
    reported = checked = active_checks = 0;
}

/* Also called while the clock stands still, which is a defect itself. */
void selftest_turn(uint32_t now) {
    if (!port_is_tested() || time_reached(now, next_test)) {
        next_test = now + EVERY_US;
        port_test();
    }
    const uint8_t found = port_defects();
    if (found != reported) {
        reported = found;
        port_lock();
        faults_latch(FAULT_SELF_TEST, WIRE_NONE);
        port_unlock();
    }
}

/* Outputs */

static bool differs(uint8_t pin, bool high) {
    return pin < PINS && port_pin_level(pin) != high;
}

/* Under `port_lock`. A motor whose safe value is a part of its full drive has no level of its own, and
 * a strip has none that stays. */
static bool reads_active(const struct output *output) {
    const struct channel *const channel = &channels[output->channel];
    const struct plug *const plug = &channel->plug;
    if (channel->kind == KIND_DICE) {
        return !(output->state & RUNNING) && differs(channel->unit.pin, false);
    }
    if (output_value(output) != plug->safe) {
        return false;
    }
    if (channel->kind == KIND_MOTOR) {
        return !output_is_in_part(plug->safe) && (differs(plug->pin, plug->safe > 0) ||
                                                  differs(plug->second_pin, plug->safe < 0));
    }
    return channel->kind == KIND_OUTPUT && differs(plug->pin, plug->safe != 0);
}

bool selftest_reads_active(uint8_t channel) {
    for (uint8_t at = 0; at < output_count; at++) {
        if (outputs[at].channel == channel) {
            return reads_active(&outputs[at]);
        }
    }
    return false;
}

/* Without the lock first, because a stop waits for it; what seems active may be a change meanwhile. */
static bool is_active_for_sure(const struct output *output) {
    if (!reads_active(output)) {
        return false;
    }
    port_lock();
    const bool active = reads_active(output);
    port_unlock();
    return active;
}

void selftest_check_output(void) {
    if (checked >= output_count) {
        checked = 0;
        return;
    }
    const struct output *const output = &outputs[checked];
    active_checks = is_active_for_sure(output) ? (uint8_t)(active_checks + 1u) : 0;
    if (active_checks == CHECKS) {
        port_lock();
        faults_latch(FAULT_UNEXPECTED_MOTION, output->channel);
        port_unlock();
        active_checks = 0;
    }
    if (active_checks == 0) {
        checked++;
    }
}

static bool some_output_reads_active(void) {
    bool active = false;
    for (uint8_t at = 0; at < output_count && !active; at++) {
        active = is_active_for_sure(&outputs[at]);
    }
    return active;
}

uint8_t selftest_defects(void) {
    uint8_t found = port_defects();
    if (!setup_is_whole()) {
        found |= DEFECT_TABLE;
    }
    if (some_output_reads_active()) {
        found |= DEFECT_OUTPUTS;
    }
    return found;
}
