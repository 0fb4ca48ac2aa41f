#include "pending.h"

#include "../port.h"
#include "answers.h"
#include "axes.h"
#include "board.h"
#include "dice.h"
#include "drives.h"
#include "faults.h"
#include "identity.h"
#include "modules.h"
#include "proof.h"
#include "session.h"
#include "table.h"
#include "wire.h"

#include <string.h>

#ifndef BUILD
#define BUILD "0000" /* four letters of the build's hash; the Makefile gives them */
#endif
#define FIRMWARE 1u

enum pending { ANSWERED, PROVING, SCANNING, LEAVING };

static enum pending pending;
static uint8_t scanned_port;
static bool met_host;
static uint8_t nonce[PROOF_NONCE];

void pending_begin(void) {
    pending = ANSWERED;
    met_host = false;
}

bool pending_proves(void) {
    return pending == PROVING;
}

/* Identify */

/* Another host, or the same one anew: the motions of the last session mean nothing to it. */
static void meet_host(const uint8_t *new_nonce) {
    if (met_host && memcmp(nonce, new_nonce, sizeof nonce) == 0) {
        return;
    }
    met_host = true;
    memcpy(nonce, new_nonce, sizeof nonce);
    outputs_forget_tickets();
    axes_forget_tickets();
    outputs_end_running(REASON_STOPPED);
    axes_release(REASON_STOPPED, false);
    dice_stop(REASON_STOPPED);
    faults_tell_again();
}

void pending_identify(const uint8_t *payload) {
    if (wire_identify_protocol(payload) != WIRE_PROTOCOL) {
        answer_refused(REFUSAL_WRONG_VERSION, WIRE_NONE);
        return;
    }
    meet_host(wire_identify_nonce(payload));
    proof_begin(nonce);
    pending = PROVING;
}

static void say_identity(void) {
    uint8_t payload[WIRE_IDENTITY_SIZE];
    uint8_t proof[PROOF_SIZE];
    proof_read(proof);
    const uint32_t hash = (uint32_t)table_channels() << 16 | table_crc();
    wire_identity(payload, WIRE_PROTOCOL, FIRMWARE, (const uint8_t *)BUILD, identity.serial,
                  identity.boots, port_reset_cause(), hash, table_crc(), proof);
    session_reply(WIRE_IDENTITY, payload);
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
        pending = ANSWERED;
        session_reply(WIRE_TAG, payload);
    }
}

/* Bootloader */

void pending_leave(void) {
    board_drop_table();
    answer_ok();
    pending = LEAVING;
}

/* Turns */

bool pending_turn(void) {
    switch (pending) {
    case PROVING:
        if (proof_go_on()) {
            pending = ANSWERED;
            say_identity();
        }
        return true;
    case SCANNING:
        answer_scan();
        return false;
    case LEAVING:
        pending = ANSWERED;
        port_bootloader();
        return false;
    case ANSWERED:
    default:
        return false;
    }
}
