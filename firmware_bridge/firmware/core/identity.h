/* The board's identity: provisioned in EEPROM, read at the start. */
#ifndef WALLWRIGHT_IDENTITY_H
#define WALLWRIGHT_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#define SERIAL_SIZE 8u
#define MOST_KEY 32u

struct identity {
    uint8_t serial[SERIAL_SIZE];
    uint8_t key[MOST_KEY];
    uint8_t key_size;
    uint8_t address;
    bool provisioned; /* if false: serial UNSET000, a key of 16 zero bytes, address 0 */
    uint16_t boots;
};
extern struct identity identity;

/* Reads the provisioned data and counts this start. The only function that waits for the EEPROM,
 * for 7 ms at most; it runs before any other task. */
void identity_begin(void);

/* The layout in EEPROM, which `wallwright firmware provision` writes: version 1, serial number, key
 * and its size, address, and the CRC-16 of all these, low byte first. */
#define PROVISION_AT 0u
#define PROVISION_VERSION 1u
#define PROVISION_SIZE (1u + SERIAL_SIZE + MOST_KEY + 2u)
#define BOOTS_AT 48u

#endif
