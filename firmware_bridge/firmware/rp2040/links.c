/* The link's two ways to the host, UART 0 and the Pico's own USB socket, as one line.
 *
 * While no host holds the lease, the board hears both ways and sends everything on both, so a host
 * finds it on either. Whoever is on the other way is then as a stranger on the same line: tags,
 * proofs and challenges are made for that. Runs of bytes up to a zero are passed on as a whole, each
 * from one way, so bytes of one way never damage a frame of the other; the ways take turns.
 *
 * While a host holds the lease, only its way is read and written. On the other one nobody can delay a
 * frame of the host, or use the time of the main loop. When the lease has ended, both are heard
 * again, so nobody can keep the link either. */
#include "chip.h"

#include "../port.h"
#include "registers.h"

enum way { WAY_UART, WAY_USB, WAYS };

static uint8_t reading = WAYS; /* the way of the run that is passed on at present; WAYS: none */
static uint8_t last;           /* of the last run */
static uint8_t holder = WAYS;  /* WAYS: none */

static bool is_heard(uint8_t way) {
    return holder == WAYS || holder == way;
}

static bool has_run(uint8_t way) {
    return is_heard(way) && (way == WAY_UART ? uart_has_run() : usb_has_run());
}

/* The way whose run is the next one. */
static uint8_t next_way(void) {
    const uint8_t other = (uint8_t)(WAYS - 1u - last);
    return has_run(other) ? other : has_run(last) ? last : (uint8_t)WAYS;
}

int16_t port_link_get(void) {
    if (reading == WAYS) {
        reading = next_way();
    }
    if (reading == WAYS) {
        return -1;
    }
    last = reading;
    const int16_t byte = reading == WAY_UART ? uart_get() : usb_get();
    if (byte <= 0) {
        reading = WAYS;
    }
    return byte;
}

/* While no host holds the lease, the UART alone has to have room: a host that does not read its USB
 * port must not stop the board's replies on the UART. */
uint8_t port_link_room(void) {
    return holder == WAY_USB ? usb_room() : uart_room();
}

void port_link_put(uint8_t byte) {
    if (is_heard(WAY_UART)) {
        uart_put(byte);
    }
    if (is_heard(WAY_USB)) {
        usb_put(byte);
    }
}

void port_link_hold(bool held) {
    if (held == (holder != WAYS)) {
        return;
    }
    holder = held ? last : (uint8_t)WAYS;
    usb_hear(is_heard(WAY_USB));
}

void link_drain(void) {
    uart_drain();
    usb_drain();
}
