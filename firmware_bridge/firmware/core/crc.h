/* CRC-16/CCITT-FALSE: polynomial 0x1021, not reflected. */
#ifndef WALLWRIGHT_CRC_H
#define WALLWRIGHT_CRC_H

#include <stdint.h>

#define CRC_SEED 0xFFFFu

/* Adds one byte. Without a table: about 20 cycles on an AVR. */
static inline uint16_t crc_add(uint16_t crc, uint8_t byte) {
    crc = (uint16_t)(crc >> 8 | (uint16_t)(crc << 8));
    crc ^= byte;
    crc ^= (uint16_t)((crc & 0xFFu) >> 4);
    crc ^= (uint16_t)(crc << 12);
    crc ^= (uint16_t)((crc & 0xFFu) << 5);
    return crc;
}

uint16_t crc_over(uint16_t crc, const uint8_t *bytes, uint8_t size);

#endif
