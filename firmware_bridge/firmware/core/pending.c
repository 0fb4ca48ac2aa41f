#include "pending.h"

#include "../port.h"
#include "answers.h"
#include "identity.h"
#include "memory.h"
#include "modules.h"
#include "replies.h"
#include "setup.h"
#include "wire.h"

enum pending { NO_COMMAND, SCANNING, LEAVING };

static enum pending pending;
static uint8_t scanned_port;

void pending_begin(void) {
    pending = NO_COMMAND;
}

/* Scan */

void pending_scan(uint8_t port) {
    scanned_port = port;
    module_ask_tag(port);
    pending = SCANNING;
}

static void answer_scan(void) {
    if (module_has_answered(scanned_port)) {
        uint8_t payload[WIRE_TAG_SIZE];
        module_tag(scanned_port, payload); /* the tag is the whole payload */
        pending = NO_COMMAND;
        replies_send(WIRE_TAG, payload);
    }
}

/* Bootloader */

/* A command for another board, or from before a reset, must not stop this one: it names the number
 * of starts that Identity has reported. */
void pending_leave(uint32_t confirmation) {
    if (confirmation != (uint16_t)identity.boots) {
        answer_refused(REFUSAL_OUT_OF_RANGE, WIRE_NONE);
        return;
    }
    setup_drop();
    memory_save();
    answer_ok();
    pending = LEAVING;
}

/* Turns */

bool pending_turn(void) {
    switch (pending) {
    case SCANNING:
        answer_scan();
        return false;
    case LEAVING:
        if (memory_saves()) {
            return false;
        }
        pending = NO_COMMAND;
        port_bootloader();
        return false;
    case NO_COMMAND:
    default:
        return false;
    }
}
