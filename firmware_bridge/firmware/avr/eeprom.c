/* The EEPROM, a byte at a time. The hardware completes a write within 3.4 ms. */
#include "../port.h"

#include <avr/interrupt.h>
#include <avr/io.h>

bool port_eeprom_ready(void) {
    return !(EECR & (1u << EEPE));
}

/* While a byte is being written the memory cannot be read: ask `port_eeprom_ready` first. */
uint8_t port_eeprom_read(uint16_t at) {
    EEAR = at;
    EECR |= 1u << EERE;
    return EEDR;
}

/* The second of the two bits has to follow the first within four cycles. */
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
