/* The requests of USB's control endpoint: the descriptors of a CDC-ACM device, which every operating
 * system knows as a serial port, and the requests of the standard and of that class.
 *
 * A request that is not listed here is refused. The line coding (rate and format of characters) is
 * kept for the host that reads it back; it has no meaning for USB. */
#include "chip.h"

#include "flash.h"

#include <string.h>

/* The numbers that Raspberry Pi, owner of the vendor number, names for a serial port of an RP2040
 * without a driver of its own; the texts say what the device is. See decision 54. */
#ifndef USB_VENDOR
#define USB_VENDOR 0x2E8Au
#endif
#ifndef USB_PRODUCT
#define USB_PRODUCT 0x000Au
#endif
#define USB_RELEASE 0x0100u /* of the device, in decimal digits */

#define LOW(value) (uint8_t)((value)&0xFFu)
#define HIGH(value) (uint8_t)((value) >> 8)
#define DEVICE 1u
#define CONFIGURATION 2u
#define STRING 3u
#define INTERFACE 4u
#define ENDPOINT 5u
#define CLASS_INTERFACE 0x24u
#define MAKER_TEXT 1u
#define PRODUCT_TEXT 2u
#define SERIAL_TEXT 3u
#define FULL_SPEED_PACKET 64u
#define NOTICES_IN 0x81u
#define DATA_OUT 0x02u
#define DATA_IN 0x82u
#define MAX_POWER 50u /* 100 mA, in units of 2 mA */

static const uint8_t device[18] = {
    sizeof device, DEVICE, 0x00, 0x02, /* USB 2.0 */
    2, 0, 0,                           /* CDC */
    FULL_SPEED_PACKET,
    LOW(USB_VENDOR), HIGH(USB_VENDOR), LOW(USB_PRODUCT), HIGH(USB_PRODUCT),
    LOW(USB_RELEASE), HIGH(USB_RELEASE),
    MAKER_TEXT, PRODUCT_TEXT, SERIAL_TEXT,
    1, /* configuration */
};

/* Two interfaces: control with an interrupt endpoint, on which this device never sends, and data. */
static const uint8_t configuration[67] = {
    9, CONFIGURATION, sizeof configuration, 0, 2, 1, 0, 0x80, MAX_POWER,
    9, INTERFACE, 0, 0, 1, 2, 2, 0, 0,
    5, CLASS_INTERFACE, 0, 0x10, 0x01,         /* CDC 1.1 */
    5, CLASS_INTERFACE, 1, 0, 1,               /* no call management */
    4, CLASS_INTERFACE, 2, 2,                  /* line coding and control line state */
    5, CLASS_INTERFACE, 6, 0, 1,               /* the control interface 0 has the data interface 1 */
    7, ENDPOINT, NOTICES_IN, 3, 8, 0, 255,           /* interrupt IN */
    9, INTERFACE, 1, 0, 2, 10, 0, 0, 0,
    7, ENDPOINT, DATA_OUT, 2, FULL_SPEED_PACKET, 0, 0, /* bulk OUT */
    7, ENDPOINT, DATA_IN, 2, FULL_SPEED_PACKET, 0, 0, /* bulk IN */
};

static const char maker[] = "Wallwright";
static const char product[] = "Wallwright board";
static char serial[2u * FLASH_ID + 1u];

#define LINE_CODING 7u
#define MOST_TEXT 32u

static uint8_t coding[LINE_CODING] = {0x90, 0xD0, 0x03, 0, 0, 0, 8}; /* 250,000 baud, 8N1 */
static uint8_t text[2u + 2u * MOST_TEXT];
static uint8_t little[2]; /* a short answer */
static bool configured, is_open;

/* Requests, as the type in the high and the request in the low byte. */
enum {
    GET_DEVICE_STATUS = 0x8000,
    GET_INTERFACE_STATUS = 0x8100,
    GET_ENDPOINT_STATUS = 0x8200,
    CLEAR_ENDPOINT_FEATURE = 0x0201,
    SET_ADDRESS = 0x0005,
    GET_DESCRIPTOR = 0x8006,
    GET_CONFIGURATION = 0x8008,
    SET_CONFIGURATION = 0x0009,
    GET_INTERFACE = 0x810A,
    SET_INTERFACE = 0x010B,
    SET_LINE_CODING = 0x2120,
    GET_LINE_CODING = 0xA121,
    SET_CONTROL_LINE_STATE = 0x2122,
};
#define DTR 1u

