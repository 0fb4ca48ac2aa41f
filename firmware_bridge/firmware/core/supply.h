/* The supply of the board: LOW_SUPPLY with hysteresis, and the permission to write to the storage.
 *
 * The supply counts as low once it has been below SUPPLY_LOW_MV of the board's profile for 2 ms, or
 * while an input reports that it fails, and as good again after half a second at 92/90 of it. Below
 * 88/90 of it nothing is written, because the processor may not work correctly there. (Of a Mega:
 * 4.01 V, 4.10 V and 3.92 V; of a Pico: 3.70 V, 3.78 V and 3.62 V at VSYS. The measurement of a
 * Mega differs from the true voltage by up to 9 %, or by 1 % after `wallwright firmware calibrate`,
 * which stores the voltage of the chip's reference in two copies.) */
#ifndef WALLWRIGHT_SUPPLY_H
#define WALLWRIGHT_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

void supply_begin(void); /* only to be called while the storage is ready, after `twin_begin` */
void supply_turn(uint32_t now); /* latches LOW_SUPPLY when the supply becomes low */
bool supply_is_low(void);
bool supply_permits_writing(void);
uint16_t supply_measured_mv(void);  /* 0: this board does not measure it */
uint16_t supply_reference_mv(void); /* 0: none was stored, the chip's nominal one is used */

#endif
