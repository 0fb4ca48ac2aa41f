/* USB: the chip's controller as a full-speed device, and the two rings of its serial port.
 *
 * No interrupt: `usb_turn` looks at the controller in each turn of the main loop, every 200 us or more
 * often, and executes at most one packet of each endpoint. Whatever a host sends, the steps, the
 * edges and the reflex run as without USB. Meanwhile the controller answers the host by itself: it
 * acknowledges a setup packet, and lets the host repeat everything for which no buffer is ready.
 *
 * As on a UART, bytes that no program reads are dropped, by whole frames, and a host that does not
 * read delays nothing. A bus that is reset or suspended (which is also what the controller sees of a
 * pulled cable) ends the run that was under way. The host's lease ends by its time, as on every other
 * line. */
#include "chip.h"

#include "../core/wire.h"
#include "../port.h"
#include "registers.h"

#define PACKET 64u
#define MOST_SENT (PACKET - 1u) /* a full packet would keep the host waiting for the next one */
#define NOTICES 1u              /* the numbers of the endpoints, as in the descriptors */
#define DATA 2u
#define BULK 2u
#define INTERRUPT 3u
#define NOTICES_AT 0x180u /* the endpoints' buffers in the controller's memory */
#define RECEIVED_AT 0x1C0u
#define SENT_AT 0x200u
#define CONTROL_WORDS 64u /* the words of the controller's memory that describe endpoints */
#define SETTLE_READS 6u   /* longer than a cycle of the controller's clock, 2.6 of the processor's */
#define RING 256u         /* an 8-bit index wraps by itself */
#define DRAIN_MICROS 50000u
#define FRAME_MICROS 1000u
#define SENDS_UNTIL 750u /* microseconds of a frame: 50 before its end begins, for an interrupt */
#define SET_ADDRESS 0x0005u
#define TO_HOST 0x80u

enum stage { QUIET, SENDING, CONFIRMED, RECEIVING, ACKNOWLEDGING };

static struct usb_setup setup;
static enum stage stage;
static const uint8_t *answer; /* what is left of it while `stage` is SENDING */
static uint16_t left;
static bool ends_empty; /* the answer ends by an empty packet */
static bool control_data1;

/* An endpoint's buffer is given: it belongs to the controller until a packet was transferred. */
static bool in_given, out_given, in_data1, out_data1;
static bool suspended, heard;

/* The bus's frame: its number, and the times of the last turn before it and of the first one in it. */
static uint32_t bus_frame, before_bus_frame, in_bus_frame_since, last_turn;

static uint8_t received[RING], sending[RING];
static uint8_t received_in, received_out, runs_in, runs_out;
static uint8_t sending_in, sending_out;
static bool in_frame, skips; /* of `usb_put`: between two zeros; the frame is dropped */

/* The controller's memory has words only */

static void write_memory(uint32_t at, const uint8_t *bytes, uint32_t size) {
    for (uint32_t from = 0; from < size; from += 4u) {
        uint32_t word = 0;
        for (uint32_t each = 0; each < 4u && from + each < size; each++) {
            word |= (uint32_t)bytes[from + each] << 8u * each;
        }
        REGISTER(at + from) = word;
    }
}

static void read_memory(uint32_t at, uint8_t *bytes, uint32_t size) {
    uint32_t word = 0;
    for (uint32_t each = 0; each < size; each++) {
        if (each % 4u == 0) {
            word = REGISTER(at + each);
        }
        bytes[each] = (uint8_t)(word >> 8u * (each % 4u));
    }
}

/* The controller takes the other bits over before it sees that the buffer is its own. */
static void give(uint32_t buffer, uint32_t bits) {
    REGISTER(buffer) = bits;
    for (uint32_t reads = 0; reads < SETTLE_READS; reads++) {
        (void)REGISTER(buffer);
    }
    REGISTER(buffer) = bits | USB_BUFFER_AVAILABLE;
}

/* Erratum RP2040-E15: some hubs end a packet that the device sends at the end of a frame of the bus with
 * an error, and certain errors stop the controller until it is reset. So no buffer of the data endpoint
 * is given in the last 200 us of a frame. The beginning of a frame is known to a turn only, up to 200 us:
 * a frame can have begun right after the last turn without it. A bus without frames has no such end. */

static void follow_frames(void) {
    const uint32_t now = port_micros();
    const uint32_t number = REGISTER(USB_FRAME);
    if (number != bus_frame) {
        bus_frame = number;
        before_bus_frame = last_turn;
        in_bus_frame_since = now;
    }
    last_turn = now;
}

static bool may_send(void) {
    const uint32_t now = port_micros();
    return now - before_bus_frame < SENDS_UNTIL || now - in_bus_frame_since >= FRAME_MICROS;
}

/* The rings */

static uint8_t room_of(uint8_t in, uint8_t out) {
    return (uint8_t)(RING - 1u - (uint8_t)(in - out));
}

static void take(uint8_t byte) {
    if (room_of(received_in, received_out) > 0) {
        received[received_in++] = byte;
        runs_in = (uint8_t)(runs_in + (byte == 0));
    }
}

