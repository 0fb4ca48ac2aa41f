/* Generated from firmware_bridge/wire/messages.py by `make docs`; a test checks that it is current.
 * docs/reference/PROTOCOL.md describes the messages. */
#ifndef WALLWRIGHT_WIRE_H
#define WALLWRIGHT_WIRE_H

#include <stdint.h>
#include <string.h>

#define WIRE_PROTOCOL 2u
#define WIRE_MAX_PAYLOAD 48u
#define WIRE_MAX_FRAME 64u
#define WIRE_WINDOW 8u
#define WIRE_REMEMBERED 16u
#define WIRE_EVENT_WINDOW 16u
#define WIRE_NONE 255u
#define WIRE_REPEAT_AFTER_MS 50u
#define WIRE_REPEAT_AT_LEAST_EVERY_MS 400u

enum {
    KIND_MOTOR = 1,
    KIND_OUTPUT = 2,
    KIND_STRIP = 3,
    KIND_SENSOR = 4,
    KIND_AXIS = 5,
    KIND_DICE = 6,
    KIND_READER = 7,
    KIND_ANALOG = 8,
};

enum {
    FLAG_GUARDED = 1,
    FLAG_EMERGENCY = 2,
    FLAG_CURTAIN = 4,
    FLAG_FULL_ONLY = 8,
    FLAG_CURRENT = 16,
};

enum {
    DEFECT_TABLE = 1,
    DEFECT_PROGRAM = 2,
    DEFECT_MEMORY = 4,
    DEFECT_CLOCK = 8,
    DEFECT_OUTPUTS = 16,
};

enum {
    UNTIL_EDGES = 1,
    UNTIL_LEVEL = 2,
    UNTIL_TIME = 3,
};

enum {
    REFUSAL_UNKNOWN_CHANNEL = 1,
    REFUSAL_WRONG_KIND = 2,
    REFUSAL_OUT_OF_RANGE = 3,
    REFUSAL_NO_LEASE = 4,
    REFUSAL_NOT_CONFIGURED = 5,
    REFUSAL_FAULT_LATCHED = 6,
    REFUSAL_BUSY = 7,
    REFUSAL_WRONG_VERSION = 8,
    REFUSAL_CAUSE_PERSISTS = 9,
    REFUSAL_NOT_HOMED = 10,
    REFUSAL_NOT_STORED = 11,
    REFUSAL_LEASE_TOO_LONG = 12,
    REFUSAL_ON_TOO_LONG = 13,
    REFUSAL_NOT_GUARDED = 14,
    REFUSAL_NO_CURTAIN = 15,
};

enum {
    RESET_CAUSE_POWER = 0,
    RESET_CAUSE_EXTERNAL = 1,
    RESET_CAUSE_BROWN_OUT = 2,
    RESET_CAUSE_WATCHDOG = 3,
    RESET_CAUSE_BOOTLOADER = 4,
    RESET_CAUSE_UNKNOWN = 5,
};

enum {
    CHIP_MEGA2560 = 1,
    CHIP_RP2040 = 2,
    CHIP_RASPBERRY_PI = 3,
};

enum {
    REASON_DONE = 0,
    REASON_EDGES = 1,
    REASON_LEVEL = 2,
    REASON_TIME = 3,
    REASON_CURRENT = 4,
    REASON_SWITCH = 5,
    REASON_STOPPED = 6,
    REASON_HELD = 7,
    REASON_FAULT = 8,
};

enum {
    FAULT_EMERGENCY_STOP = 1,
    FAULT_OVER_CURRENT = 2,
    FAULT_NO_EDGE = 3,
    FAULT_BOTH_SWITCHES = 4,
    FAULT_LIMIT_SWITCH = 5,
    FAULT_MAXIMUM_ON_TIME = 6,
    FAULT_LEASE_EXPIRED = 7,
    FAULT_BROWN_OUT = 8,
    FAULT_WATCHDOG = 9,
    FAULT_CONFIGURATION = 10,
    FAULT_UNEXPECTED_MOTION = 11,
    FAULT_IMPOSSIBLE = 12,
    FAULT_LIGHT_CURTAIN = 13,
    FAULT_LOW_SUPPLY = 14,
    FAULT_LATE_STEP = 15,
    FAULT_SELF_TEST = 16,
};

