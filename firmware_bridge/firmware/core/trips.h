/* The safety inputs of the table: emergency stops and light curtains.
 *
 * They trip once they have been active in every sample for TRIP_US; a shorter pulse is noise. The
 * emergency pin has a filter of its own in the port, which needs no table. All functions are called
 * from the reflex, except for `trips_begin` and `trip_is_filtered`. */
#ifndef WALLWRIGHT_TRIPS_H
#define WALLWRIGHT_TRIPS_H

#include <stdbool.h>
#include <stdint.h>

#define TRIP_US 30u /* with a sample every 20 us: active in three samples, 40 us from first to last */

void trips_begin(void);
void trip_follow(uint8_t number, bool active, uint32_t now); /* this safety input has changed */
bool trips_are_due(uint32_t now); /* `trips_turn` is to be called; otherwise sets the alarm */
void trips_turn(uint32_t now);
bool trip_is_filtered(uint8_t number); /* it is active, but not for long enough yet */

#endif
