#include "core.h"

#include "../port.h"
#include "board.h"
#include "identity.h"
#include "session.h"

static uint32_t longest;

uint32_t core_longest_turn(void) {
    return longest;
}

void core_begin(void) {
    longest = 0;
    identity_begin();
    session_begin();
    board_begin();
}

bool core_turn(void) {
    const uint32_t began = port_micros();
    const bool took = session_turn(began);
    const bool more = board_turn(began);
    port_watchdog_kick();
    const uint32_t lasted = port_micros() - began;
    if (lasted > longest) {
        longest = lasted;
    }
    return took || more;
}
