/* Tests of the program in flash and of the RAM while the board works. early.S tests the RAM at the
 * start, reset.c compares the clock. */
#include "../core/crc.h"
#include "../core/wire.h"
#include "../port.h"
#include "reset.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>

/* Bytes of the program for a call: at the start, when the whole program is to be tested before a
 * session, and later. Both divide 65,536, so the bytes of one call have the same upper address. */
#define AT_START 512u
#define LATER 16u
#define CELLS 4u /* of the RAM, for a call */

extern const uint8_t __data_load_end[]; /* the end of the program, by the linker */
extern const uint16_t program_crc[];    /* behind it, in early.S */

static uint32_t program_at; /* the next byte of the program */
static uint16_t crc;        /* of those before it */
static uint16_t cell = RAMSTART;
static bool is_tested;
static uint8_t defects;

static uint16_t crc_of_part(uint16_t of, uint32_t at, uint16_t size) {
    uint16_t address = (uint16_t)at;
    RAMPZ = (uint8_t)(at >> 16);
    while (size-- > 0) {
        uint8_t byte;
        __asm__ volatile("elpm %0, Z+" : "=r"(byte), "+z"(address));
        of = crc_add(of, byte);
    }
    return of;
}

static void test_program(void) {
    const uint32_t end = pgm_get_far_address(__data_load_end);
    const uint32_t left = end - program_at;
    const uint16_t most = is_tested ? LATER : AT_START;
    const uint16_t size = left < most ? (uint16_t)left : most;
    crc = program_at == 0 ? CRC_SEED : crc;
    crc = crc_of_part(crc, program_at, size);
    program_at += size;
    if (program_at != end) {
        return;
    }
    if (crc != pgm_read_word_far(pgm_get_far_address(program_crc))) {
        defects |= DEFECT_PROGRAM;
    }
    program_at = 0;
    is_tested = true;
}

/* Writes both patterns into a cell and puts its content back, with interrupts disabled for 17 cycles
 * and without the stack, which the cell may belong to. */
static bool cell_is_sound(uint16_t at) {
    uint8_t content, first, second, after;
    __asm__ volatile("in __tmp_reg__, __SREG__\n\t"
                     "cli\n\t"
                     "ld %[content], Z\n\t"
                     "st Z, %[one]\n"
                     ".global cell_is_written\ncell_is_written:\n\t"
                     "ld %[first], Z\n\t"
                     "st Z, %[other]\n\t"
                     "ld %[second], Z\n\t"
                     "st Z, %[content]\n\t"
                     "ld %[after], Z\n\t"
                     "out __SREG__, __tmp_reg__"
                     : [content] "=&r"(content), [first] "=&r"(first), [second] "=&r"(second),
                       [after] "=&r"(after)
                     : "z"(at), [one] "r"((uint8_t)0x55), [other] "r"((uint8_t)0xAA)
                     : "memory");
    return first == 0x55 && second == 0xAA && after == content;
}

static void test_memory(void) {
    for (uint8_t tested = 0; tested < CELLS; tested++) {
        if (!cell_is_sound(cell)) {
            defects |= DEFECT_MEMORY;
        }
        cell = cell == RAMEND ? RAMSTART : cell + 1u;
    }
}

void port_test(void) {
    test_program();
    test_memory();
}

bool port_is_tested(void) {
    return is_tested;
}

uint8_t port_defects(void) {
    return reset_clock_is_wrong() ? defects | DEFECT_CLOCK : defects;
}
