/* The link's interrupts: receiving a byte takes 37 cycles, sending one 41.
 *
 * In assembler because both run 25,000 times a second at the full rate, and C would take twice as
 * long. No instruction here changes a flag, so SREG need not be saved: `st Z+` increments the
 * index, and the rings begin at multiples of 256, so an index is the lower byte of an address. */
#include <avr/io.h>

.section .text.link, "ax", @progbits
.global USART0_RX_vect
.global USART0_UDRE_vect

/* A byte that comes while the ring is full is lost, and its frame with it: the host resends it. */
USART0_RX_vect:
    push r24
    push r30
    push r31
    lds r30, received_in
    ldi r31, hi8(rings)
    lds r24, UDR0
    st Z+, r24
    lds r24, received_out
    cpse r24, r30
    sts received_in, r30
    pop r31
    pop r30
    pop r24
    reti

USART0_UDRE_vect:
    push r24
    push r30
    push r31
    lds r30, sending_out
    lds r24, sending_in
    cpse r24, r30
    rjmp 1f
    ldi r24, (1 << RXCIE0) | (1 << RXEN0) | (1 << TXEN0) ; nothing left to send: UART0_ON
    sts UCSR0B, r24
    rjmp 2f
1:  ldi r31, hi8(rings + 256)
    ld r24, Z+
    sbrc r30, 7 ; the ring has 128 places
    ldi r30, 0
    sts sending_out, r30
    sts UDR0, r24
2:  pop r31
    pop r30
    pop r24
    reti
