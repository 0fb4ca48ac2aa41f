/* Latched faults: any of them stops the whole board, because that rule is simple to verify. */
#ifndef WALLWRIGHT_FAULTS_H
#define WALLWRIGHT_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

void faults_begin(void);

/* Latches a fault, once. Every pin is safe when it returns; the main loop then ends what ran
 * (`faults_take_release`). From the reflex, or under `port_lock`. */
void faults_latch(uint8_t code, uint8_t channel);
bool faults_any(void);

/* From the main loop: */
uint8_t faults_first_channel(void);
void faults_tell_again(void); /* to a host that begins anew */
bool faults_take_release(bool *dead); /* whether all has to be let go; axes by their ramps or dead */
void faults_clear(bool (*persists)(uint8_t code, uint8_t channel));

#endif