enum {
    WIRE_IDENTIFY = 0x01,
    WIRE_CONFIGURE = 0x02,
    WIRE_COMMIT = 0x03,
    WIRE_TAKE_LEASE = 0x04,
    WIRE_STOP = 0x05,
    WIRE_CLEAR = 0x06,
    WIRE_AUTHENTICATE = 0x07,
    WIRE_SET = 0x10,
    WIRE_PULSE = 0x11,
    WIRE_DRIVE = 0x12,
    WIRE_MOVE = 0x13,
    WIRE_HOME = 0x14,
    WIRE_READ = 0x15,
    WIRE_WATCH = 0x16,
    WIRE_COUNT = 0x17,
    WIRE_THROW_DICE = 0x18,
    WIRE_SCAN = 0x19,
    WIRE_SELF_TEST = 0x1A,
    WIRE_REPORT = 0x1B,
    WIRE_BOOTLOADER = 0x1C,
    WIRE_RECALL = 0x1D,
    WIRE_READ_LIMITS = 0x1E,
    WIRE_READ_SUPPLY = 0x1F,
    WIRE_OK = 0x40,
    WIRE_REFUSED = 0x41,
    WIRE_VALUE = 0x42,
    WIRE_TAG = 0x43,
    WIRE_IDENTITY = 0x44,
    WIRE_STATISTICS = 0x45,
    WIRE_RECALLED = 0x46,
    WIRE_LIMITS = 0x47,
    WIRE_SUPPLY = 0x48,
    WIRE_EDGE_SEEN = 0x60,
    WIRE_MOTION_ENDED = 0x61,
    WIRE_DICE_READ = 0x62,
    WIRE_FAULTED = 0x63,
    WIRE_HELD = 0x64,
    WIRE_RECEIVED = 0x70,
    WIRE_STARTED = 0x71,
};

#define WIRE_IDENTIFY_SIZE 9u
#define WIRE_CONFIGURE_SIZE 42u
#define WIRE_COMMIT_SIZE 3u
#define WIRE_TAKE_LEASE_SIZE 2u
#define WIRE_STOP_SIZE 1u
#define WIRE_CLEAR_SIZE 0u
#define WIRE_AUTHENTICATE_SIZE 8u
#define WIRE_SET_SIZE 5u
#define WIRE_PULSE_SIZE 9u
#define WIRE_DRIVE_SIZE 13u
#define WIRE_MOVE_SIZE 17u
#define WIRE_HOME_SIZE 1u
#define WIRE_READ_SIZE 1u
#define WIRE_WATCH_SIZE 2u
#define WIRE_COUNT_SIZE 1u
#define WIRE_THROW_DICE_SIZE 2u
#define WIRE_SCAN_SIZE 1u
#define WIRE_SELF_TEST_SIZE 0u
#define WIRE_REPORT_SIZE 0u
#define WIRE_BOOTLOADER_SIZE 4u
#define WIRE_RECALL_SIZE 1u
#define WIRE_READ_LIMITS_SIZE 0u
#define WIRE_READ_SUPPLY_SIZE 0u
#define WIRE_OK_SIZE 0u
#define WIRE_REFUSED_SIZE 2u
#define WIRE_VALUE_SIZE 4u
#define WIRE_TAG_SIZE 8u
#define WIRE_IDENTITY_SIZE 41u
#define WIRE_STATISTICS_SIZE 16u
#define WIRE_RECALLED_SIZE 8u
#define WIRE_LIMITS_SIZE 25u
#define WIRE_SUPPLY_SIZE 4u
#define WIRE_EDGE_SEEN_SIZE 10u
#define WIRE_MOTION_ENDED_SIZE 9u
#define WIRE_DICE_READ_SIZE 6u
#define WIRE_FAULTED_SIZE 6u
#define WIRE_HELD_SIZE 4u
#define WIRE_RECEIVED_SIZE 1u
#define WIRE_STARTED_SIZE 3u

