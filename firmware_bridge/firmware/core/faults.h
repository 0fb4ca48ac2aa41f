/* Latched faults. Any fault stops the whole board, because that rule is simple to verify. */
#ifndef WALLWRIGHT_FAULTS_H
#define WALLWRIGHT_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

void faults_begin(void);

/* Latches a fault, once. Every pin is safe when the function returns; the main loop then ends the
 * motions (`faults_take_release`). Called from the reflex, or under `port_lock`. */
void faults_latch(uint8_t code, uint8_t channel);
bool faults_any(void);

/* Called from the main loop: */
uint8_t faults_first_channel(void);
void faults_report_again(void); /* for a new session */

/* Whether a new fault requires that everything stops; `without_ramp`: axes stop at once. */
bool faults_take_release(bool *without_ramp);

/* Clears the faults for which `persists` returns false. */
void faults_clear(bool (*persists)(uint8_t code, uint8_t channel));

#endif
