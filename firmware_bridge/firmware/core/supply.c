#include "supply.h"

#include "../port.h"
#include "clock.h"
#include "faults.h"
#include "twin.h"
#include "wire.h"

#define GOOD 920u /* permille, as SUPPLY_LOW_PERMILLE */
#define WRITABLE 880u
#define LOW_MICROS UINT32_C(2000)
#define GOOD_MICROS UINT32_C(500000)

static bool low;
static bool changing;         /* the voltage has been beyond the other threshold... */
static uint32_t changing_since; /* ...since this time */
static uint16_t reference; /* millivolts, as stored */

_Static_assert(TWIN_REFERENCE_SIZE == 1u + sizeof reference + TWIN_CRC, "the layout has this size");

/* A reference that is damaged in both copies, or that no chip can have, is not used. */
void supply_begin(void) {
    uint8_t content[sizeof reference];
    low = changing = false;
    reference = 0;
    if (twin_read(STORED_REFERENCE, content) == TWIN_SOUND &&
        port_supply_calibrate(wire_get_u16(content))) {
        reference = wire_get_u16(content);
    }
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

/* The middle of the measured permille. */
uint16_t supply_measured_mv(void) {
    const uint32_t permille = port_supply_permille();
    const uint32_t mv = (2u * permille + 1u) * SUPPLY_LOW_MV / (2u * SUPPLY_LOW_PERMILLE);
    return mv <= UINT16_MAX ? (uint16_t)mv : 0;
}

uint16_t supply_reference_mv(void) {
    return reference;
}
