#include "state.h"

#include <string.h>

struct channel channels[MOST_CHANNELS];
struct output outputs[MOST_OUTPUTS];
uint8_t output_count;
uint8_t sensor_on[PINS];
struct axis_record axis_records[AXES];
struct lease lease;

static uint8_t in_force; /* channels of the table in force */
static uint16_t crc_in_force;

/* The last orders in `outputs` are not reset: memory.c loads them. */
void state_begin(void) {
    memset(channels, 0, sizeof channels);
    output_count = 0;
    memset(sensor_on, WIRE_NONE, sizeof sensor_on);
    for (uint8_t axis = 0; axis < AXES; axis++) {
        axis_records[axis].channel = WIRE_NONE;
    }
    table_put_out_of_force();
}

bool table_in_force(void) {
    return in_force != 0;
}

uint8_t table_channels(void) {
    return in_force;
}

uint16_t table_crc(void) {
    return crc_in_force;
}

void table_put_in_force(uint8_t count, uint16_t crc) {
    in_force = count;
    crc_in_force = crc;
}

void table_put_out_of_force(void) {
    in_force = 0;
    crc_in_force = 0;
    lease.holds = lease.expired = false;
}
