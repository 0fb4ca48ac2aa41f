/* The start: clocks, the copy of the program to RAM, the vector tables, and the main loop.
 *
 * Functions in the section .start run in flash, before the copy; they call nothing outside it. */
#include "chip.h"

#include "../core/memory.h"
#include "../port.h"
#include "flash.h"
#include "registers.h"

#define START __attribute__((section(".start"), noinline))
#define CRYSTAL_START 188u /* 256 * 188 cycles of 12 MHz: 4 ms */

#define STACK_IN_USE 256u /* bytes at its top, by the start */

extern uint32_t stack_begin[], stack_top[];
extern uint32_t program_begin[], program_end[], program_stored[];
extern uint32_t data_begin[], data_end[], data_stored[];
extern uint32_t bss_begin[], bss_end[];

typedef void (*vector)(void);

static inline __attribute__((always_inline)) void release_from_reset(uint32_t peripherals) {
    register_clear(RESETS_RESET, peripherals);
    while ((REGISTER(RESETS_DONE) & peripherals) != peripherals) {
    }
}

/* 12 MHz * `multiplier` / (`first` * `second`) */
static START void start_pll(uint32_t pll, uint32_t multiplier, uint32_t first, uint32_t second) {
    REGISTER(pll + PLL_CS) = 1;
    REGISTER(pll + PLL_FBDIV) = multiplier;
    register_clear(pll + PLL_PWR, PLL_PD | PLL_VCOPD);
    while (!(REGISTER(pll + PLL_CS) & PLL_LOCK)) {
    }
    REGISTER(pll + PLL_PRIM) = first << 16 | second << 12;
    register_clear(pll + PLL_PWR, PLL_POSTDIVPD);
}

/* The processor runs from the crystal while its PLL starts. After a watchdog reset the clocks still
 * run, so they are set back first. */
static START void start_clocks(void) {
    REGISTER(XOSC_STARTUP) = CRYSTAL_START;
    REGISTER(XOSC_CTRL) = XOSC_1_TO_15_MHZ | XOSC_ENABLE;
    while (!(REGISTER(XOSC_STATUS) & XOSC_STABLE)) {
    }
    register_clear(CLK_SYS_CTRL, SYS_FROM_AUX);
    while (REGISTER(CLK_SYS_SELECTED) != 1u) {
    }
    REGISTER(CLK_REF_CTRL) = REF_FROM_XOSC;
    while (REGISTER(CLK_REF_SELECTED) != BIT(REF_FROM_XOSC)) {
    }
    register_set(RESETS_RESET, RESET_PLL_SYS | RESET_PLL_USB | RESET_USBCTRL);
    release_from_reset(RESET_PLL_SYS | RESET_PLL_USB);
    start_pll(PLL_SYS, 125, 6, 2); /* 125 MHz */
    start_pll(PLL_USB, 100, 5, 5); /* 48 MHz, for USB and the converter */
    register_set(CLK_SYS_CTRL, SYS_FROM_AUX);
    while (REGISTER(CLK_SYS_SELECTED) != BIT(SYS_FROM_AUX)) {
    }
    REGISTER(CLK_PERI_CTRL) = CLK_ENABLE;
    REGISTER(CLK_USB_CTRL) = CLK_ENABLE;
    REGISTER(CLK_ADC_CTRL) = CLK_ENABLE;
    REGISTER(WATCHDOG_TICK) = WATCHDOG_TICK_ENABLE | 12u; /* microseconds, also for the timer */
}

static START void copy(uint32_t *to, const uint32_t *end, const uint32_t *from) {
    while (to != end) {
        *to++ = *from++;
    }
}

/* The test of the RAM before it is used: March C- with the patterns 0x55... and 0xAA..., which finds cells
 * that are stuck or do not change, addresses that select a wrong cell, and cells that change with
 * another one. If it finds a defect, the program ends here, since no code could be trusted: all pins
 * are inputs, no interrupt is enabled, and the watchdog is off. */
#define PATTERN UINT32_C(0x55555555)

static inline __attribute__((always_inline)) void expect(uint32_t found, uint32_t pattern) {
    if (found != pattern) {
        for (;;) {
        }
    }
}

static inline __attribute__((always_inline)) void test_upward(volatile uint32_t *begin,
                                                              volatile uint32_t *end, uint32_t old) {
    for (volatile uint32_t *word = begin; word != end; word++) {
        expect(*word, old);
        *word = ~old;
    }
}

static inline __attribute__((always_inline)) void test_downward(volatile uint32_t *begin,
                                                                volatile uint32_t *end,
                                                                uint32_t old) {
    for (volatile uint32_t *word = end; word != begin;) {
        word--;
        expect(*word, old);
        *word = ~old;
    }
}

static inline __attribute__((always_inline)) void test_memory(volatile uint32_t *begin,
                                                              volatile uint32_t *end) {
    for (volatile uint32_t *word = begin; word != end; word++) {
        *word = PATTERN;
    }
    test_upward(begin, end, PATTERN);
    test_upward(begin, end, ~PATTERN);
    test_downward(begin, end, PATTERN);
    test_downward(begin, end, ~PATTERN);
    for (volatile uint32_t *word = begin; word != end; word++) {
        expect(*word, PATTERN);
    }
}

