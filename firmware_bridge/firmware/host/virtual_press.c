/* An input changes at any point of the main loop: `hw_press_at`, `hw_edge_at`. */
#include "../port.h"
#include "virtual_chip.h"
#include "virtual_pins.h"

#define PASSES_TICKS 120u /* 60 us */

static uint32_t points_to_press; /* 0: no press is due */
static uint32_t points_to_report;
static bool unreported;

static struct {
    uint8_t pin;
    bool high;
    bool unreported; /* the pin has changed, the reflex has not processed it yet */
    bool trips;      /* the time until the alarm has not passed yet */
    uint32_t to_edge; /* points; 0: no edge is due */
    uint32_t to_trip;
} edge;

void hw_press_at(uint32_t point, uint32_t report_after) {
    points_to_press = point;
    points_to_report = report_after;
}

void hw_edge_at(uint8_t pin, uint8_t level, uint32_t point, uint32_t trip_after) {
    edge.pin = pin;
    edge.high = level != 0;
    edge.unreported = edge.trips = false;
    edge.to_edge = point;
    edge.to_trip = trip_after;
}

uint8_t hw_press_is_due(void) {
    return points_to_press != 0 || unreported || edge.to_edge != 0 || edge.unreported || edge.trips;
}

bool emergency_is_unreported(void) {
    return unreported;
}

void note_emergency(void) {
    unreported = true;
    points_to_report = 0;
}

void press_reset(void) {
    points_to_press = edge.to_edge = 0;
    unreported = edge.unreported = edge.trips = false;
}

static void change_edge(void) {
    if (edge.to_edge != 0 && --edge.to_edge == 0) {
        pins_set_outside(edge.pin, edge.high);
        edge.unreported = true;
    }
    if (locked) {
        return;
    }
    if (edge.unreported) {
        edge.unreported = false;
        edge.trips = true;
        in_reflex = true;
        pins_report_edge(edge.pin);
        in_reflex = false;
    } else if (edge.trips && edge.to_trip != 0) {
        edge.to_trip--;
    } else if (edge.trips) {
        edge.trips = false;
        ticks += PASSES_TICKS;
        run_alarm();
    }
}

/* The interrupt halts the gate at once. The reflex reports it later, and never within a lock. */
void interruption(void) {
    if (in_reflex) {
        return;
    }
    change_edge();
    if (points_to_press != 0 && --points_to_press == 0) {
        pins_set_outside(EMERGENCY_PIN, true);
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
    pins_report_edge(EMERGENCY_PIN);
    unreported = false;
    in_reflex = false;
}
