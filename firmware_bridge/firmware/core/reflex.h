/* The reflex: the immediate reaction to a change of an input. It counts edges, ends drives, stops
 * motors at switches, holds outputs back and ends homings. It runs in the sampling tick; the main
 * loop only reports. */
#ifndef WALLWRIGHT_REFLEX_H
#define WALLWRIGHT_REFLEX_H

#include <stdbool.h>
#include <stdint.h>

void reflex_begin(void); /* without a table, only the emergency input has an effect */

/* Called from the main loop: */
void reflex_connect(uint8_t channel); /* from now on the sensor's changes count */
void reflex_connect_at(uint8_t channel, bool high); /* the same at a level that was measured */
void reflex_off(void);                /* disconnects all sensors */
void reflex_compare_levels(void);     /* takes over the levels at the pins of the safety inputs */
void reflex_report_late(void);        /* reports edges for which the event queue had no room */

#endif
