/* The Pico's UARTs on this computer: the registers that rp2040/uarts.c accesses, and the far ends of
 * the lines. A byte that arrives raises the interrupt; a byte in the transmit register is on the
 * line until a test takes it. */
#include "../../rp2040/chip.h"
#include "../../rp2040/registers.h"

#include "../../port.h"
#include "../virtual_chip.h"
#include "../virtual_pins.h"

#include <string.h>

#define NOWHERE 8u
#define PORTS 2u

static struct uart_lines {
    uint32_t base;
    bool arrives, holds; /* a byte in the receive register, in the transmit register */
    uint8_t arrived;
    volatile uint32_t data, flags;
    bool is_written; /* the last access of `data` is a write */
} uarts[PORTS] = {{.base = UART0}, {.base = UART1}};

static volatile uint32_t others[NOWHERE];

static void end_access(struct uart_lines *uart) {
    if (uart->is_written) {
        uart->is_written = false;
        uart->holds = true;
    }
}

static volatile uint32_t *data_of(struct uart_lines *uart) {
    if (uart->arrives) {
        uart->arrives = false;
        uart->data = uart->arrived;
    } else {
        uart->is_written = true;
    }
    return &uart->data;
}

volatile uint32_t *register_at(uint32_t address) {
    for (uint32_t port = 0; port < PORTS; port++) {
        struct uart_lines *const uart = &uarts[port];
        end_access(uart);
        if (address == uart->base + UART_DR) {
            return data_of(uart);
        }
        if (address == uart->base + UART_FR) {
            uart->flags = (uart->arrives ? 0u : UART_RX_EMPTY) | (uart->holds ? UART_TX_FULL : 0u);
            return &uart->flags;
        }
    }
    return &others[address / 4u % NOWHERE];
}

void tick_wake(void) {
}

bool pins_all_safe(void) {
    return gate != OPEN;
}

/* The far ends. */

static void interrupt(uint32_t port) {
    (port == 0 ? link_interrupt : module_interrupt)();
    end_access(&uarts[port]);
}

/* The ring of the board receives the whole piece before the main loop runs; what does not fit is
 * lost, as on a board whose main loop is late. */
static uint32_t arrive(uint32_t port, const uint8_t *bytes, uint32_t size) {
    for (uint32_t at = 0; at < size; at++) {
        uarts[port].arrives = true;
        uarts[port].arrived = bytes[at];
        interrupt(port);
    }
    turn();
    return size;
}

static uint32_t leave(uint32_t port, uint8_t *bytes, uint32_t most) {
    struct uart_lines *const uart = &uarts[port];
    uint32_t got = 0;
    end_access(uart);
    while (got < most && uart->holds) {
        bytes[got++] = (uint8_t)uart->data;
        uart->holds = false;
        interrupt(port);
    }
    return got;
}

uint32_t hw_rx(const uint8_t *bytes, uint32_t size) {
    return arrive(0, bytes, size);
}

uint32_t hw_tx(uint8_t *bytes, uint32_t most) {
    const uint32_t got = leave(0, bytes, most);
    if (got > 0) {
        turn(); /* the board continues to send if it waited for room */
    }
    return got;
}

uint32_t hw_module_rx(uint8_t port, const uint8_t *bytes, uint32_t size) {
    return port == 1 ? arrive(1, bytes, size) : 0;
}

uint32_t hw_module_tx(uint8_t port, uint8_t *bytes, uint32_t most) {
    return port == 1 ? leave(1, bytes, most) : 0;
}

void lines_reset(void) {
    uint8_t drained[256];
    for (uint32_t port = 0; port < PORTS; port++) {
        while (leave(port, drained, sizeof drained) > 0) {
        }
    }
    while (uart_get() >= 0 || port_module_get(1) >= 0) {
    }
    (void)port_link_get(); /* ends a run that was being read */
    port_link_hold(false);
}