/* Every message type and the size of its payload, as array elements. */
#define WIRE_TYPES_AND_SIZES \
    {WIRE_IDENTIFY, WIRE_IDENTIFY_SIZE}, \
    {WIRE_CONFIGURE, WIRE_CONFIGURE_SIZE}, \
    {WIRE_COMMIT, WIRE_COMMIT_SIZE}, \
    {WIRE_TAKE_LEASE, WIRE_TAKE_LEASE_SIZE}, \
    {WIRE_STOP, WIRE_STOP_SIZE}, \
    {WIRE_CLEAR, WIRE_CLEAR_SIZE}, \
    {WIRE_AUTHENTICATE, WIRE_AUTHENTICATE_SIZE}, \
    {WIRE_SET, WIRE_SET_SIZE}, \
    {WIRE_PULSE, WIRE_PULSE_SIZE}, \
    {WIRE_DRIVE, WIRE_DRIVE_SIZE}, \
    {WIRE_MOVE, WIRE_MOVE_SIZE}, \
    {WIRE_HOME, WIRE_HOME_SIZE}, \
    {WIRE_READ, WIRE_READ_SIZE}, \
    {WIRE_WATCH, WIRE_WATCH_SIZE}, \
    {WIRE_COUNT, WIRE_COUNT_SIZE}, \
    {WIRE_THROW_DICE, WIRE_THROW_DICE_SIZE}, \
    {WIRE_SCAN, WIRE_SCAN_SIZE}, \
    {WIRE_SELF_TEST, WIRE_SELF_TEST_SIZE}, \
    {WIRE_REPORT, WIRE_REPORT_SIZE}, \
    {WIRE_BOOTLOADER, WIRE_BOOTLOADER_SIZE}, \
    {WIRE_RECALL, WIRE_RECALL_SIZE}, \
    {WIRE_READ_LIMITS, WIRE_READ_LIMITS_SIZE}, \
    {WIRE_READ_SUPPLY, WIRE_READ_SUPPLY_SIZE}, \
    {WIRE_OK, WIRE_OK_SIZE}, \
    {WIRE_REFUSED, WIRE_REFUSED_SIZE}, \
    {WIRE_VALUE, WIRE_VALUE_SIZE}, \
    {WIRE_TAG, WIRE_TAG_SIZE}, \
    {WIRE_IDENTITY, WIRE_IDENTITY_SIZE}, \
    {WIRE_STATISTICS, WIRE_STATISTICS_SIZE}, \
    {WIRE_RECALLED, WIRE_RECALLED_SIZE}, \
    {WIRE_LIMITS, WIRE_LIMITS_SIZE}, \
    {WIRE_SUPPLY, WIRE_SUPPLY_SIZE}, \
    {WIRE_EDGE_SEEN, WIRE_EDGE_SEEN_SIZE}, \
    {WIRE_MOTION_ENDED, WIRE_MOTION_ENDED_SIZE}, \
    {WIRE_DICE_READ, WIRE_DICE_READ_SIZE}, \
    {WIRE_FAULTED, WIRE_FAULTED_SIZE}, \
    {WIRE_HELD, WIRE_HELD_SIZE}, \
    {WIRE_RECEIVED, WIRE_RECEIVED_SIZE}, \
    {WIRE_STARTED, WIRE_STARTED_SIZE},

