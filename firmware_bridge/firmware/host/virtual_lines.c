/* The lines of the virtual processor: the link to the host, and the serial ports of the modules. A
 * ring for each direction; bytes take no time. */
#include "../port.h"
#include "virtual_chip.h"
#include "virtual_pins.h"

#include <assert.h>
#include <string.h>

#define RING 4096u
#define PORTS 3u

struct ring {
    uint8_t bytes[RING];
    uint32_t put, taken;
};

static struct ring to_board, to_host, to_module[PORTS], from_module[PORTS];

/* Rings */

static uint32_t ring_room(const struct ring *ring) {
    return RING - (ring->put - ring->taken);
}

static bool ring_put(struct ring *ring, uint8_t byte) {
    if (ring_room(ring) == 0) {
        return false;
    }
    ring->bytes[ring->put++ % RING] = byte;
    return true;
}

static int16_t ring_get(struct ring *ring) {
    return ring->put == ring->taken ? (int16_t)-1 : (int16_t)ring->bytes[ring->taken++ % RING];
}

static uint32_t ring_put_all(struct ring *ring, const uint8_t *bytes, uint32_t size) {
    uint32_t put = 0;
    while (put < size && ring_put(ring, bytes[put])) {
        put++;
    }
    return put;
}

static uint32_t ring_get_all(struct ring *ring, uint8_t *bytes, uint32_t most) {
    uint32_t got = 0;
    while (got < most && ring->put != ring->taken) {
        bytes[got++] = (uint8_t)ring_get(ring);
    }
    return got;
}

/* The lines' functions of port.h */

int16_t port_link_get(void) {
    return ring_get(&to_board);
}

/* There is one way only. */
void port_link_hold(bool held) {
    (void)held;
}

uint8_t port_link_room(void) {
    const uint32_t room = ring_room(&to_host);
    return room < UINT8_MAX ? (uint8_t)room : UINT8_MAX;
}

void port_link_put(uint8_t byte) {
    const bool fits = ring_put(&to_host, byte);
    assert(fits);
    (void)fits;
}

void port_module_open(uint8_t port) {
    (void)port;
}

int16_t port_module_get(uint8_t port) {
    return port >= 1 && port <= PORTS ? ring_get(&from_module[port - 1u]) : (int16_t)-1;
}

void port_module_put(uint8_t port, uint8_t byte) {
    if (port >= 1 && port <= PORTS) {
        ring_put(&to_module[port - 1u], byte);
    }
}

/* The far ends of the lines */

uint32_t hw_rx(const uint8_t *bytes, uint32_t size) {
    const uint32_t took = ring_put_all(&to_board, bytes, size);
    turn();
    return took;
}

uint32_t hw_tx(uint8_t *bytes, uint32_t most) {
    const uint32_t got = ring_get_all(&to_host, bytes, most);
    if (got > 0) {
        turn(); /* the board continues to send if it waited for room */
    }
    return got;
}

uint32_t hw_module_rx(uint8_t port, const uint8_t *bytes, uint32_t size) {
    if (port < 1 || port > PORTS) {
        return 0;
    }
    const uint32_t took = ring_put_all(&from_module[port - 1u], bytes, size);
    turn();
    return took;
}

uint32_t hw_module_tx(uint8_t port, uint8_t *bytes, uint32_t most) {
    return port >= 1 && port <= PORTS ? ring_get_all(&to_module[port - 1u], bytes, most) : 0;
}

/* Resets */

void lines_reset(void) {
    memset(&to_board, 0, sizeof to_board);
    memset(&to_host, 0, sizeof to_host);
    memset(to_module, 0, sizeof to_module);
    memset(from_module, 0, sizeof from_module);
}
