/* The EEPROM, one byte at a time. The hardware completes a write within 3.4 ms. */
#include "../port.h"

#include <avr/interrupt.h>
#include <avr/io.h>

bool port_eeprom_ready(void) {
    return !(EECR & (1u << EEPE));
}

/* The EEPROM cannot be read while a byte is being written: check `port_eeprom_ready` first. */
uint8_t port_eeprom_read(uint16_t at) {
    EEAR = at;
    EECR |= 1u << EERE;
    return EEDR;
}

/* The second of the two bits must be set within four cycles after the first. */
void port_eeprom_write(uint16_t at, uint8_t byte) {
    if (!port_eeprom_ready()) {
        return;
    }
    const uint8_t sreg = SREG;
    cli();
    EEAR = at;
    EEDR = byte;
    EECR = 1u << EEMPE;
    EECR |= 1u << EEPE;
    SREG = sreg;
}
