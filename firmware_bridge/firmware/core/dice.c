#include "dice.h"

#include "../port.h"
#include "bits.h"
#include "drives.h"
#include "events.h"
#include "modules.h"

#include <string.h>

/* One bit for each output: its dome has stopped and its dice are being read. */
static uint8_t being_read[MOST_OUTPUTS / 8u];

void dice_begin(void) {
    memset(being_read, 0, sizeof being_read);
}

void dome_throw(struct unit *dome, uint8_t dice, uint8_t ticket) {
    const uint32_t now = port_micros();
    struct output *const output = &outputs[dome->output];
    bits_remove(being_read, dome->output);
    port_lock();
    note_order_begin(dome->output, ticket, WIRE_NONE, false, now);
    port_unlock();
    output->edges = dice;
    output->ends = (struct deadline){.at = now + dome->shake};
    port_pin_write(dome->pin, true);
}

void dome_stop(struct unit *dome, uint8_t reason) {
    struct output *const output = &outputs[dome->output];
    if (!(output->state & RUNNING)) {
        return;
    }
    port_pin_write(dome->pin, false);
    port_lock();
    uint8_t *const payload =
        note_order_end(dome->output, reason, port_micros()) ? events_add(WIRE_MOTION_ENDED) : 0;
    if (payload) {
        wire_motion_ended(payload, output->ticket, output->channel, reason, 0, output->span);
    }
    port_unlock();
}

static void read_dice(struct unit *dome) {
    uint8_t face[MOST_DICE];
    struct output *const output = &outputs[dome->output];
    dome->faces = 0;
    dome->throws++;
    for (uint8_t die = MOST_DICE; die-- > 0;) {
        face[die] = module_die(dome->port, die);
        dome->faces = (uint16_t)(dome->faces << 3 | face[die]);
    }
    port_lock();
    uint8_t *const payload =
        note_order_end(dome->output, REASON_DONE, port_micros()) ? events_add(WIRE_DICE_READ) : 0;
    if (payload) {
        wire_dice_read(payload, output->ticket, face[0], face[1], face[2], face[3], face[4]);
    }
    port_unlock();
}

static void continue_throw(struct unit *dome, uint32_t now) {
    struct output *const output = &outputs[dome->output];
    if (bits_have(being_read, dome->output)) {
        if (module_has_answered(dome->port)) {
            bits_remove(being_read, dome->output);
            read_dice(dome);
        }
    } else if (deadline_passed(&output->ends, now)) {
        port_pin_write(dome->pin, false);
        bits_add(being_read, dome->output);
        module_ask_dice(dome->port, (uint8_t)output->edges);
    }
}

void dice_turn(uint32_t now) {
    for (uint8_t at = 0; at < output_count; at++) {
        struct channel *const channel = &channels[outputs[at].channel];
        if (channel->kind == KIND_DICE && (outputs[at].state & RUNNING)) {
            continue_throw(&channel->unit, now);
        }
    }
}

void dice_stop(uint8_t reason) {
    for (uint8_t at = 0; at < output_count; at++) {
        struct channel *const channel = &channels[outputs[at].channel];
        if (channel->kind == KIND_DICE) {
            dome_stop(&channel->unit, reason);
        }
    }
}
