/* The interface between the portable core and a processor, and the functions for its interrupts.
 *
 * Pins have the numbers of table files; 255 means "no pin", and every function accepts it.
 * No function here waits longer than one tick (20 us), except `port_bootloader`.
 *
 * Two contexts run: the main loop, and the reflex (the interrupts of the sampling tick and of the
 * emergency input), which interrupts the main loop. The main loop accesses data that both use
 * between `port_lock` and `port_unlock`, for as few instructions as possible: while the lock is
 * held, an edge has only the effect of `port_cut`. */
#ifndef WALLWRIGHT_PORT_H
#define WALLWRIGHT_PORT_H

/* Numbers of pins, axes and bytes; those of the Mega 2560, unless the build names another chip. */
#ifdef CHIP_HEADER
#include CHIP_HEADER
#else
#include "chips/mega2560.h"
#endif

#include <stdbool.h>
#include <stdint.h>

#define NO_PIN 255u

/* Length of a segment of steps in ticks of half a microsecond. Within a segment the steps are even,
 * so a shorter one follows the ramps more exactly, and takes more time to plan. */
#ifndef SEGMENT_TICKS
#define SEGMENT_TICKS 8192u /* 4.096 ms */
#endif

/* Time: microseconds since the start; wraps at 2^32. Callable from the reflex. */
uint32_t port_micros(void);

/* Starts the processor. The reflex first runs after `core_begin`. */
void port_start(void);

/* The port calls `reflex_due` at this time, or up to a tick (20 us) later, even while the main loop
 * holds the lock; of several times the earliest counts. Callable from both contexts. */
void port_alarm(uint32_t at);

/* Locks out the reflex, but not the interrupts of the UARTs and of the steps. Locks do not nest. */
void port_lock(void);
void port_unlock(void);

/* The link to the host. A port with several ways to the host presents them as one line. */
int16_t port_link_get(void); /* the next byte, or -1 */
uint8_t port_link_room(void); /* bytes that can be put now without loss, at most 255 */
void port_link_put(uint8_t byte);
/* Whether a host holds the lease; called in each turn after the turn's command. While it does, the
 * link is only the way on which the command came that has taken the lease. */
void port_link_hold(bool held);

/* Modules on the serial ports 1 to 3 (dice reader, tag reader). */
void port_module_open(uint8_t port);
int16_t port_module_get(uint8_t port);
void port_module_put(uint8_t port, uint8_t byte); /* dropped if the port's small ring is full */

/* Pins. */
void port_pin_release(uint8_t pin);           /* high impedance, not sampled */
void port_pin_sense(uint8_t pin);             /* input with pull-up, sampled from now on */
/* A sensed pin of a safety input, until it is configured again: its edges are reported first, when a
 * port bounds the time for the reports of all pins. Under `port_lock`. */
void port_pin_urgent(uint8_t pin);
void port_pin_drive(uint8_t pin, bool high);  /* output; `high` is its level and its safe level */
void port_pin_write(uint8_t pin, bool high);  /* change an output; callable from the reflex */
void port_pin_low(uint8_t pin);               /* the same in half the time, where low is safe */
bool port_pin_level(uint8_t pin);             /* the present level */

/* The gate: every function that changes an output or steps an axis passes it. It is shut after a
 * reset. While it is shut, every output keeps its safe level, whichever write the main loop is in
 * the middle of; the write is dropped. The emergency input shuts it without the core. */
void port_gate_shut(void); /* outputs to their safe levels at once; axes may brake; any context */
void port_gate_halt(void); /* the same, and no axis makes a further step; any context */
/* Under `port_lock`. False, and the gate is halted, if the emergency input is open, by its level, or
 * has opened and `reflex_emergency` has not been called yet. */
bool port_gate_open(void);
bool port_gate_is_open(void);

/* What the port does at once when the sensed pin `sensor` changes to the level `high`, before it
 * calls `reflex_edge`, and even while the main loop holds the lock or the reflex still processes an
 * earlier edge: it sets `pins` low, which takes the power from motors. NO_PIN is none. `by_core`:
 * instead, it calls `reflex_cut` for every change of `sensor`; so does a port that cannot set both
 * pins at the same instant. `later`: only in `port_cut_now`, for a sensor with a debounce time. The
 * last call for a sensor is valid, until the pin is configured again. Called from the reflex, or
 * under `port_lock`. */
struct port_cut {
    uint8_t sensor;
    uint8_t pins[2];
    bool high;
    bool by_core;
    bool later;
};
void port_cut(const struct port_cut *cut);

/* Does what is prepared for a change of this sensor to the level `high`: CUT_DONE. Nothing is done if
 * the sensor has changed again and `reflex_edge` does not know it yet, CUT_CHANGED, or if `reflex_edge`
 * processes a change of this sensor, CUT_LATER. */
enum port_cut_result { CUT_DONE, CUT_CHANGED, CUT_LATER };
enum port_cut_result port_cut_now(uint8_t sensor, bool high);

/* Steps of an axis, made by interrupts. A segment lasts SEGMENT_TICKS; segments follow each other
 * without a gap. If no segment is queued when the next one is due, the axis makes no steps. */
struct port_segment {
    uint8_t steps;    /* at most 250 */
    uint16_t first;   /* ticks from the segment's start to the first step */
    uint32_t spacing; /* 1/256 ticks from step to step */
};
/* False if the gate keeps the axis at rest: it is shut, or for `braking` it is halted. The level of
 * the direction pin becomes its safe level, since a brake after the gate has shut needs it. */
