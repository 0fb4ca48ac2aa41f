#include "supply.h"

#include "../port.h"
#include "clock.h"
#include "faults.h"
#include "wire.h"

#define GOOD 920u /* permille, as SUPPLY_LOW_PERMILLE */
#define WRITABLE 880u
#define LOW_MICROS UINT32_C(2000)
#define GOOD_MICROS UINT32_C(500000)

static bool low;
static bool changing;         /* the voltage has been beyond the other threshold... */
static uint32_t changing_since; /* ...since this time */

void supply_begin(void) {
    low = changing = false;
}

static bool is_beyond(void) {
    return low ? port_supply_permille() >= GOOD : port_supply_permille() < SUPPLY_LOW_PERMILLE;
}

void supply_turn(uint32_t now) {
    if (!is_beyond()) {
        changing = false;
        return;
    }
    if (!changing) {
        changing = true;
        changing_since = now;
    }
    if (time_reached(now, changing_since + (low ? GOOD_MICROS : LOW_MICROS))) {
        changing = false;
        low = !low;
        if (low) {
            port_lock();
            faults_latch(FAULT_LOW_SUPPLY, WIRE_NONE);
            port_unlock();
        }
    }
}

bool supply_is_low(void) {
    return low;
}

bool supply_permits_writing(void) {
    return port_supply_permille() >= WRITABLE;
}
