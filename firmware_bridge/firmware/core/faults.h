/* Latched faults. Any fault stops the whole board, because that rule is simple to verify. */
#ifndef WALLWRIGHT_FAULTS_H
#define WALLWRIGHT_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

void faults_begin(void);

/* Latches a fault, once. An emergency stop always finds a place in the list. Every pin is safe when the function returns; the main loop then ends the
 * motions (`faults_take_release`). Called from the reflex, or under `port_lock`. */
void faults_latch(uint8_t code, uint8_t channel);
bool faults_any(void);
bool faults_have(uint8_t code); /* for any channel */

/* Called from the main loop: */
uint8_t faults_first_channel(void);
void faults_report_again(void); /* for a new session */
void faults_report_late(void);  /* those for which the event queue had no room */

/* Whether a new fault requires that everything stops; `without_ramp`: axes stop at once. */
bool faults_take_release(bool *without_ramp);

/* Clears the faults for which `persists` returns false. */
void faults_clear(bool (*persists)(uint8_t code, uint8_t channel));

#endif
