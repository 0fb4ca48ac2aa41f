/* libFuzzer: a host that sends anything to the Pico's USB port: setup packets, data, resets, pauses.
 *
 * The memory and the registers of the controller are here, and packets are exchanged as on the chip:
 * only if the program has given a buffer. Afterwards a sound host must be able to enumerate the device
 * and to exchange bytes with it, whatever came before. */
#include "../core/wire.h"
#include "../port.h"
#include "../rp2040/chip.h"
#include "../rp2040/flash.h"
#include "../rp2040/registers.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define PACKET 64u
#define DATA 2u
#define IN false
#define OUT true
#define TURNS 8u

static unsigned long setups, packets;

__attribute__((destructor)) static void print_counts(void) {
    fprintf(stderr, "USB: %lu setup packets, %lu other packets\n", setups, packets);
}

/* The controller */

static volatile uint32_t memory[USB_MEMORY_SIZE / 4u];
static volatile uint32_t address, main_control, line, status, buffers, stalls, muxing, power;
static volatile uint32_t frame;
static uint32_t micros;
static volatile uint32_t written; /* through an alias, at `*aliased` */
static volatile uint32_t *aliased;
static bool clears;

static void settle(void) {
    if (aliased != NULL) {
        *aliased = clears ? *aliased & ~written : *aliased | written;
        aliased = NULL;
    }
}

static volatile uint32_t *register_of(uint32_t at) {
    switch (at) {
    case USB_ADDRESS:
        return &address;
    case USB_MAIN:
        return &main_control;
    case USB_FRAME:
        frame = micros / 1000u & 0x7FFu;
        return &frame;
    case USB_LINE:
        return &line;
    case USB_STATUS:
        return &status;
    case USB_BUFFERS:
        return &buffers;
    case USB_STALL_ARM:
        return &stalls;
    case USB_MUXING:
        return &muxing;
    case USB_POWER:
        return &power;
    default:
        abort();
    }
}

volatile uint32_t *register_at(uint32_t at) {
    settle();
    if (at - USB_MEMORY < USB_MEMORY_SIZE) {
        assert(at % 4u == 0);
        return &memory[(at - USB_MEMORY) / 4u];
    }
    const uint32_t alias = at & (SET_ALIAS | CLEAR_ALIAS);
    volatile uint32_t *const found = register_of(at & ~(SET_ALIAS | CLEAR_ALIAS));
    if (alias == 0) {
        return found;
    }
    aliased = found;
    clears = alias == CLEAR_ALIAS;
    written = 0;
    return &written;
}

static uint8_t *data_at(uint32_t at) {
    return (uint8_t *)(uintptr_t)memory + at;
}

static volatile uint32_t *buffer_of(uint32_t endpoint, bool out) {
    return &memory[(out ? 0x84u : 0x80u) / 4u + 2u * endpoint];
}

static uint32_t data_of(uint32_t endpoint, bool out) {
    return endpoint == 0 ? 0x100u : memory[2u * endpoint + (out ? 1u : 0u)] & 0xFC0u;
}

static void end(uint32_t endpoint, bool out, uint32_t kept) {
    volatile uint32_t *const buffer = buffer_of(endpoint, out);
    *buffer = (*buffer & ~(USB_BUFFER_AVAILABLE | USB_BUFFER_FULL)) | kept;
    buffers |= 1u << (2u * endpoint + (out ? 1u : 0u));
    packets++;
}

/* One packet from the device; the size, or -1 if it gives none. */
static int host_in(uint32_t endpoint, uint8_t *bytes) {
    settle();
    const uint32_t buffer = *buffer_of(endpoint, IN);
    if (!(buffer & USB_BUFFER_AVAILABLE)) {
        return -1;
    }
    const uint32_t size = buffer & USB_BUFFER_LENGTH;
    assert(size <= PACKET && (buffer & USB_BUFFER_FULL));
    memcpy(bytes, data_at(data_of(endpoint, IN)), size);
    end(endpoint, IN, 0);
    return (int)size;
}

static bool host_out(uint32_t endpoint, const uint8_t *bytes, uint32_t size) {
    settle();
    const uint32_t buffer = *buffer_of(endpoint, OUT);
    if (!(buffer & USB_BUFFER_AVAILABLE) || size > (buffer & USB_BUFFER_LENGTH)) {
        return false;
    }
    memcpy(data_at(data_of(endpoint, OUT)), bytes, size);
    *buffer_of(endpoint, OUT) = buffer & ~USB_BUFFER_LENGTH;
    end(endpoint, OUT, USB_BUFFER_FULL | size);
    return true;
}

static void host_setup(const uint8_t *bytes) {
    settle();
    memcpy(data_at(0), bytes, 8);
    status |= USB_STATUS_SETUP;
    stalls = 0;
    setups++;
}

/* What usb.c needs of the other files of the port. */

uint32_t port_micros(void) {
    return micros += 100u;
}

void port_watchdog_kick(void) {
}

void flash_read_id(uint8_t id[FLASH_ID]) {
    memset(id, 0x5A, FLASH_ID);
}

/* A sound host */

static void turns(void) {
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        usb_turn();
    }
}

