#include "eeprom.h"

#include "avr_eeprom.h"

enum { EECR = 0x3F, EEDR = 0x40, EEARL = 0x41, EEARH = 0x42 };
enum { EERE = 1 << 0, EEPE = 1 << 1, EEMPE = 1 << 2, ERASE_ONLY = 1 << 4, WRITE_ONLY = 1 << 5 };
#define BOTH_US 3400u
#define ONE_US 1800u
#define MASTER_CYCLES 4u /* for which EEMPE stays set */
#define LEAST_MV 4000u

static uint8_t read_cell(struct processor *processor, uint16_t at) {
    uint8_t byte = 0xFF;
    avr_eeprom_desc_t cell = {.ee = &byte, .offset = at, .size = 1};
    avr_ioctl(processor->avr, AVR_IOCTL_EEPROM_GET, &cell);
    return byte;
}

static void set_cell(struct processor *processor, uint16_t at, uint8_t byte) {
    avr_eeprom_desc_t cell = {.ee = &byte, .offset = at, .size = 1};
    avr_ioctl(processor->avr, AVR_IOCTL_EEPROM_SET, &cell);
}

static uint8_t noise(struct processor *processor) {
    processor->eeprom.noise = processor->eeprom.noise * UINT32_C(1664525) + UINT32_C(1013904223);
    return (uint8_t)(processor->eeprom.noise >> 24);
}

void finish_eeprom(struct processor *processor) {
    if (!processor->eeprom.busy) {
        return;
    }
    processor->eeprom.busy = false;
    set_cell(processor, processor->eeprom.at, processor->eeprom.value);
    if (processor->eeprom.spoils) {
        set_cell(processor, 0, noise(processor));
    }
    processor->avr->data[EECR] &= (uint8_t)~EEPE;
}

static avr_cycle_count_t write_ends(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr;
    (void)when;
    finish_eeprom(param);
    return 0;
}

static avr_cycle_count_t master_ends(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)when;
    (void)param;
    avr->data[EECR] &= (uint8_t)~EEMPE;
    return 0;
}

static void begin_write(struct processor *processor, uint16_t at, uint8_t control) {
    avr_t *const avr = processor->avr;
    const uint8_t before = read_cell(processor, at), data = avr->data[EEDR];
    const uint8_t mode = control & (ERASE_ONLY | WRITE_ONLY);
    const uint8_t value = mode == ERASE_ONLY ? 0xFF : mode == WRITE_ONLY ? before & data : data;
    const uint8_t possible = mode == WRITE_ONLY ? (uint8_t)(before & ~(~data & noise(processor)))
                                                : noise(processor);
    processor->eeprom.busy = true;
    processor->eeprom.at = at;
    processor->eeprom.spoils = avr->vcc < LEAST_MV;
    processor->eeprom.value = processor->eeprom.spoils ? noise(processor) : value;
    processor->eeprom.operations++;
    processor->eeprom.erasures[at] += mode != WRITE_ONLY;
    set_cell(processor, at, possible);
    avr_cycle_timer_register_usec(avr, mode ? ONE_US : BOTH_US, write_ends, processor);
}

static void control_written(avr_t *avr, avr_io_addr_t address, uint8_t written, void *param) {
    (void)address;
    struct processor *const processor = param;
    const uint8_t before = avr->data[EECR];
    const uint16_t at =
        (uint16_t)((avr->data[EEARL] | avr->data[EEARH] << 8) & (EEPROM_CELLS - 1));
    const bool busy = processor->eeprom.busy;
    if ((written & EERE) && !busy) {
        avr->data[EEDR] = read_cell(processor, at);
    }
    uint8_t after = (uint8_t)(written & ~(EERE | EEPE));
    if ((written & EEPE) && (before & EEMPE) && !busy) {
        begin_write(processor, at, written);
        after &= (uint8_t)~EEMPE;
    } else if ((written & EEMPE) && !(before & EEMPE)) {
        avr_cycle_timer_register(avr, MASTER_CYCLES, master_ends, processor);
    }
    avr->data[EECR] = processor->eeprom.busy ? after | EEPE : after;
}

void correct_eeprom(struct processor *processor) {
    avr_t *const avr = processor->avr;
    avr->io[AVR_DATA_TO_IO(EECR)].w.c = control_written;
    avr->io[AVR_DATA_TO_IO(EECR)].w.param = processor;
    processor->eeprom.noise = 1;
}
