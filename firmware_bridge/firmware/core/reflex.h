/* The reflex: immediate reaction to a change of an input: counting, the ends of drives, stops at
 * switches, back-pressure, homing. Runs in the sampling tick; the main loop only reports. */
#ifndef WALLWRIGHT_REFLEX_H
#define WALLWRIGHT_REFLEX_H

#include "../port.h"

#include <stdbool.h>
#include <stdint.h>

extern uint8_t sensor_on[PINS]; /* the channel of the sensor on each pin, or WIRE_NONE */

void reflex_begin(void); /* no table: no input means anything but the emergency stop */

/* From the main loop: */
void reflex_connect(uint8_t channel); /* a sensor's changes count from now on */
void reflex_off(void);                /* no more */
void reflex_tell_untold(void);        /* edges for which there was no room */

#endif