bool port_axis_begin(uint8_t axis, uint8_t step_pin, uint8_t direction_pin, bool up, bool braking);
bool port_axis_room(uint8_t axis); /* whether another segment may be put */
void port_axis_put(uint8_t axis, const struct port_segment *segment);
bool port_axis_idle(uint8_t axis);    /* every segment that was put has ended */
void port_axis_halt(uint8_t axis);    /* no further step; from any context */
uint32_t port_axis_steps(uint8_t axis); /* steps made since `port_axis_begin` */
/* One bit for each axis that has made a step later than planned by more than PORT_LATEST_STEP_US, and
 * by more than the time between two of its steps, since the last call. */
#define PORT_LATEST_STEP_US 300u
uint8_t port_axes_take_late(void);

/* Analogue inputs, measured one after the other. */
void port_analog_use(uint8_t pin);
uint16_t port_analog_mv(uint8_t pin); /* the last measurement */

/* Storage that is kept without power: an EEPROM, or sectors of a flash. An erased byte is 0xFF.
 *
 * A write or an erasure continues after the call. Until the storage is ready again, it can be
 * neither read nor written. If the power is lost meanwhile, these bytes can have any value. Only
 * erased bytes are written; the bytes of one write are in one block. */
#define STORAGE_NONE 0xFFFFu
enum stored { STORED_STARTS, STORED_LIMITS, STORED_IDENTITY, STORED_REFERENCE, STORED };
struct port_storage {
    /* The addresses of the copies (core/twin.h), each in its own blocks; STORAGE_NONE for both: the
     * chip does not store this value. */
    uint16_t copies[STORED][2];
    uint16_t old_identity; /* where version 0.1 had it, or STORAGE_NONE */
    uint16_t log;          /* the address of the pages of the log, each of whole blocks */
    uint16_t page;         /* bytes of a page; at least 1,500, so that all that is kept fits */
    uint16_t block;        /* bytes that are erased together */
    uint8_t pages;         /* at least 2 */
    uint8_t chunk;         /* the most bytes of one write */
};
extern const struct port_storage port_storage;
bool port_storage_ready(void);
bool port_storage_is_kept(void); /* everything that was written survives a loss of power from now on */
uint8_t port_storage_read(uint16_t at);
void port_storage_write(uint16_t at, const uint8_t *bytes, uint8_t size);
void port_storage_erase(uint16_t at); /* the block that begins at this address */

/* The measured voltage of the supply. SUPPLY_LOW_PERMILLE is the board's SUPPLY_LOW_MV, which is so
 * low that no tolerance of the measurement makes an ordinary supply count as low. */
#define SUPPLY_LOW_PERMILLE 900u
uint16_t port_supply_permille(void);
void port_supply_start(void); /* before `port_start`: measures it once */
/* Measures the supply from now on against a reference of this voltage, which was stored when the board
 * was calibrated. False, and nothing changes, if no reference of this chip can have this voltage. */
bool port_supply_calibrate(uint16_t reference_mv);

/* A strip of WS2812 lamps. The port shifts out one lamp's 24 bits and disables all interrupts for
 * those 30 us. A strip takes lamps that follow each other within 50 us as one message. While the
 * gate is shut, the lamp is `safe` instead of `lit`. */
void port_strip_lamp(uint8_t pin, bool lit, bool safe);

/* Tests of the processor by itself. `port_test` tests a small part of the program and of the memory. The
 * core calls it every millisecond, and in each turn until `port_is_tested`: since the start, the whole
 * program has been tested. `port_defects` has what was found since the start, also of the clock, as
 * DEFECT_PROGRAM and so on, of core/wire.h. */
void port_test(void);
bool port_is_tested(void);
uint8_t port_defects(void);

/* Starts, resets and the bootloader. */
uint8_t port_reset_cause(void); /* RESET_CAUSE_POWER and so on, of core/wire.h */
void port_watchdog_kick(void);
void port_bootloader(void); /* first sends the link's queued bytes; does not return on a chip */

/* Tables of constants stay in flash, which some processors read with other instructions. */
#ifdef __AVR__
#include <avr/pgmspace.h>
#define PORT_FLASH PROGMEM
#define port_flash_u8(address) pgm_read_byte(address)
#define port_flash_u32(address) pgm_read_dword(address)
#else
#define PORT_FLASH
#define port_flash_u8(address) (*(address))
#define port_flash_u32(address) (*(address))
#endif

/* Functions of the core for the port's `main`: `core_begin` once, after `port_start`, then
 * `core_turn` for ever. A turn is short and never waits; it returns true if there is more to do
 * without time passing. */
void core_begin(void);
bool core_turn(void);

/* Functions of the core for the reflex. Each is short. */
void reflex_cut(uint8_t pin, bool high); /* see `port_cut` */
void reflex_edge(uint8_t pin, bool high, uint32_t at); /* a sensed pin has changed at this time */
bool reflex_due(uint32_t now); /* see `port_alarm`; true: `reflex_settle` is to be called */
bool reflex_settle(void);      /* processes one sensor whose debounce time is over, if there is one */
void reflex_emergency(void); /* the emergency input has opened; the gate is already halted */

#endif
