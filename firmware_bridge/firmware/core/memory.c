/* The EEPROM contains groups of records of a fixed size. The saver visits all records one after the
 * other: it computes a record's present content, then writes the bytes that differ. */
#include "memory.h"

#include "../port.h"
#include "bits.h"
#include "crc.h"
#include "outputs.h"

#include <string.h>

#define EVERY_MICROS UINT32_C(250000)
#define BYTES_A_TURN 8u /* compared; at most one of them is written */

#define COUNTS_AT 64u /* a record for each pin: state, count, check */
#define COUNTS_SIZE 6u
#define ORDERS_AT 512u /* for each channel: ticket, reason, state, sensor, counted, span, first */
#define ORDERS_SIZE 13u
#define DICE_AT 1408u /* a record for each channel: throws, faces, check */
#define DICE_SIZE 7u
#define SAFE_LEVELS_AT 1920u /* a record for each driven pin: pin, safe level, check */
#define SAFE_LEVEL_SIZE 3u
#define MOST_SAFE_LEVELS 64u
#define SAFE_COUNT_AT 1904u /* the number of these records, their CRC, check */
#define SAFE_COUNT_SIZE 4u
#define LONGEST ORDERS_SIZE

enum stage { CHANNELS, ORDERS, SAFE_LEVELS, SAFE_COUNT, SAVED };

/* The saver's position. */
static enum stage stage;
static uint8_t index;
static uint8_t record[LONGEST];
static uint8_t record_size; /* 0: the next record is still to be computed */
static uint8_t record_done;
static uint16_t record_at;
static uint8_t safe_count;
static uint16_t safe_crc;
static uint32_t next_pass;

/* `intact` is INTACT while the RAM holds valid state; after a power-up it does not have that value
 * by chance. */
#define INTACT UINT32_C(0x6B1D94C2)
static uint32_t intact;

/* One bit for each pin that is driven at its stored safe level while no table is in force. */
static uint8_t driven_safe[(PINS + 7u) / 8u];

/* Records */

static uint8_t check_of(const uint8_t *bytes, uint8_t size) {
    return (uint8_t)(crc_over(CRC_SEED, bytes, (uint8_t)(size - 1u)) & 0xFFu);
}

static bool load(uint16_t at, uint8_t *bytes, uint8_t size) {
    if (!port_eeprom_ready()) {
        return false;
    }
    uint8_t all = 0xFF;
    for (uint8_t byte = 0; byte < size; byte++) {
        bytes[byte] = port_eeprom_read(at + byte);
        all &= bytes[byte];
    }
    return all != 0xFF && bytes[size - 1u] == check_of(bytes, size);
}

static void save(uint16_t at, uint8_t size) {
    record[size - 1u] = check_of(record, size);
    record_at = at;
    record_size = size;
    record_done = 0;
}

static uint16_t place(uint16_t base, uint8_t number, uint8_t size) {
    return (uint16_t)(base + (uint16_t)number * size);
}

static void save_sensor(const struct sensor *sensor) {
    if (sensor->pin >= PINS) {
        return;
    }
    port_lock();
    record[0] = sensor->state & ACTIVE;
    wire_put_u32(record + 1, sensor->count);
    port_unlock();
    save(place(COUNTS_AT, sensor->pin, COUNTS_SIZE), COUNTS_SIZE);
}

static void save_dome(uint8_t channel, const struct unit *dome) {
    wire_put_u32(record, dome->throws);
    wire_put_u16(record + 4, dome->faces);
    save(place(DICE_AT, channel, DICE_SIZE), DICE_SIZE);
}

/* The duration of an order, also while it runs. After a reset the clock may be a little behind. */
static uint32_t lasted(const struct output *output, uint32_t now) {
    if (output->reason != WIRE_NONE) {
        return output->span;
    }
    return time_reached(now, output->span) ? now - output->span : 0;
}

