/* The board's identity: provisioned, in two copies in the storage. */
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
    uint16_t boots;   /* memory.c counts them */
};
extern struct identity identity;

/* Reads the provisioned data: the first copy, or the second if the first is damaged, or the place
 * that version 0.1 used. Only to be called while the storage is ready. */
void identity_begin(void);

/* Writes or erases the next bytes of a copy that differs from the one that was read; afterwards
 * erases the place of version 0.1. Returns true if it has begun to write. */
bool identity_repair(void);

/* The layout of a copy, which `wallwright firmware provision` writes as the first one: version 1,
 * serial number, key and its size, address, and the CRC-16 of all these, low byte first. Version 0.1
 * had one copy, at address 0, and the number of starts behind it. */
#define PROVISION_VERSION 1u
#define PROVISION_SIZE (1u + SERIAL_SIZE + MOST_KEY + 2u)
#define PROVISION_COPY (PROVISION_SIZE + 2u)
#define OLD_BOOTS 48u

#endif