/* The wire and all supported processors are little-endian, so numbers are copied as they are in
 * memory. To assemble them from bytes would take three times the code on the AVR. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers on the wire are little-endian");

static inline uint16_t wire_get_u16(const uint8_t *from) {
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline uint32_t wire_get_u32(const uint8_t *from) {
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void wire_put_u16(uint8_t *to, uint16_t value) {
    memcpy(to, &value, sizeof value);
}

static inline void wire_put_u32(uint8_t *to, uint32_t value) {
    memcpy(to, &value, sizeof value);
}

static inline void wire_put_bytes(uint8_t *to, const uint8_t *from, uint8_t size) {
    for (uint8_t at = 0; at < size; at++) {
        to[at] = from[at];
    }
}

static inline uint8_t wire_identify_protocol(const uint8_t *payload) {
    return payload[0];
}

static inline const uint8_t *wire_identify_nonce(const uint8_t *payload) {
    return payload + 1;
}

static inline uint8_t wire_configure_index(const uint8_t *payload) {
    return payload[0];
}

static inline uint8_t wire_configure_kind(const uint8_t *payload) {
    return payload[1];
}

static inline uint8_t wire_configure_pin(const uint8_t *payload) {
    return payload[2];
}

static inline uint8_t wire_configure_second_pin(const uint8_t *payload) {
    return payload[3];
}

static inline uint8_t wire_configure_active_high(const uint8_t *payload) {
    return payload[4];
}

static inline uint8_t wire_configure_debounce_ms(const uint8_t *payload) {
    return payload[5];
}

static inline int16_t wire_configure_safe(const uint8_t *payload) {
    return (int16_t)wire_get_u16(payload + 6);
}

static inline uint32_t wire_configure_max_on_ms(const uint8_t *payload) {
    return wire_get_u32(payload + 8);
}

static inline uint8_t wire_configure_forward_stop(const uint8_t *payload) {
    return payload[12];
}

static inline uint8_t wire_configure_reverse_stop(const uint8_t *payload) {
    return payload[13];
}

static inline uint8_t wire_configure_hold(const uint8_t *payload) {
    return payload[14];
}

static inline int32_t wire_configure_low_um(const uint8_t *payload) {
    return (int32_t)wire_get_u32(payload + 15);
}

static inline int32_t wire_configure_high_um(const uint8_t *payload) {
    return (int32_t)wire_get_u32(payload + 19);
}

static inline uint32_t wire_configure_speed_um_s(const uint8_t *payload) {
    return wire_get_u32(payload + 23);
}

static inline uint32_t wire_configure_acceleration_um_s2(const uint8_t *payload) {
    return wire_get_u32(payload + 27);
}

static inline uint32_t wire_configure_step_nm(const uint8_t *payload) {
    return wire_get_u32(payload + 31);
}

static inline uint8_t wire_configure_flags(const uint8_t *payload) {
    return payload[35];
}

static inline uint16_t wire_configure_dead_ms(const uint8_t *payload) {
    return wire_get_u16(payload + 36);
}

static inline uint16_t wire_configure_low_mv(const uint8_t *payload) {
    return wire_get_u16(payload + 38);
}

static inline uint16_t wire_configure_high_mv(const uint8_t *payload) {
    return wire_get_u16(payload + 40);
}

static inline uint8_t wire_commit_channels(const uint8_t *payload) {
    return payload[0];
}

static inline uint16_t wire_commit_crc(const uint8_t *payload) {
    return wire_get_u16(payload + 1);
}

static inline uint16_t wire_take_lease_duration_ms(const uint8_t *payload) {
    return wire_get_u16(payload);
}

static inline uint8_t wire_stop_channel(const uint8_t *payload) {
    return payload[0];
}

static inline const uint8_t *wire_authenticate_proof(const uint8_t *payload) {
    return payload;
}

static inline uint8_t wire_set_channel(const uint8_t *payload) {
    return payload[0];
}

static inline int32_t wire_set_value(const uint8_t *payload) {
    return (int32_t)wire_get_u32(payload + 1);
}

static inline uint8_t wire_pulse_channel(const uint8_t *payload) {
    return payload[0];
}

static inline int32_t wire_pulse_value(const uint8_t *payload) {
    return (int32_t)wire_get_u32(payload + 1);
}

static inline uint32_t wire_pulse_duration_ms(const uint8_t *payload) {
    return wire_get_u32(payload + 5);
}

static inline uint8_t wire_drive_channel(const uint8_t *payload) {
    return payload[0];
}

static inline int16_t wire_drive_value(const uint8_t *payload) {
    return (int16_t)wire_get_u16(payload + 1);
}

static inline uint8_t wire_drive_until(const uint8_t *payload) {
    return payload[3];
}

static inline uint8_t wire_drive_sensor(const uint8_t *payload) {
    return payload[4];
}

static inline uint16_t wire_drive_count(const uint8_t *payload) {
    return wire_get_u16(payload + 5);
}

static inline uint32_t wire_drive_limit_ms(const uint8_t *payload) {
    return wire_get_u32(payload + 7);
}

static inline uint16_t wire_drive_limit_ma(const uint8_t *payload) {
    return wire_get_u16(payload + 11);
}

static inline uint8_t wire_move_first(const uint8_t *payload) {
    return payload[0];
}

static inline int32_t wire_move_first_um(const uint8_t *payload) {
    return (int32_t)wire_get_u32(payload + 1);
}

static inline uint8_t wire_move_second(const uint8_t *payload) {
    return payload[5];
}

static inline int32_t wire_move_second_um(const uint8_t *payload) {
    return (int32_t)wire_get_u32(payload + 6);
}

static inline uint8_t wire_move_third(const uint8_t *payload) {
    return payload[10];
}

static inline int32_t wire_move_third_um(const uint8_t *payload) {
    return (int32_t)wire_get_u32(payload + 11);
}

static inline uint16_t wire_move_speed(const uint8_t *payload) {
    return wire_get_u16(payload + 15);
}

static inline uint8_t wire_home_channel(const uint8_t *payload) {
    return payload[0];
}

static inline uint8_t wire_read_channel(const uint8_t *payload) {
    return payload[0];
}

static inline uint8_t wire_watch_channel(const uint8_t *payload) {
    return payload[0];
}

static inline uint8_t wire_watch_on(const uint8_t *payload) {
    return payload[1];
}

static inline uint8_t wire_count_channel(const uint8_t *payload) {
    return payload[0];
}

static inline uint8_t wire_throw_dice_channel(const uint8_t *payload) {
    return payload[0];
}

static inline uint8_t wire_throw_dice_dice(const uint8_t *payload) {
    return payload[1];
}

static inline uint8_t wire_scan_channel(const uint8_t *payload) {
    return payload[0];
}

static inline uint32_t wire_bootloader_confirmation(const uint8_t *payload) {
    return wire_get_u32(payload);
}

static inline uint8_t wire_recall_channel(const uint8_t *payload) {
    return payload[0];
}

static inline uint8_t wire_received_event(const uint8_t *payload) {
    return payload[0];
}

static inline void wire_refused(uint8_t *payload, uint8_t reason, uint8_t channel) {
    payload[0] = reason;
    payload[1] = channel;
}

static inline void wire_value(uint8_t *payload, int32_t value) {
    wire_put_u32(payload, (uint32_t)value);
}

static inline void wire_tag(uint8_t *payload, const uint8_t *tag) {
    wire_put_bytes(payload, tag, 8);
}

static inline void wire_identity(uint8_t *payload, uint8_t protocol, uint16_t firmware,
                                 uint8_t chip, const uint8_t *build, const uint8_t *serial,
                                 uint16_t boots, uint8_t reset_cause, uint32_t channel_hash,
                                 uint16_t configuration_crc, const uint8_t *nonce,
                                 const uint8_t *proof) {
    payload[0] = protocol;
    wire_put_u16(payload + 1, firmware);
    payload[3] = chip;
    wire_put_bytes(payload + 4, build, 4);
    wire_put_bytes(payload + 8, serial, 8);
    wire_put_u16(payload + 16, boots);
    payload[18] = reset_cause;
    wire_put_u32(payload + 19, channel_hash);
    wire_put_u16(payload + 23, configuration_crc);
    wire_put_bytes(payload + 25, nonce, 8);
    wire_put_bytes(payload + 33, proof, 8);
}

static inline void wire_statistics(uint8_t *payload, uint32_t longest_turn_us, uint32_t damaged,
                                   uint32_t repeated, uint16_t resets, uint16_t storage_used) {
    wire_put_u32(payload, longest_turn_us);
    wire_put_u32(payload + 4, damaged);
    wire_put_u32(payload + 8, repeated);
    wire_put_u16(payload + 12, resets);
    wire_put_u16(payload + 14, storage_used);
}

static inline void wire_recalled(uint8_t *payload, uint8_t ticket, uint8_t reason, uint16_t count,
                                 uint32_t elapsed_us) {
    payload[0] = ticket;
    payload[1] = reason;
    wire_put_u16(payload + 2, count);
    wire_put_u32(payload + 4, elapsed_us);
}

static inline void wire_limits(uint8_t *payload, uint8_t flags, uint16_t lease_ms, uint32_t on_ms,
                               const uint8_t *guarded, const uint8_t *unlimited) {
    payload[0] = flags;
    wire_put_u16(payload + 1, lease_ms);
    wire_put_u32(payload + 3, on_ms);
    wire_put_bytes(payload + 7, guarded, 9);
    wire_put_bytes(payload + 16, unlimited, 9);
}

static inline void wire_supply(uint8_t *payload, uint16_t measured_mv, uint16_t reference_mv) {
    wire_put_u16(payload, measured_mv);
    wire_put_u16(payload + 2, reference_mv);
}

static inline void wire_edge_seen(uint8_t *payload, uint8_t channel, uint8_t active, uint32_t at_us,
                                  uint32_t count) {
    payload[0] = channel;
    payload[1] = active;
    wire_put_u32(payload + 2, at_us);
    wire_put_u32(payload + 6, count);
}

static inline void wire_motion_ended(uint8_t *payload, uint8_t ticket, uint8_t channel,
                                     uint8_t reason, uint16_t count, uint32_t elapsed_us) {
    payload[0] = ticket;
    payload[1] = channel;
    payload[2] = reason;
    wire_put_u16(payload + 3, count);
    wire_put_u32(payload + 5, elapsed_us);
}

static inline void wire_dice_read(uint8_t *payload, uint8_t ticket, uint8_t first, uint8_t second,
                                  uint8_t third, uint8_t fourth, uint8_t fifth) {
    payload[0] = ticket;
    payload[1] = first;
    payload[2] = second;
    payload[3] = third;
    payload[4] = fourth;
    payload[5] = fifth;
}

static inline void wire_faulted(uint8_t *payload, uint8_t code, uint8_t channel, uint32_t at_us) {
    payload[0] = code;
    payload[1] = channel;
    wire_put_u32(payload + 2, at_us);
}

static inline void wire_held(uint8_t *payload, uint32_t at_us) {
    wire_put_u32(payload, at_us);
}

static inline void wire_started(uint8_t *payload, uint16_t boots, uint8_t reset_cause) {
    wire_put_u16(payload, boots);
    payload[2] = reset_cause;
}

#endif
