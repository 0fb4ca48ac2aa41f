#include "strips.h"

#include "../port.h"
#include "outputs.h"
#include "state.h"

static void send(uint8_t pin, uint8_t lamps, uint32_t lit, uint32_t safe) {
    for (; lamps > 0; lamps--, lit >>= 1, safe >>= 1) {
        port_strip_lamp(pin, (lit & 1u) != 0, (safe & 1u) != 0);
    }
}

void strips_turn(bool still) {
    if (!still || !outputs_take_strip_change()) {
        return;
    }
    for (uint8_t at = 0; at < output_count; at++) {
        if (channels[outputs[at].channel].kind == KIND_STRIP) {
            const struct plug *const plug = plug_of(&outputs[at]);
            send(plug->pin, plug->second_pin, (uint32_t)output_value(&outputs[at]),
                 (uint32_t)plug->safe);
        }
    }
}