static void save_order(const struct output *output) {
    if (output->reason == NO_ORDER_YET || output->channel >= MOST_CHANNELS) {
        return;
    }
    const uint32_t now = port_micros();
    port_lock();
    record[0] = output->ticket;
    record[1] = output->reason;
    record[2] = output->state & COUNTS;
    record[3] = output->sensor;
    wire_put_u16(record + 4, output->counted);
    wire_put_u32(record + 6, lasted(output, now));
    wire_put_u16(record + 10, output->first);
    port_unlock();
    save(place(ORDERS_AT, output->channel, ORDERS_SIZE), ORDERS_SIZE);
}

static void save_safe_level(uint8_t pin, bool high) {
    if (pin >= PINS || safe_count == MOST_SAFE_LEVELS) {
        return;
    }
    record[0] = pin;
    record[1] = high;
    save(place(SAFE_LEVELS_AT, safe_count++, SAFE_LEVEL_SIZE), SAFE_LEVEL_SIZE);
    safe_crc = crc_over(safe_crc, record, SAFE_LEVEL_SIZE);
}

/* Two records for each output, since a motor has two pins. */
static void save_safe_level_of(uint8_t half) {
    const struct channel *const channel = &channels[outputs[half / 2u].channel];
    const bool second = half % 2u != 0;
    if (channel->kind == KIND_DICE) {
        save_safe_level(second ? WIRE_NONE : channel->unit.pin, false);
    } else if (channel->kind == KIND_MOTOR && second) {
        save_safe_level(channel->plug.second_pin, channel->plug.safe < 0);
    } else if (!second) {
        save_safe_level(channel->plug.pin, channel->kind != KIND_STRIP && channel->plug.safe > 0);
    }
}

static void save_safe_count(void) {
    record[0] = safe_count;
    wire_put_u16(record + 1, safe_crc);
    save(SAFE_COUNT_AT, SAFE_COUNT_SIZE);
}

/* A pass of the saver */

static void begin_pass(void) {
    stage = CHANNELS;
    index = 0;
    record_size = 0;
    safe_count = 0;
    safe_crc = CRC_SEED;
}

static void next_stage(void) {
    stage++;
    index = 0;
}

static void save_channel(uint8_t number) {
    const struct channel *const channel = &channels[number];
    if (channel->kind == KIND_SENSOR) {
        save_sensor(&channel->sensor);
    } else if (channel->kind == KIND_DICE) {
        save_dome(number, &channel->unit);
    }
}

/* Computes the next record, if this step of the pass has one. */
static void compute_next(void) {
    switch (stage) {
    case CHANNELS:
        if (index < table_channels()) {
            save_channel(index++);
        } else {
            next_stage();
        }
        break;
    case ORDERS:
        if (index < output_count) {
            save_order(&outputs[index++]);
        } else {
            next_stage();
        }
        break;
    case SAFE_LEVELS:
        if (index < 2u * output_count) {
            save_safe_level_of(index++);
        } else {
            next_stage();
        }
        break;
    case SAFE_COUNT:
        save_safe_count();
        next_stage();
        break;
    case SAVED:
    default:
        break;
    }
}

/* Writes the next byte of the record that differs. */
static void write_some(void) {
    for (uint8_t looked = 0; looked < BYTES_A_TURN && record_done < record_size; looked++) {
        const uint16_t at = (uint16_t)(record_at + record_done);
        const uint8_t byte = record[record_done++];
        if (port_eeprom_read(at) != byte) {
            port_eeprom_write(at, byte);
            break;
        }
    }
    if (record_done == record_size) {
        record_size = 0;
    }
}

void memory_turn(uint32_t now, bool still) {
    if (!table_in_force() || !port_eeprom_ready()) {
        return;
    }
    const bool urgent = port_supply_fails();
    intact = urgent ? 0 : INTACT;
    if (record_size != 0) {
        write_some(); /* every record that was begun is completed */
    } else if (stage != SAVED) {
        compute_next();
    } else if ((still && time_reached(now, next_pass)) || urgent) {
        begin_pass();
        next_pass = now + EVERY_MICROS;
    }
}

void memory_save_after_reset(void) {
    if (intact != INTACT || !table_in_force()) {
        return;
    }
    begin_pass();
    while (stage != SAVED || record_size != 0) {
        memory_turn(0, false);
    }
}

