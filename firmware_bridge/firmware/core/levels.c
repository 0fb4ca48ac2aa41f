#include "levels.h"

#include "../port.h"
#include "reflex.h"
#include "state.h"

/* The port measures its analogue inputs one after the other, 0.1 ms each. After this time every
 * input has been measured, so no sensor begins with a level that nobody has measured. */
#define FIRST_MEASURED_US UINT32_C(20000)

static uint32_t connects_at;
static bool connects;

void levels_connect(uint32_t now) {
    for (uint8_t number = 0; number < table_channels(); number++) {
        if (has_threshold(&channels[number])) {
            port_analog_use(channels[number].sensor.pin);
        }
    }
    connects_at = now + FIRST_MEASURED_US;
    connects = true;
}

static void compare(uint8_t number, struct sensor *sensor) {
    const uint16_t mv = port_analog_mv(sensor->pin);
    if (connects) {
        /* The host may have asked for the sensor's edges since the table came in force. */
        const uint8_t watched = sensor->state & WATCHED;
        reflex_connect_at(number, mv >= sensor->high_mv);
        port_lock();
        sensor->state |= watched;
        port_unlock();
    } else if (mv >= sensor->high_mv || mv <= sensor->low_mv) {
        port_lock();
        reflex_edge(sensor->pin, mv >= sensor->high_mv, port_micros());
        port_unlock();
    }
}

void levels_turn(uint32_t now) {
    if (connects && !time_reached(now, connects_at)) {
        return;
    }
    for (uint8_t number = 0; number < table_channels(); number++) {
        if (has_threshold(&channels[number])) {
            compare(number, &channels[number].sensor);
        }
    }
    connects = false;
}
