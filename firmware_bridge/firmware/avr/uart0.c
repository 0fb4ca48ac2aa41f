/* The link: UART 0 at 250,000 baud, 8N1, a ring for each direction.
 *
 * A byte takes 640 cycles on the wire; link.S moves it between the UART and its ring. */
#include "uart0.h"

#include "../port.h"

#include <util/delay.h>

#define DIVISOR 7u /* 16 MHz / (8 * 250,000) - 1 */
#define BYTE_US 40
#define SENDING 128u /* bytes; link.S contains the same size */

/* Shared with link.S, which requires that the rings begin at multiples of 256: avr.mk puts them at
 * the start of the RAM, where the alignment wastes no memory. The text after the section's name
 * keeps the section out of the flash. */
#define RINGS ".rings,\"aw\",@nobits;"
struct rings {
    uint8_t received[256]; /* an 8-bit index wraps by itself */
    uint8_t sending[SENDING];
};
volatile struct rings rings __attribute__((section(RINGS)));
volatile uint8_t received_in, received_out;
volatile uint8_t sending_in, sending_out;

/* Switched off first, the UART drops bytes that a bootloader has not read. */
void uart0_start(void) {
    UCSR0B = 0;
    UBRR0 = DIVISOR;
    UCSR0A = 1u << U2X0;
    UCSR0C = 1u << UCSZ01 | 1u << UCSZ00;
    UCSR0B = UART0_ON;
}

int16_t port_link_get(void) {
    const uint8_t at = received_out;
    if (at == received_in) {
        return -1;
    }
    const uint8_t byte = rings.received[at];
    received_out = (uint8_t)(at + 1u);
    return byte;
}

uint8_t port_link_room(void) {
    const uint8_t used = (uint8_t)(sending_in - sending_out) % SENDING;
    return (uint8_t)(SENDING - 1u - used);
}

void port_link_put(uint8_t byte) {
    if (port_link_room() == 0) {
        return;
    }
    const uint8_t at = sending_in;
    rings.sending[at] = byte;
    sending_in = (uint8_t)(at + 1u) % SENDING;
    UCSR0B = UART0_ON | 1u << UDRIE0;
}

/* There is one way only. */
void port_link_hold(bool held) {
    (void)held;
}

/* When the ring is empty, the UART may still contain two bytes: in its data and shift registers. */
void uart0_drain(void) {
    while (port_link_room() < SENDING - 1u) {
    }
    _delay_us(2 * BYTE_US);
}