/* The start */

static bool load_order(uint8_t channel, struct output *output) {
    uint8_t bytes[ORDERS_SIZE];
    if (!load(place(ORDERS_AT, channel, ORDERS_SIZE), bytes, ORDERS_SIZE)) {
        return false;
    }
    output->channel = channel;
    output->ticket = bytes[0];
    /* An order that ran when the supply failed was ended by that. */
    output->reason = bytes[1] == WIRE_NONE ? REASON_FAULT : bytes[1];
    output->state = bytes[2];
    output->sensor = bytes[3];
    output->counted = wire_get_u16(bytes + 4);
    output->span = wire_get_u32(bytes + 6);
    output->first = wire_get_u16(bytes + 10);
    return true;
}

static void load_orders(void) {
    uint8_t channel = 0;
    for (uint8_t at = 0; at < MOST_OUTPUTS; at++) {
        output_forget(&outputs[at], WIRE_NONE);
        while (channel < MOST_CHANNELS && !load_order(channel++, &outputs[at])) {
        }
    }
}

static bool safe_levels_are_sound(uint8_t count, uint16_t expected) {
    uint16_t crc = CRC_SEED;
    for (uint8_t at = 0; at < count; at++) {
        uint8_t bytes[SAFE_LEVEL_SIZE];
        if (!load(place(SAFE_LEVELS_AT, at, SAFE_LEVEL_SIZE), bytes, SAFE_LEVEL_SIZE) ||
            bytes[0] >= PINS) {
            return false;
        }
        crc = crc_over(crc, bytes, SAFE_LEVEL_SIZE);
    }
    return crc == expected;
}

static void drive_safe_levels(uint8_t count) {
    for (uint8_t at = 0; at < count; at++) {
        const uint16_t from = place(SAFE_LEVELS_AT, at, SAFE_LEVEL_SIZE);
        const uint8_t pin = port_eeprom_read(from);
        port_pin_drive(pin, port_eeprom_read(from + 1) != 0);
        bits_add(driven_safe, pin);
    }
}

/* False if the stored safe levels are damaged. An erased EEPROM is not damaged: no table has ever
 * been saved. */
static bool restore_safe_levels(void) {
    uint8_t bytes[SAFE_COUNT_SIZE];
    if (!load(SAFE_COUNT_AT, bytes, SAFE_COUNT_SIZE)) {
        return port_eeprom_read(SAFE_COUNT_AT) == 0xFF;
    }
    if (bytes[0] > MOST_SAFE_LEVELS || !safe_levels_are_sound(bytes[0], wire_get_u16(bytes + 1))) {
        return false;
    }
    drive_safe_levels(bytes[0]);
    return true;
}

bool memory_begin(void) {
    memset(driven_safe, 0, sizeof driven_safe);
    begin_pass();
    stage = SAVED;
    next_pass = port_micros() + EVERY_MICROS;
    load_orders();
    return restore_safe_levels();
}

void memory_release_outputs(void) {
    for (uint8_t pin = 0; pin < PINS; pin++) {
        if (bits_have(driven_safe, pin)) {
            port_pin_release(pin);
        }
    }
    memset(driven_safe, 0, sizeof driven_safe);
}

/* A table comes in force */

void memory_restore_sensor(struct sensor *sensor) {
    uint8_t bytes[COUNTS_SIZE];
    if (!(sensor->state & COUNTED) &&
        load(place(COUNTS_AT, sensor->pin, COUNTS_SIZE), bytes, COUNTS_SIZE)) {
        sensor->state = (uint8_t)(COUNTED | (bytes[0] & ACTIVE));
        sensor->count = wire_get_u32(bytes + 1);
    }
}

void memory_restore_dome(uint8_t channel, struct unit *dome) {
    uint8_t bytes[DICE_SIZE];
    if (dome->throws == 0 && load(place(DICE_AT, channel, DICE_SIZE), bytes, DICE_SIZE)) {
        dome->throws = wire_get_u32(bytes);
        dome->faces = wire_get_u16(bytes + 4);
    }
}
