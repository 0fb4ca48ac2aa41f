/* The EEPROM as storage. A byte that is erased takes 1.8 ms to write, and a byte takes 1.8 ms to be
 * erased; the log erases in advance, so a save takes 1.8 ms a byte.
 *
 * Address 0 is not used any more: at a low supply voltage, a write can reach the address to which a
 * reset sets the address register. */
#include "../port.h"

#include <avr/interrupt.h>
#include <avr/io.h>

/* Of 4096 bytes, the first 64 had the identity of version 0.1. */
const struct port_storage port_storage = {
    .copies = {{112, 176}, {192, 224}, {64, 128}, {120, 184}},
    .old_identity = 0,
    .log = 256,
    .page = 1920,
    .block = 1,
    .pages = 2,
    .chunk = 1,
};

#define ERASE_ONLY (1u << EEPM0)
#define WRITE_ONLY (1u << EEPM1)

bool port_storage_ready(void) {
    return !(EECR & (1u << EEPE));
}

bool port_storage_is_kept(void) {
    return port_storage_ready();
}

uint8_t port_storage_read(uint16_t at) {
    EEAR = at;
    EECR |= 1u << EERE;
    return EEDR;
}

/* The second of the two bits must be set within four cycles after the first. */
static void start(uint16_t at, uint8_t mode, uint8_t byte) {
    const uint8_t sreg = SREG;
    cli();
    EEAR = at;
    EEDR = byte;
    EECR = (uint8_t)(mode | 1u << EEMPE);
    EECR |= 1u << EEPE;
    SREG = sreg;
}

void port_storage_write(uint16_t at, const uint8_t *bytes, uint8_t size) {
    (void)size; /* 1 */
    if (port_storage_ready()) {
        start(at, WRITE_ONLY, bytes[0]);
    }
}

void port_storage_erase(uint16_t at) {
    if (port_storage_ready()) {
        start(at, ERASE_ONLY, 0xFF);
    }
}
