/* The interface between the portable core and a processor, and the functions for its interrupts.
 *
 * Pins have the numbers of an Arduino Mega 2560; 255 is no pin and may be given everywhere.
 * Nothing here waits. Two contexts run: the main loop, and the reflex (the sampling tick and the
 * emergency input), which interrupts it. What both touch, the main loop touches between
 * `port_lock` and `port_unlock`, for as few instructions as it can: while it is locked only
 * `reflex_cut` gets through. */
#ifndef WALLWRIGHT_PORT_H
#define WALLWRIGHT_PORT_H

#include <stdbool.h>
#include <stdint.h>

#define NO_PIN 255u
#define PINS 70u
#define AXES 3u
#define EMERGENCY_PIN 20u
#define CURTAIN_PIN 21u
#define SEGMENT_TICKS 8192u /* length of a segment in ticks of half a microsecond: 4.096 ms */

/* Time: microseconds since the start; wraps at 2^32. Callable from the reflex. */
uint32_t port_micros(void);

/* Starts the processor; `reflex_tick` is wanted. The reflex runs after `core_begin`. */
void port_start(void);

/* Whether `reflex_tick` is to be called. Without it the tick only compares the sensors, which
 * takes a third of the processor instead of two thirds on the AVR: so want it only while
 * something waits for time to pass. `reflex_edge` is called in any case. From both contexts. */
void port_tick_wanted(bool wanted);

/* Locks out the reflex, not the UARTs and not the steps. Not nested. */
void port_lock(void);
void port_unlock(void);

/* The link to the host. */
int16_t port_link_get(void); /* the next byte, or -1 */
uint8_t port_link_room(void); /* so many bytes may be put now without loss, at most 255 */
void port_link_put(uint8_t byte);

/* Modules on the serial ports 1 to 3 (dice reader, tag reader). */
void port_module_open(uint8_t port);
int16_t port_module_get(uint8_t port);
void port_module_put(uint8_t port, uint8_t byte); /* dropped if its small ring is full */

/* Pins. */
void port_pin_release(uint8_t pin);           /* high impedance, not sampled */
void port_pin_sense(uint8_t pin);             /* input with pull-up, sampled from now on */
void port_pin_drive(uint8_t pin, bool high);  /* output, at this level, which is its safe one */
void port_pin_write(uint8_t pin, bool high);  /* change an output; callable from the reflex */
void port_pin_low(uint8_t pin);               /* the same in half the time, where low is safe */
bool port_pin_level(uint8_t pin);             /* as it is now */
void port_all_safe(void); /* every driven pin to its safe level at once; from any context */

/* Steps of an axis, made by interrupts. A segment lasts SEGMENT_TICKS; segments follow each other
 * without a gap, and one that is missing when its turn comes is a segment without steps. */
struct port_segment {
    uint8_t steps;    /* at most 250 */
    uint16_t first;   /* ticks from the segment's start to the first step */
    uint32_t spacing; /* 1/256 ticks from step to step */
};
void port_axis_begin(uint8_t axis, uint8_t step_pin, uint8_t direction_pin, bool up);
bool port_axis_room(uint8_t axis); /* whether another segment may be put */
void port_axis_put(uint8_t axis, const struct port_segment *segment);
bool port_axis_idle(uint8_t axis);    /* every segment that was put is over */
void port_axis_halt(uint8_t axis);    /* no further step; from any context */
uint32_t port_axis_steps(uint8_t axis); /* steps made since `port_axis_begin` */

/* Analogue inputs 54 to 69, measured in turn. */
void port_analog_use(uint8_t pin);
uint16_t port_analog_mv(uint8_t pin); /* the last measurement */

/* EEPROM. One byte at a time; read and write only while ready. */
#define EEPROM_SIZE 4096u
uint8_t port_eeprom_read(uint16_t at);
bool port_eeprom_ready(void);
void port_eeprom_write(uint16_t at, uint8_t byte); /* only while ready */
bool port_supply_fails(void); /* VCC is falling: save what has to be remembered */

/* A strip of WS2812 lamps: the port shifts out one lamp's 24 bits, with the reflex and all else
 * locked out for those 30 us. The lamps of one strip follow each other within 50 us. */
void port_strip_lamp(uint8_t pin, bool lit);

/* Starting and ending. */
uint8_t port_reset_cause(void); /* 0 power, 1 external, 2 brown-out, 3 watchdog, 4 asked for */
void port_watchdog_kick(void);
void port_bootloader(void); /* sends first what waits for the link; does not return on a chip */

/* Tables of constants stay in flash, which some processors read by other instructions. */
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

/* Of a function that stays one: the compiler would put it into its callers, and make more of it. */
#define PORT_ONCE __attribute__((noinline))

/* What the core offers to the port's `main`: begin once, after the port itself, then turn for
 * ever. A turn is short and never waits; true if there is more to do at this same time. */
void core_begin(void);
bool core_turn(void);

/* What the core offers to the reflex. Each runs in its context and is short.
 *
 * `reflex_cut` comes ahead of `reflex_edge`, at once, even while the main loop holds the lock or
 * the reflex is still at an earlier edge: it takes the power of the motors that this edge ends,
 * and changes nothing else. A port where nothing takes time need not call it. */
void reflex_cut(uint8_t pin, bool high);
void reflex_edge(uint8_t pin, bool high); /* a sensed pin has changed */
void reflex_tick(void);                   /* every 20 us while wanted: debounce times run out */
void reflex_emergency(void);              /* the emergency input has opened; pins are safe already */

#endif