/* Ends a run that will not be continued. The ring has room for a packet whenever one is under way. */
static void end_run(void) {
    if (received_in != received_out && received[(uint8_t)(received_in - 1u)] != 0) {
        take(0);
    }
}

static bool is_read(void) {
    return usb_is_open() && !suspended;
}

void usb_hear(bool wanted) {
    heard = wanted;
}

bool usb_has_run(void) {
    return runs_in != runs_out;
}

int16_t usb_get(void) {
    if (received_in == received_out) {
        return -1;
    }
    const uint8_t byte = received[received_out++];
    runs_out = (uint8_t)(runs_out + (byte == 0));
    return byte;
}

uint8_t usb_room(void) {
    return is_read() ? room_of(sending_in, sending_out) : (uint8_t)(RING - 1u);
}

void usb_put(uint8_t byte) {
    const uint8_t room = room_of(sending_in, sending_out);
    if (!in_frame) {
        skips = !is_read() || room < WIRE_MAX_FRAME;
    }
    in_frame = byte != 0;
    if (!skips && room > 0) {
        sending[sending_in++] = byte;
    }
}

/* A zero ends what the controller may still have of the last program's bytes. */
void usb_opened(void) {
    sending_out = sending_in;
    skips = true;
    if (usb_is_open()) {
        sending[sending_in++] = 0;
    }
    end_run();
}

/* Endpoint 0 */

static void give_in(uint32_t size) {
    give(USB_IN_BUFFER(0), USB_BUFFER_FULL | (control_data1 ? USB_BUFFER_DATA1 : 0) | size);
    control_data1 = !control_data1;
}

static void give_out(void) {
    give(USB_OUT_BUFFER(0), USB_BUFFER_DATA1 | PACKET);
}

/* An empty packet in the direction against that of the data; its toggle is always DATA1. */
static void acknowledge(void) {
    control_data1 = true;
    give_in(0);
    stage = ACKNOWLEDGING;
}

static void send_next(void) {
    const uint16_t size = left < PACKET ? left : (uint16_t)PACKET;
    write_memory(USB_CONTROL_DATA, answer, size);
    answer += size;
    left = (uint16_t)(left - size);
    ends_empty = ends_empty && size == PACKET;
    give_in(size);
}

static void refuse(void) {
    REGISTER(USB_STALL_ARM) = USB_STALL_CONTROL;
    REGISTER(USB_IN_BUFFER(0)) = USB_BUFFER_STALL;
    REGISTER(USB_OUT_BUFFER(0)) = USB_BUFFER_STALL;
}

static void begin_request(void) {
    uint8_t bytes[8];
    register_clear(USB_STATUS, USB_STATUS_SETUP); /* a packet that comes from here on sets it again */
    read_memory(USB_SETUP, bytes, sizeof bytes);
    REGISTER(USB_IN_BUFFER(0)) = REGISTER(USB_OUT_BUFFER(0)) = 0;
    register_clear(USB_BUFFERS, USB_BUFFERS_IN(0) | USB_BUFFERS_OUT(0));
    setup = (struct usb_setup){bytes[0], bytes[1], (uint16_t)(bytes[2] | bytes[3] << 8),
                               (uint16_t)(bytes[4] | bytes[5] << 8),
                               (uint16_t)(bytes[6] | bytes[7] << 8)};
    stage = QUIET;
    control_data1 = true;
    const bool to_host = (setup.type & TO_HOST) != 0;
    uint16_t size = 0;
    if ((!to_host && setup.length > PACKET) || usb_control(&setup, &answer, &size) == USB_REFUSED) {
        refuse();
    } else if (setup.length == 0) {
        acknowledge();
    } else if (to_host) {
        ends_empty = size < setup.length;
        left = size < setup.length ? size : setup.length;
        stage = SENDING;
        send_next();
    } else {
        stage = RECEIVING;
        give_out();
    }
}

static void control_sent(void) {
    if (stage == SENDING) {
        if (left > 0 || ends_empty) {
            send_next();
        } else {
            stage = CONFIRMED;
            give_out();
        }
    } else if (stage == ACKNOWLEDGING) {
        if ((setup.type << 8 | setup.request) == SET_ADDRESS) {
            REGISTER(USB_ADDRESS) = setup.value & 0x7Fu;
        }
        stage = QUIET;
    }
}

static void control_received(void) {
    if (stage != RECEIVING) {
        stage = QUIET;
        return;
    }
    uint8_t bytes[PACKET];
    const uint32_t size = REGISTER(USB_OUT_BUFFER(0)) & USB_BUFFER_LENGTH;
    const uint32_t got = size < PACKET ? size : PACKET;
    read_memory(USB_CONTROL_DATA, bytes, got);
    usb_control_received(&setup, bytes, (uint16_t)got);
    acknowledge();
}

/* The data endpoint */

static void data_received(void) {
    uint8_t bytes[PACKET];
    const uint32_t size = REGISTER(USB_OUT_BUFFER(DATA)) & USB_BUFFER_LENGTH;
    const uint32_t got = size < PACKET ? size : PACKET;
    read_memory(USB_MEMORY + RECEIVED_AT, bytes, got);
    for (uint32_t at = 0; at < got; at++) {
        take(bytes[at]);
    }
    out_given = false;
}

