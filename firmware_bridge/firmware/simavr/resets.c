#include "resets.h"

#include "corrections.h"
#include "eeprom.h"
#include "wires.h"

#include <string.h>

enum { MCUSR = 0x54, TXEN = 3, REGISTERS = 32 };

static const uint16_t uart_controls[UARTS] = {0xC1, 0xC9, 0xD1, 0x131}; /* UCSRnB */

static void (*reset_of_chip)(avr_t *avr);

static void resetting(avr_t *avr) {
    struct processor *const processor = avr->custom.data;
    processor->reset_at = now(processor);
    finish_eeprom(processor);
    processor->was_reset = true;
    if (reset_of_chip != NULL) {
        reset_of_chip(avr);
    }
}

/* On the chip, a program can clear these flags only, and a reset keeps them. simavr clears them at
 * each reset. */
static void flags_written(avr_t *avr, avr_io_addr_t at, uint8_t written, void *param) {
    struct processor *const processor = param;
    processor->reset_flags &= written;
    avr_core_watch_write(avr, at, processor->reset_flags);
}

void watch_resets(struct processor *processor) {
    avr_t *const avr = processor->avr;
    processor->reset_flags = avr->data[MCUSR];
    avr_register_io_write(avr, MCUSR, flags_written, processor);
    avr->custom.data = processor;
    reset_of_chip = avr->reset;
    avr->reset = resetting;
}

void after_reset(struct processor *processor) {
    avr_t *const avr = processor->avr;
    processor->was_reset = false;
    processor->earlier_cycles = processor->reset_at - avr->cycle;
    processor->reset_flags |= avr->data[MCUSR];
    avr->data[MCUSR] = processor->reset_flags;
    for (uint8_t uart = 0; uart < UARTS; uart++) {
        /* simavr switches every transmitter on, for programs that do not. */
        avr->data[uart_controls[uart]] &= (uint8_t) ~(1 << TXEN);
    }
    record(processor, RESET, 0, processor->reset_flags);
    watch_edges_only(avr);
    reapply_inputs(processor);
}

void reset_by(struct processor *processor, uint8_t flag) {
    avr_reset(processor->avr);
    processor->reset_flags |= flag;
    after_reset(processor);
}

/* A linear congruential generator: the values need to be arbitrary, not random. */
void fill_memory(struct processor *processor, uint32_t seed) {
    avr_t *const avr = processor->avr;
    uint32_t state = seed;
    for (uint32_t at = 0; at <= avr->ramend; at++) {
        state = state * 1664525u + 1013904223u;
        if (at < REGISTERS || at > avr->ioend) {
            avr->data[at] = (uint8_t)(state >> 24);
        }
    }
}

void boot_from(struct processor *processor, uint32_t at) {
    avr_t *const avr = processor->avr;
    avr->reset_pc = at;
    avr->pc = at;
}