/* The copy of the program is checked while the flash is readable as memory. From then on it is not.
 * After a reset without a loss of power, the variables still contain the state: it is saved before they
 * are tested and cleared. */
static __attribute__((noreturn, noinline)) void begin(void) {
    const struct program_crc read = selftest_read_program();
    flash_start();
    if (read.is_sound) {
        memory_save_after_reset();
        storage_flush();
    }
    test_memory(bss_begin, bss_end);
    for (uint32_t *word = bss_begin; word != bss_end; word++) {
        *word = 0;
    }
    selftest_start(&read);
    run();
}

/* Constants and code that are used from here on are in RAM. No state that `begin` saves is in .data. */
static START __attribute__((noreturn)) void reset(void) {
    __asm__ volatile("cpsid i");
    register_clear(WATCHDOG_CTRL, WATCHDOG_ENABLE); /* until `port_start`: a new storage takes seconds */
    start_clocks();
    test_memory(program_begin, data_end);
    test_memory(stack_begin, __builtin_frame_address(0) - STACK_IN_USE);
    copy(program_begin, program_end, program_stored);
    copy(data_begin, data_end, data_stored);
    void (*volatile in_ram)(void) = begin;
    in_ram();
    __builtin_unreachable();
}

/* Written by program_crc.py when the program has been linked. */
const uint32_t program_crc __attribute__((used, section(".start.crc"))) = UINT32_MAX;

/* For the ROM's second stage: until the copy is made, no interrupt is enabled. */
static const vector first_vectors[2] __attribute__((used, section(".start.vectors"))) = {
    (vector)(uintptr_t)stack_top, (vector)reset};

/* A fault of the program: the watchdog resets the board. */
static void hang(void) {
    port_gate_halt();
    for (;;) {
    }
}

#define EXCEPTIONS 16u
#define SYSTICK 15u
#define AT(interrupt) (EXCEPTIONS + (interrupt))
static const vector vectors[EXCEPTIONS + 32u]
    __attribute__((used, section(".vectors"), aligned(256))) = {
        [0] = (vector)(uintptr_t)stack_top,
        [1] = (vector)reset,
        [2 ... SYSTICK - 1u] = hang,
        [SYSTICK] = selftest_compare_clocks,
        [AT(IRQ_TIMER0)] = steps_interrupt,
        [AT(IRQ_TIMER1)] = steps_lower_interrupt,
        [AT(IRQ_TIMER2)] = tick_interrupt,
        [AT(3) ... AT(12)] = hang,
        [AT(IRQ_IO_BANK0)] = edges_interrupt,
        [AT(14) ... AT(19)] = hang,
        [AT(IRQ_UART0)] = link_interrupt,
        [AT(IRQ_UART1)] = module_interrupt,
        [AT(22) ... AT(25)] = hang,
        [AT(IRQ_RESAMPLE)] = edges_interrupt,
        [AT(IRQ_REFLEX)] = reflex_interrupt,
        [AT(28) ... AT(31)] = hang,
};

static void enable(enum interrupt interrupt, uint32_t priority) {
    const uint32_t shift = 8u * (interrupt % 4u) + 6u;
    volatile uint32_t *const bits = &REGISTER(NVIC_PRIORITY + 4u * (interrupt / 4u));
    *bits = (*bits & ~(3u << shift)) | priority << shift;
    REGISTER(NVIC_UNRAISE) = BIT(interrupt);
    REGISTER(NVIC_ENABLE) = BIT(interrupt);
}

void port_start(void) {
    release_from_reset(RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_TIMER | RESET_UART0 | RESET_UART1 |
                       RESET_ADC | RESET_USBCTRL);
    REGISTER(VECTOR_TABLE) = (uint32_t)(uintptr_t)vectors;
    reset_start();
    pins_start();
    uarts_start();
    usb_start();
    analog_start();
    steps_start();
    tick_start();
    enable(IRQ_TIMER0, PRIORITY_STEPS);
    enable(IRQ_TIMER1, PRIORITY_STEPS);
    enable(IRQ_IO_BANK0, PRIORITY_EDGES);
    enable(IRQ_RESAMPLE, PRIORITY_EDGES);
    enable(IRQ_UART0, PRIORITY_BYTES);
    enable(IRQ_UART1, PRIORITY_BYTES);
    enable(IRQ_TIMER2, PRIORITY_BYTES);
    enable(IRQ_REFLEX, PRIORITY_REFLEX);
}

/* The processor sleeps until the next interrupt if the core has nothing more to do. An interrupt
 * that comes while all are masked ends the sleep at once, so none is missed between the check and
 * the sleep. */
void run(void) {
    storage_start();
    usb_control_start();
    port_start();
    core_begin();
    selftest_start_clocks();
    __asm__ volatile("cpsie i");
    for (;;) {
        tick_take_wake();
        storage_turn();
        usb_turn();
        if (core_turn()) {
            continue;
        }
        __asm__ volatile("cpsid i" ::: "memory");
        if (!tick_is_woken()) {
            __asm__ volatile("wfi");
        }
        __asm__ volatile("cpsie i" ::: "memory");
    }
}
