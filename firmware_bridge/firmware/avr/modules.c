/* Modules on the UARTs 1 to 3: 115,200 baud, 8N1, short lines at a low rate. */
#include "../port.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#define DIVISOR 16u /* 117,647 baud: 2.1 % too fast, which 8N1 tolerates */
#define MODULES 3u
#define RECEIVING 32u /* bytes in a ring; powers of two */
#define SENDING 8u
#define ON(n) (1u << RXCIE##n | 1u << RXEN##n | 1u << TXEN##n)

struct module {
    volatile uint8_t in, out;
    volatile uint8_t sending_in, sending_out;
    volatile uint8_t received[RECEIVING];
    volatile uint8_t sending[SENDING];
};

static struct module modules[MODULES];

static inline void take(struct module *module, uint8_t byte) {
    const uint8_t next = (uint8_t)(module->in + 1u) % RECEIVING;
    if (next != module->out) {
        module->received[module->in] = byte;
        module->in = next;
    }
}

/* The next byte to send, or -1. */
static inline int16_t give(struct module *module) {
    const uint8_t at = module->sending_out;
    if (at == module->sending_in) {
        return -1;
    }
    module->sending_out = (uint8_t)(at + 1u) % SENDING;
    return module->sending[at];
}

/* Start and interrupts of one UART. */
#define MODULE(n)                                                                                 \
    static void open_##n(void) {                                                                  \
        UBRR##n = DIVISOR;                                                                        \
        UCSR##n##A = 1u << U2X##n;                                                                \
        UCSR##n##C = 1u << UCSZ##n##1 | 1u << UCSZ##n##0;                                         \
        UCSR##n##B = ON(n);                                                                       \
    }                                                                                             \
    ISR(USART##n##_RX_vect) {                                                                     \
        take(&modules[n - 1], UDR##n);                                                            \
    }                                                                                             \
    ISR(USART##n##_UDRE_vect) {                                                                   \
        const int16_t byte = give(&modules[n - 1]);                                               \
        if (byte < 0) {                                                                           \
            UCSR##n##B = ON(n);                                                                   \
        } else {                                                                                  \
            UDR##n = (uint8_t)byte;                                                               \
        }                                                                                         \
    }

MODULE(1)
MODULE(2)
MODULE(3)

static void begin_to_send(uint8_t port) {
    switch (port) {
    case 1:
        UCSR1B = ON(1) | 1u << UDRIE1;
        break;
    case 2:
        UCSR2B = ON(2) | 1u << UDRIE2;
        break;
    default:
        UCSR3B = ON(3) | 1u << UDRIE3;
        break;
    }
}

static struct module *module_of(uint8_t port) {
    return port >= 1 && port <= MODULES ? &modules[port - 1u] : 0;
}

void port_module_open(uint8_t port) {
    switch (port) {
    case 1:
        open_1();
        break;
    case 2:
        open_2();
        break;
    case 3:
        open_3();
        break;
    default:
        break;
    }
}

int16_t port_module_get(uint8_t port) {
    struct module *const module = module_of(port);
    if (module == 0 || module->out == module->in) {
        return -1;
    }
    const uint8_t byte = module->received[module->out];
    module->out = (uint8_t)(module->out + 1u) % RECEIVING;
    return byte;
}

void port_module_put(uint8_t port, uint8_t byte) {
    struct module *const module = module_of(port);
    if (module == 0) {
        return;
    }
    const uint8_t at = module->sending_in;
    const uint8_t next = (uint8_t)(at + 1u) % SENDING;
    if (next != module->sending_out) {
        module->sending[at] = byte;
        module->sending_in = next;
        begin_to_send(port);
    }
}
