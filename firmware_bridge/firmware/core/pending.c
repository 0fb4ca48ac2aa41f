#include "pending.h"

#include "../port.h"
#include "answers.h"
#include "axes.h"
#include "dice.h"
#include "drives.h"
#include "faults.h"
#include "identity.h"
#include "memory.h"
#include "modules.h"
#include "proof.h"
#include "replies.h"
#include "setup.h"
#include "travels.h"
#include "wire.h"

#include <string.h>

#ifndef BUILD
#define BUILD "0000" /* four bytes of the build's hash; the Makefile defines them */
#endif
#define FIRMWARE 1u

enum pending { NO_COMMAND, PROVING, SCANNING, LEAVING };

static enum pending pending;
static uint8_t scanned_port;
static bool host_known;
static uint8_t nonce[PROOF_NONCE];

void pending_begin(void) {
    pending = NO_COMMAND;
    host_known = false;
}

bool pending_proves(void) {
    return pending == PROVING;
}

/* Identify */

/* Ends the motions of the last session: their tickets have no meaning for a new one. The same nonce
 * again is a repetition of Identify, not a new session. */
static void begin_host_session(const uint8_t *new_nonce) {
    if (host_known && memcmp(nonce, new_nonce, sizeof nonce) == 0) {
        return;
    }
    host_known = true;
    memcpy(nonce, new_nonce, sizeof nonce);
    outputs_forget_tickets();
    travels_forget_tickets();
    outputs_end_running(REASON_STOPPED);
    axes_release(REASON_STOPPED, false);
    dice_stop(REASON_STOPPED);
    faults_report_again();
}

void pending_identify(const uint8_t *payload) {
    if (wire_identify_protocol(payload) != WIRE_PROTOCOL) {
        answer_refused(REFUSAL_WRONG_VERSION, WIRE_NONE);
        return;
    }
    begin_host_session(wire_identify_nonce(payload));
    proof_begin(nonce);
    pending = PROVING;
}

static void answer_identify(void) {
    uint8_t payload[WIRE_IDENTITY_SIZE];
    uint8_t proof[PROOF_SIZE];
    proof_read(proof);
    const uint32_t hash = (uint32_t)table_channels() << 16 | table_crc();
    wire_identity(payload, WIRE_PROTOCOL, FIRMWARE, (const uint8_t *)BUILD, identity.serial,
                  identity.boots, port_reset_cause(), hash, table_crc(), proof);
    replies_send(WIRE_IDENTITY, payload);
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

void pending_leave(void) {
    setup_drop();
    memory_save();
    answer_ok();
    pending = LEAVING;
}

/* Turns */

bool pending_turn(void) {
    switch (pending) {
    case PROVING:
        if (proof_go_on()) {
            pending = NO_COMMAND;
            answer_identify();
        }
        return true;
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
