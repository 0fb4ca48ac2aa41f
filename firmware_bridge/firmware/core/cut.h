/* The part of the reflex that must not be late: taking the power from the motors that a sensor
 * stops. It writes pins only; reflex.c does the rest of the processing afterwards.
 *
 * The core computes beforehand what each sensor stops, and the port does it (`port_cut`). */
#ifndef WALLWRIGHT_CUT_H
#define WALLWRIGHT_CUT_H

#include <stdint.h>

/* Computes again what a change of this sensor stops at once. To be called when a drive begins or
 * ceases to wait for the sensor, and when the next activation is the one that ends a drive; from the
 * reflex, or under `port_lock`. */
void cut_prepare(uint8_t sensor);
void cut_nothing(uint8_t pin); /* the pin is no sensor any more */

#endif
