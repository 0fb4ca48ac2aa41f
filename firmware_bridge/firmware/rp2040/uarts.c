/* The serial ports: UART 0 is a way of the link (links.c), UART 1 the port of module 1; the chip has no
 * others. 8N1, without the chip's FIFOs, with a ring in RAM for each direction.
 *
 * Without its FIFO, a UART has room for one byte besides the one on the wire. Its transmit interrupt
 * comes when that room becomes free, not while it is free; so the first byte is written directly. */
#include "chip.h"

#include "../port.h"
#include "registers.h"

#define LINK_BAUD 250000u
#define MODULE_BAUD 115200u
#define CLOCK 125000000u
#define DIVISOR(baud) ((CLOCK * 4u + (baud) / 2u) / (baud)) /* in 1/64 of a bit's 16 samples */
#define LINK_TX 0u
#define LINK_RX 1u
#define MODULE_TX 8u
#define MODULE_RX 9u
#define PAD_OF_UART (PAD_INPUT | PAD_DRIVE_4_MA | PAD_SCHMITT | PAD_PULL_UP)
#define RING 256u /* an 8-bit index wraps by itself */

struct uart {
    uint32_t base;
    volatile uint8_t received_in, received_out, sending_in, sending_out;
    volatile uint8_t runs_in, runs_out; /* zeros, each of which ends a run, put into `received` and taken */
    volatile uint8_t received[RING];
    volatile uint8_t sending[RING];
};
static struct uart link = {.base = UART0};
static struct uart module = {.base = UART1};

static void start(const struct uart *uart, uint32_t divisor, uint32_t tx, uint32_t rx) {
    REGISTER(uart->base + UART_IBRD) = divisor >> 6;
    REGISTER(uart->base + UART_FBRD) = divisor & 63u;
    REGISTER(uart->base + UART_LCR_H) = UART_8_BITS; /* also takes the divisor over */
    REGISTER(uart->base + UART_CR) = UART_ON;
    REGISTER(uart->base + UART_IMSC) = UART_RX_INTERRUPT | UART_TX_INTERRUPT;
    REGISTER(PAD(tx)) = PAD_OF_UART;
    REGISTER(PAD(rx)) = PAD_OF_UART;
    REGISTER(IO_CTRL(tx)) = FUNCTION_UART;
    REGISTER(IO_CTRL(rx)) = FUNCTION_UART;
}

void uarts_start(void) {
    start(&link, DIVISOR(LINK_BAUD), LINK_TX, LINK_RX);
}

/* A byte that comes while the ring is full is lost, and its frame with it: the host resends it. A zero
 * then takes the place of the last byte: without it, the link would wait for ever for the end of the
 * run that fills the ring. */
static void take(struct uart *uart) {
    const uint8_t byte = (uint8_t)REGISTER(uart->base + UART_DR);
    const uint8_t next = (uint8_t)(uart->received_in + 1u);
    if (next != uart->received_out) {
        uart->received[uart->received_in] = byte;
        uart->received_in = next;
        uart->runs_in = (uint8_t)(uart->runs_in + (byte == 0));
    } else if (byte == 0) {
        volatile uint8_t *const last = &uart->received[(uint8_t)(uart->received_in - 1u)];
        uart->runs_in = (uint8_t)(uart->runs_in + (*last != 0));
        *last = 0;
    }
}

/* Called with interrupts masked, or from the UART's interrupt. */
static void give(struct uart *uart) {
    const uint8_t at = uart->sending_out;
    if (at != uart->sending_in && !(REGISTER(uart->base + UART_FR) & UART_TX_FULL)) {
        REGISTER(uart->base + UART_DR) = uart->sending[at];
        uart->sending_out = (uint8_t)(at + 1u);
    }
}

static void interrupt(struct uart *uart) {
    REGISTER(uart->base + UART_ICR) = UART_TX_INTERRUPT;
    while (!(REGISTER(uart->base + UART_FR) & UART_RX_EMPTY)) {
        take(uart);
    }
    give(uart);
    tick_wake();
}

void link_interrupt(void) {
    interrupt(&link);
}

void module_interrupt(void) {
    interrupt(&module);
}

static int16_t get(struct uart *uart) {
    const uint8_t at = uart->received_out;
    if (at == uart->received_in) {
        return -1;
    }
    const uint8_t byte = uart->received[at];
    uart->runs_out = (uint8_t)(uart->runs_out + (byte == 0));
    uart->received_out = (uint8_t)(at + 1u);
    return byte;
}

static uint8_t room(const struct uart *uart) {
    return (uint8_t)(RING - 1u - (uint8_t)(uart->sending_in - uart->sending_out));
}

static void put(struct uart *uart, uint8_t byte) {
    if (room(uart) == 0) {
        return;
    }
    const uint8_t at = uart->sending_in;
    uart->sending[at] = byte;
    const uint32_t before = mask();
    uart->sending_in = (uint8_t)(at + 1u);
    give(uart);
    unmask(before);
}

/* The link */

bool uart_has_run(void) {
    return link.runs_in != link.runs_out;
}

int16_t uart_get(void) {
    return get(&link);
}

uint8_t uart_room(void) {
    return room(&link);
}

void uart_put(uint8_t byte) {
    put(&link, byte);
}

void uart_drain(void) {
    while (link.sending_in != link.sending_out || (REGISTER(UART0 + UART_FR) & UART_BUSY)) {
        port_watchdog_kick();
    }
}

/* Modules */

void port_module_open(uint8_t port) {
    if (port == 1) {
        start(&module, DIVISOR(MODULE_BAUD), MODULE_TX, MODULE_RX);
    }
}

int16_t port_module_get(uint8_t port) {
    return port == 1 ? get(&module) : (int16_t)-1;
}

void port_module_put(uint8_t port, uint8_t byte) {
    if (port == 1) {
        put(&module, byte);
    }
}