/* The whole answer of a request; the size, or -1 if it is refused. */
static int request(const uint8_t *setup, uint8_t *got) {
    const uint32_t length = setup[6] | (uint32_t)setup[7] << 8;
    uint32_t size = 0;
    host_setup(setup);
    usb_turn();
    if (stalls) {
        return -1;
    }
    int count = (int)PACKET;
    while (length > 0 && size < length && count == (int)PACKET) {
        count = host_in(0, got + size);
        assert(count >= 0);
        size += (uint32_t)count;
        usb_turn();
    }
    uint8_t nothing[PACKET];
    const bool ends = length > 0 ? host_out(0, nothing, 0) : host_in(0, nothing) == 0;
    assert(ends);
    usb_turn();
    return (int)size;
}

static void enumerate(void) {
    static const uint8_t describe_device[8] = {0x80, 6, 0, 1, 0, 0, 18, 0};
    static const uint8_t describe_all[8] = {0x80, 6, 0, 2, 0, 0, 255, 0};
    static const uint8_t describe_serial[8] = {0x80, 6, 3, 3, 9, 4, 255, 0};
    static const uint8_t set_address[8] = {0, 5, 9, 0, 0, 0, 0, 0};
    static const uint8_t configure[8] = {0, 9, 1, 0, 0, 0, 0, 0};
    static const uint8_t open[8] = {0x21, 0x22, 3, 0, 0, 0, 0, 0};
    uint8_t got[256];
    settle();
    status = USB_STATUS_BUS_RESET;
    usb_turn();
    settle();
    assert(address == 0);
    assert(request(describe_device, got) == 18 && got[0] == 18 && got[7] == PACKET);
    assert(request(set_address, got) == 0 && address == 9);
    assert(request(describe_all, got) == 67 && got[2] == 67);
    assert(request(describe_serial, got) == 34 && got[2] == '5' && got[4] == 'A');
    assert(request(configure, got) == 0);
    assert(request(open, got) == 0);
}

static void empty_ring(void) {
    while (usb_get() >= 0) {
    }
}

static void exchange(void) {
    uint8_t got[PACKET];
    usb_hear(true);
    empty_ring();
    turns();
    assert(host_out(DATA, (const uint8_t *)"\1\2", 3));
    turns();
    assert(usb_has_run());
    assert(usb_get() == 1 && usb_get() == 2 && usb_get() == 0 && usb_get() == -1);
    usb_put(0); /* ends a frame that is under way */
    do {
        turns();
    } while (host_in(DATA, got) >= 0);
    assert(usb_room() >= WIRE_MAX_FRAME);
    usb_put(7);
    usb_put(0);
    turns();
    assert(host_in(DATA, got) == 2 && got[0] == 7 && got[1] == 0);
}

/* An arbitrary one */

static const uint8_t *input;
static size_t left;

static uint8_t next(void) {
    if (left == 0) {
        return 0;
    }
    left--;
    return *input++;
}

static void arbitrary_setup(uint8_t how) {
    static const uint8_t kinds[][2] = {{0x80, 6}, {0, 5},    {0, 9},       {0x80, 8},    {0x81, 10},
                                       {1, 11},   {0x80, 0}, {2, 1},       {0x21, 0x20}, {0xA1, 0x21},
                                       {0x21, 0x22}, {0x82, 0}};
    uint8_t setup[8];
    for (uint32_t at = 0; at < sizeof setup; at++) {
        setup[at] = next();
    }
    if (how & 1u) {
        memcpy(setup, kinds[how / 2u % (sizeof kinds / sizeof kinds[0])], 2);
        setup[7] = 0;
    }
    if (how & 32u) {
        setup[2] &= 3u;
        setup[3] &= 3u;
    }
    host_setup(setup);
}

static void send_some(uint32_t endpoint) {
    uint8_t bytes[PACKET];
    const uint8_t size = (uint8_t)(next() % (PACKET + 1u));
    for (uint8_t at = 0; at < size; at++) {
        bytes[at] = next();
    }
    host_out(endpoint, bytes, size);
}

static void put_some(void) {
    for (uint8_t count = next(); count > 0; count--) {
        usb_put(next());
    }
}

static void act(uint8_t what) {
    uint8_t got[PACKET];
    switch (what % 12u) {
    case 0:
        status |= USB_STATUS_BUS_RESET;
        break;
    case 1:
        status ^= USB_STATUS_SUSPENDED;
        break;
    case 2:
        usb_hear((what & 16u) != 0);
        break;
    case 3:
        put_some();
        break;
    case 4:
        empty_ring();
        break;
    case 5:
        (void)usb_get();
        break;
    case 6:
        host_in(DATA, got);
        break;
    case 7:
        send_some(DATA);
        break;
    case 8:
        send_some(0);
        break;
    case 9:
        host_in(0, got);
        break;
    default:
        arbitrary_setup((uint8_t)(what * 7u));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    input = bytes;
    left = size;
    status = 0;
    usb_control_start();
    usb_start();
    if (size > 0 && (next() & 1u)) {
        enumerate();
    }
    while (left > 0) {
        const uint8_t what = next();
        settle();
        act(what);
        if (what < 240u) {
            usb_turn();
        }
        assert(usb_room() <= 255u);
    }
    enumerate();
    exchange();
    usb_drain();
    return 0;
}
