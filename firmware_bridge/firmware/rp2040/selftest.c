/* Tests of the program, of the memory and of the clocks. start.c tests the memory at the start.
 *
 * The program runs in RAM, so its copy is what is tested: all of it when it has been copied from the
 * flash, with the start's own code and the initial data, and its parts again and again while the board works.
 *
 * Two clocks are compared with others. The timer of the processor's clock (PLL) measures the time by which all
 * limits and leases are counted (crystal / 12); its interrupt needs neither the main loop nor that timer, so a
 * timer that stands still does not stay unnoticed. The frequency counter measures the ring oscillator
 * against the crystal: by the datasheet it has 1.8 to 12 MHz, so only a crystal that is wrong by a
 * factor of two and more is found. If the crystal stops, the processor stops too, and nothing is found. */
#include "chip.h"

#include "../core/crc.h"
#include "../core/wire.h"
#include "../port.h"
#include "registers.h"

#define LATER 32u /* bytes of the program for a call of `port_test` */
#define WORDS 4u  /* of the memory */
#define PATTERN UINT32_C(0x55555555)

#define PERIOD_US 50000u
#define PERIOD_CYCLES (125u * PERIOD_US)
#define LEAST_US (PERIOD_US - PERIOD_US / 10u)
#define MOST_US (PERIOD_US + PERIOD_US / 10u)
#define REFERENCE_KHZ 12000u
#define ROSC_LEAST_KHZ 1800u
#define ROSC_MOST_KHZ 12000u

extern const uint32_t program_crc;
extern const uint8_t start_begin[], start_end[];
extern const uint8_t program_begin[], program_end[];
extern const uint8_t data_begin[], data_end[];
extern uint32_t bss_end[], stack_begin[], stack_top[];

static struct program_crc right;
static const uint8_t *program_at;
static uint16_t crc; /* of the bytes before it */
static volatile uint32_t *word;
static volatile uint8_t defects;
static bool compares; /* the timer has come to its end once */
static uint32_t compared_at;

static uint16_t crc_of(uint16_t of, const uint8_t *from, const uint8_t *end) {
    while (from != end) {
        of = crc_add(of, *from++);
    }
    return of;
}

struct program_crc selftest_read_program(void) {
    struct program_crc read;
    read.before = crc_of(crc_of(CRC_SEED, start_begin, start_end), data_begin, data_end);
    read.all = crc_of(read.before, program_begin, program_end);
    read.is_sound = read.all == program_crc;
    return read;
}

static void begin_program(void) {
    program_at = program_begin;
    crc = right.before;
}

void selftest_start(const struct program_crc *read) {
    right = *read;
    defects = right.is_sound ? 0 : DEFECT_PROGRAM;
    begin_program();
    word = (volatile uint32_t *)data_begin;
}

static void test_program(void) {
    const uint32_t left = (uint32_t)(program_end - program_at);
    const uint8_t *const end = program_at + (left < LATER ? left : LATER);
    crc = crc_of(crc, program_at, end);
    program_at = end;
    if (program_at == program_end) {
        if (crc != right.all) {
            defects |= DEFECT_PROGRAM;
        }
        begin_program();
    }
}

/* Writes both patterns into a word and puts its content back, without an access to the stack, which
 * the word may belong to. Interrupts are masked for 25 cycles. */
static __attribute__((noinline)) bool word_is_sound(volatile uint32_t *at) {
    const uint32_t before = mask();
    const uint32_t content = *at;
    *at = PATTERN;
    const uint32_t first = *at;
    *at = ~PATTERN;
    const uint32_t second = *at;
    *at = content;
    const uint32_t after = *at;
    unmask(before);
    return first == PATTERN && second == ~PATTERN && after == content;
}

static void test_memory(void) {
    for (uint8_t tested = 0; tested < WORDS; tested++) {
        if (!word_is_sound(word)) {
            defects |= DEFECT_MEMORY;
        }
        word++;
        if (word == bss_end) {
            word = stack_begin;
        } else if (word == stack_top) {
            word = (volatile uint32_t *)data_begin;
        }
    }
}

/* Clocks */

void selftest_start_clocks(void) {
    REGISTER(SYSTICK_RELOAD) = PERIOD_CYCLES - 1u;
    REGISTER(SYSTICK_VALUE) = 0;
    REGISTER(SYSTICK_PRIORITY) = (uint32_t)PRIORITY_BYTES << 30;
    REGISTER(SYSTICK_CONTROL) = SYSTICK_RUNS;
    REGISTER(FC0_REF_KHZ) = REFERENCE_KHZ;
    REGISTER(FC0_SRC) = FC0_ROSC;
}

void selftest_compare_clocks(void) {
    const uint32_t now = port_micros();
    const uint32_t took = now - compared_at;
    compared_at = now;
    if (compares && (took < LEAST_US || took > MOST_US)) {
        port_gate_halt();
        defects |= DEFECT_CLOCK;
        tick_wake();
    }
    compares = true;
}

static void compare_oscillators(void) {
    if (!(REGISTER(FC0_STATUS) & FC0_DONE)) {
        return;
    }
    const uint32_t khz = REGISTER(FC0_RESULT) >> FC0_FRACTION_BITS;
    if (khz < ROSC_LEAST_KHZ || khz > ROSC_MOST_KHZ) {
        defects |= DEFECT_CLOCK;
    }
    REGISTER(FC0_SRC) = FC0_ROSC;
}

void port_test(void) {
    test_program();
    test_memory();
    compare_oscillators();
}

bool port_is_tested(void) {
    return true; /* before the start of the core */
}

uint8_t port_defects(void) {
    return defects;
}
