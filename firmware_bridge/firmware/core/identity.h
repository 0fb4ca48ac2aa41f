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
    bool provisioned; /* if false: no session begins, because the key is 16 zero bytes; address 0 */
    uint32_t boots;   /* the number of this start, which no earlier one had; starts.c */
};
extern struct identity identity;

/* Reads the provisioned data, first of all that is read from the storage. Without it the serial number is UNSET000; if it or the limits
 * (limits.h) were written once and no copy is sound, DAMAGED0. Only to be called while the storage is ready. */
void identity_begin(void);

/* The content of a copy (`twin.h`), of which `wallwright firmware provision` writes the first one:
 * serial number, key, the key's size, and address. */
#define IDENTITY_CONTENT (SERIAL_SIZE + MOST_KEY + 2u)

#endif
