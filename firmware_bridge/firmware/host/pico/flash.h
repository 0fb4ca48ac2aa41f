/* The Pico's serial flash on this computer, with a supply that can be cut. */
#ifndef WALLWRIGHT_HOST_PICO_FLASH_H
#define WALLWRIGHT_HOST_PICO_FLASH_H

#include <stdint.h>

#define FLASH_FROM 0x100000u /* the part that exists here: the storage */
#define FLASH_SIZE 0x80000u
#define FLASH_SECTORS (FLASH_SIZE / 4096u)

void pico_flash_new(void); /* erased, never written */

/* Cuts the supply. A program that runs has written its first `written` bytes; an erase that runs
 * leaves arbitrary bytes. */
void pico_flash_cut(uint32_t written, uint32_t seed);

uint32_t pico_flash_erases(uint32_t sector); /* complete or not */

#endif