/* A run that fills the ring is too long for a frame: it is dropped, for otherwise neither its end
 * nor anything else would ever be received. */
static void give_data_out(void) {
    if (room_of(received_in, received_out) <= PACKET && !usb_has_run()) {
        received_in = received_out;
        take(1); /* what follows is no frame either */
    }
    if (heard && room_of(received_in, received_out) > PACKET) {
        give(USB_OUT_BUFFER(DATA), (out_data1 ? USB_BUFFER_DATA1 : 0) | PACKET);
        out_data1 = !out_data1;
        out_given = true;
    }
}

static void give_data_in(void) {
    uint8_t bytes[MOST_SENT];
    uint32_t size = 0;
    while (size < MOST_SENT && sending_out != sending_in) {
        bytes[size++] = sending[sending_out++];
    }
    write_memory(USB_MEMORY + SENT_AT, bytes, size);
    give(USB_IN_BUFFER(DATA), USB_BUFFER_FULL | (in_data1 ? USB_BUFFER_DATA1 : 0) | size);
    in_data1 = !in_data1;
    in_given = true;
}

void usb_restart_endpoints(bool in, bool out) {
    if (in) {
        REGISTER(USB_IN_BUFFER(DATA)) = 0;
        register_clear(USB_BUFFERS, USB_BUFFERS_IN(DATA));
        in_given = in_data1 = false;
    }
    if (out) {
        REGISTER(USB_OUT_BUFFER(DATA)) = 0;
        register_clear(USB_BUFFERS, USB_BUFFERS_OUT(DATA));
        out_given = out_data1 = false;
    }
}

/* The start, and the turns */

static void bus_reset(void) {
    register_clear(USB_STATUS, USB_STATUS_BUS_RESET | USB_STATUS_SETUP);
    REGISTER(USB_ADDRESS) = 0;
    REGISTER(USB_IN_BUFFER(0)) = REGISTER(USB_OUT_BUFFER(0)) = 0;
    register_clear(USB_BUFFERS, USB_BUFFERS_IN(0) | USB_BUFFERS_OUT(0));
    stage = QUIET;
    usb_control_reset();
    usb_restart_endpoints(true, true);
    usb_opened();
}

void usb_start(void) {
    for (uint32_t word = 0; word < CONTROL_WORDS; word++) {
        REGISTER(USB_MEMORY + 4u * word) = 0;
    }
    heard = true;
    const uint32_t on = USB_ENDPOINT_ENABLE | USB_ENDPOINT_EACH_BUFFER;
    REGISTER(USB_IN_CONTROL(NOTICES)) = on | USB_ENDPOINT_TYPE(INTERRUPT) | NOTICES_AT;
    REGISTER(USB_OUT_CONTROL(DATA)) = on | USB_ENDPOINT_TYPE(BULK) | RECEIVED_AT;
    REGISTER(USB_IN_CONTROL(DATA)) = on | USB_ENDPOINT_TYPE(BULK) | SENT_AT;
    REGISTER(USB_MUXING) = USB_MUXING_TO_PHY | USB_MUXING_CONNECTED;
    REGISTER(USB_POWER) = USB_POWER_DETECTED | USB_POWER_OVERRIDE;
    REGISTER(USB_MAIN) = USB_MAIN_ENABLE;
    REGISTER(USB_LINE) = USB_LINE_CONTROL_BUFFERS;
    register_set(USB_LINE, USB_LINE_PULL_UP); /* a host may see the device from now on */
}

/* The buffers of endpoint 0 come before a setup packet, which the host sends after them. */
void usb_turn(void) {
    follow_frames();
    const uint32_t status = REGISTER(USB_STATUS);
    if (status & USB_STATUS_BUS_RESET) {
        bus_reset();
        return;
    }
    const bool was_suspended = suspended;
    suspended = (status & USB_STATUS_SUSPENDED) != 0;
    if (suspended && !was_suspended) {
        end_run();
    }
    const uint32_t done = REGISTER(USB_BUFFERS);
    register_clear(USB_BUFFERS, done);
    if (done & USB_BUFFERS_IN(0)) {
        control_sent();
    }
    if (done & USB_BUFFERS_OUT(0)) {
        control_received();
    }
    if (done & USB_BUFFERS_OUT(DATA)) {
        data_received();
    }
    if (done & USB_BUFFERS_IN(DATA)) {
        in_given = false;
    }
    if (status & USB_STATUS_SETUP) {
        begin_request();
    }
    if (usb_is_configured() && !out_given) {
        give_data_out();
    }
    if (is_read() && !in_given && sending_in != sending_out && may_send()) {
        give_data_in();
    }
}

void usb_drain(void) {
    const uint32_t began = port_micros();
    while (is_read() && (in_given || sending_in != sending_out) &&
           port_micros() - began < DRAIN_MICROS) {
        usb_turn();
        port_watchdog_kick();
    }
    register_clear(USB_LINE, USB_LINE_PULL_UP);
}
