#include "stops.h"

#include "../port.h"
#include "answers.h"
#include "axes.h"
#include "dice.h"
#include "drives.h"
#include "state.h"

/* Shuts the gate first: all pins are safe at once, not one after the other. */
void stop_all(uint8_t reason, bool without_ramp) {
    if (without_ramp) {
        port_gate_halt();
    } else {
        port_gate_shut();
    }
    outputs_release(reason);
    axes_release(reason, without_ramp);
    dice_stop(reason);
}

void stop_ordered(uint8_t number) {
    if (!table_is_there()) {
        return;
    }
    if (number == WIRE_NONE) {
        outputs_stop_motion(REASON_STOPPED);
        axes_release(REASON_STOPPED, false);
        dice_stop(REASON_STOPPED);
        answer_ok();
        return;
    }
    struct channel *const channel = known_channel(number);
    if (!channel) {
        return;
    }
    if (has_output(channel)) {
        output_stop(channel->plug.output, REASON_STOPPED);
    } else if (channel->kind == KIND_AXIS) {
        axes_stop(channel->rail.axis, REASON_STOPPED, false);
    } else if (channel->kind == KIND_DICE) {
        dome_stop(&channel->unit, REASON_STOPPED);
    } else {
        answer_refused(REFUSAL_WRONG_KIND, number);
        return;
    }
    answer_ok();
}
