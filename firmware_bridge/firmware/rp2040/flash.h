/* The serial flash beside the chip, by its commands; it is not readable as memory afterwards. */
#ifndef WALLWRIGHT_RP2040_FLASH_H
#define WALLWRIGHT_RP2040_FLASH_H

#include <stdbool.h>
#include <stdint.h>

#define FLASH_PAGE 256u    /* bytes that one command can program */
#define FLASH_SECTOR 4096u /* bytes that one command erases */
#define FLASH_ID 8u        /* bytes of the number that each flash has from its maker */

void flash_start(void);
bool flash_is_busy(void); /* it erases or programs; it can only be suspended meanwhile */
void flash_read(uint32_t at, uint8_t *bytes, uint32_t size);
void flash_read_id(uint8_t id[FLASH_ID]);
void flash_program(uint32_t at, const uint8_t *bytes, uint32_t size); /* within one page */
void flash_erase(uint32_t at);                                       /* the sector at this address */
void flash_suspend_erase(void); /* then other sectors can be programmed, once it is not busy */
void flash_resume_erase(void);

#endif
