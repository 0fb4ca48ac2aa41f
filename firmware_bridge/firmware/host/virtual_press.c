/* The emergency stop at any point of the main loop: `hw_press_at`. */
#include "../port.h"
#include "virtual_chip.h"
#include "virtual_pins.h"

static uint32_t points_to_press; /* 0: no press is due */
static uint32_t points_to_report;
static bool unreported;

void hw_press_at(uint32_t point, uint32_t report_after) {
    points_to_press = point;
    points_to_report = report_after;
}

uint8_t hw_press_is_due(void) {
    return points_to_press != 0 || unreported;
}

bool emergency_is_unreported(void) {
    return unreported;
}

void press_reset(void) {
    points_to_press = 0;
    unreported = false;
}

/* The interrupt halts the gate at once. The reflex reports it later, and never within a lock. */
void interruption(void) {
    if (in_reflex) {
        return;
    }
    if (points_to_press != 0 && --points_to_press == 0) {
        pins_open_emergency();
        port_gate_halt();
        unreported = true;
    }
    if (!unreported || locked) {
        return;
    }
    if (points_to_report != 0) {
        points_to_report--;
        return;
    }
    in_reflex = true;
    reflex_emergency();
    reflex_edge(EMERGENCY_PIN, true, port_micros());
    unreported = false;
    in_reflex = false;
}
