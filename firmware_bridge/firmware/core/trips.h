/* Safety inputs, the emergency stop and the light curtain, without noise: an input trips once it has
 * been active for TRIP_US. Emergency inputs then stop the board. The light curtain does so if a part
 * that it guards moves, waits to move, or has an order that is being executed.
 *
 * An input counts as tripped until it is inactive, so an order that comes later reads its state and
 * needs no edge. The emergency input of the Mega has a filter of its own, in its interrupt. Called
 * from the reflex or under `port_lock`, except for `trips_begin`. */
#ifndef WALLWRIGHT_TRIPS_H
#define WALLWRIGHT_TRIPS_H

#include <stdbool.h>
#include <stdint.h>

#define TRIP_US 30u

void trips_begin(void);
void trip_connect(uint8_t number, bool active); /* trips at once if the input is active */
void trip_follow(uint8_t number, bool active, uint32_t now); /* a change of a safety input */
void trip_disconnect(uint8_t number);
bool trips_are_due(uint32_t now); /* otherwise sets the alarm; can interrupt the others */
void trips_turn(uint32_t now);    /* trips what is still active, or sets the alarm to check again */

/* The first input with this flag that is active, or WIRE_NONE; `settled`: and has tripped. */
uint8_t trips_active(uint8_t flag, bool settled);

/* From the check of an order for a guarded part until its effect is in the state of the outputs and
 * axes, `expected` is true, and an interruption of the light curtain stops the board. */
void trips_expect_motion(bool expected);

/* Whether some safety input's pin has another level than its state. */
bool trips_differ(void);

#endif
