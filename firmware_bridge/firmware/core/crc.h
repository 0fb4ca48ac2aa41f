/* CRC-16/CCITT-FALSE: polynomial 0x1021, not reflected. */
#ifndef WALLWRIGHT_CRC_H
#define WALLWRIGHT_CRC_H

#include <stdint.h>

#define CRC_SEED 0xFFFFu

/* Adds one byte. Without a table, and by bytes: about 20 cycles on an AVR. */
static inline uint16_t crc_add(uint16_t crc, uint8_t byte) {
    const uint8_t first = (uint8_t)(crc >> 8 ^ byte);
    const uint8_t mixed = (uint8_t)(first ^ first >> 4);
    const uint8_t upper = (uint8_t)(mixed << 4);
    const uint8_t high = (uint8_t)((crc & 0xFFu) ^ upper ^ mixed >> 3);
    const uint8_t low = (uint8_t)(mixed ^ (uint8_t)(upper << 1));
    return (uint16_t)((uint16_t)(high << 8) | low);
}

uint16_t crc_over(uint16_t crc, const uint8_t *bytes, uint8_t size);

#endif