void usb_control_start(void) {
    static const char digits[] = "0123456789ABCDEF";
    uint8_t id[FLASH_ID];
    flash_read_id(id);
    for (uint32_t at = 0; at < FLASH_ID; at++) {
        serial[2u * at] = digits[id[at] >> 4];
        serial[2u * at + 1u] = digits[id[at] & 15u];
    }
}

void usb_control_reset(void) {
    configured = is_open = false;
}

bool usb_is_configured(void) {
    return configured;
}

bool usb_is_open(void) {
    return configured && is_open;
}

static enum usb_answer sends(const uint8_t *these, uint16_t count, const uint8_t **bytes,
                             uint16_t *size) {
    *bytes = these;
    *size = count;
    return USB_SENDS;
}

/* A string descriptor: two bytes for each character. */
static uint16_t write_text(const char *characters) {
    uint16_t size = 2;
    for (uint32_t at = 0; at < MOST_TEXT && characters[at] != 0; at++) {
        text[size++] = (uint8_t)characters[at];
        text[size++] = 0;
    }
    text[0] = (uint8_t)size;
    text[1] = STRING;
    return size;
}

static enum usb_answer describe(uint16_t value, const uint8_t **bytes, uint16_t *size) {
    static const uint8_t languages[4] = {4, STRING, 0x09, 0x04}; /* English (United States) */
    switch (value) {
    case DEVICE << 8:
        return sends(device, sizeof device, bytes, size);
    case CONFIGURATION << 8:
        return sends(configuration, sizeof configuration, bytes, size);
    case STRING << 8:
        return sends(languages, sizeof languages, bytes, size);
    case STRING << 8 | MAKER_TEXT:
        return sends(text, write_text(maker), bytes, size);
    case STRING << 8 | PRODUCT_TEXT:
        return sends(text, write_text(product), bytes, size);
    case STRING << 8 | SERIAL_TEXT:
        return sends(text, write_text(serial), bytes, size);
    default:
        return USB_REFUSED;
    }
}

static enum usb_answer configure(uint16_t value) {
    if (value > 1u) {
        return USB_REFUSED;
    }
    configured = value == 1u;
    is_open = false;
    usb_restart_endpoints(true, true);
    usb_opened();
    return USB_ACKNOWLEDGED;
}

/* After an error of its own, a host lets an endpoint begin anew. */
static enum usb_answer clear_halt(uint16_t endpoint) {
    usb_restart_endpoints(endpoint == DATA_IN, endpoint == DATA_OUT);
    return USB_ACKNOWLEDGED;
}

static enum usb_answer set_lines(uint16_t value) {
    is_open = (value & DTR) != 0;
    usb_opened();
    return USB_ACKNOWLEDGED;
}

enum usb_answer usb_control(const struct usb_setup *setup, const uint8_t **bytes, uint16_t *size) {
    little[0] = little[1] = 0;
    switch (setup->type << 8 | setup->request) {
    case GET_DESCRIPTOR:
        return describe(setup->value, bytes, size);
    case SET_ADDRESS:
        return USB_ACKNOWLEDGED;
    case SET_CONFIGURATION:
        return configure(setup->value);
    case GET_CONFIGURATION:
        little[0] = configured ? 1u : 0u;
        return sends(little, 1, bytes, size);
    case GET_INTERFACE:
        return sends(little, 1, bytes, size);
    case GET_DEVICE_STATUS:
    case GET_INTERFACE_STATUS:
    case GET_ENDPOINT_STATUS:
        return sends(little, 2, bytes, size);
    case SET_INTERFACE:
        return setup->value == 0 ? USB_ACKNOWLEDGED : USB_REFUSED;
    case CLEAR_ENDPOINT_FEATURE:
        return clear_halt(setup->index);
    case GET_LINE_CODING:
        return sends(coding, LINE_CODING, bytes, size);
    case SET_LINE_CODING:
        return setup->length == LINE_CODING ? USB_ACKNOWLEDGED : USB_REFUSED;
    case SET_CONTROL_LINE_STATE:
        return set_lines(setup->value);
    default:
        return USB_REFUSED;
    }
}

void usb_control_received(const struct usb_setup *setup, const uint8_t *bytes, uint16_t size) {
    if ((setup->type << 8 | setup->request) == SET_LINE_CODING && size == LINE_CODING) {
        memcpy(coding, bytes, LINE_CODING);
    }
}
