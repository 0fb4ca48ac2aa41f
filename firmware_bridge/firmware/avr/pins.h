/* The ports of the ATmega2560 and the flags that the interrupts share.
 *
 * C and the assembler include this file; the part for both comes first. */
#ifndef WALLWRIGHT_AVR_PINS_H
#define WALLWRIGHT_AVR_PINS_H

#include <avr/io.h>

/* GPIOR0: one instruction sets, clears or tests a bit, so no context sees a partial change. */
#define STEPPED 0     /* an axis has stepped, its next step is not set yet */
#define ALARM 1       /* `alarm_at` is set */
#define MORE_SENSED 2 /* a sensor is on a port other than A, C, D */
#define ALL_SENSED 3  /* a sensor is on E, H or J */
#define SEGMENT_OVER 4 /* an axis needs its next segment */
#define EMERGENCY 5    /* the emergency input has opened, not reported to the core yet */
#define UNREPORTED 6   /* a sensor has changed, not reported to the core yet */
#define BUSY 7         /* the main loop holds the lock, or the reflex runs */

/* One bit for each axis that has made a step later than LATEST_TICKS. */
#define LATE_STEPS GPIOR1
#define LATEST_TICKS 600 /* half microseconds: PORT_LATEST_STEP_US */

/* Ports in the order in which they are sampled. */
#define PORT_A 0
#define PORT_C 1
#define PORT_D 2
#define PORT_B 3
#define PORT_F 4
#define PORT_G 5
#define PORT_K 6
#define PORT_L 7
#define PORT_E 8
#define PORT_H 9
#define PORT_J 10
#define PORTS 11
#define FIRST_OF_MORE PORT_B
#define FIRST_OF_ALL PORT_E

#ifndef __ASSEMBLER__

#include <avr/pgmspace.h>
#include <stdbool.h>
#include <stdint.h>

/* On this chip the three registers of a port have consecutive addresses. */
struct port_registers {
    uint8_t pin;
    uint8_t ddr;
    uint8_t port;
};

struct place {
    volatile struct port_registers *registers;
    uint8_t mask;
};

/* For each port: the bits that are sampled, their levels at the last sample, and their levels as
 * reported to the core. A sensor that has changed is not sampled again before the change has been
 * reported, so no edge is lost. */
extern volatile uint8_t sensed_mask[PORTS];
extern volatile uint8_t sensed_level[PORTS];
extern volatile uint8_t reported_level[PORTS];
extern volatile uint8_t urgent_pins[PORTS]; /* see `port_pin_urgent` */

/* The gate of port.h: what may change. */
#define GATE_OUTPUTS 1u
#define GATE_STEPS 2u
#define GATE_OPEN (GATE_OUTPUTS | GATE_STEPS)
extern volatile uint8_t gate;

/* What happens at once when a sensor changes, for sampling.S: the sensors whose change to the level
 * in `cut_high` sets the pins of their entry in `cuts` low, and those for which the core is called.
 * An entry has the lower byte of the address of PORT, and the bits that stay. */
struct cut {
    uint8_t address;
    uint8_t keep;
};
extern volatile struct cut cuts[PORTS * 8];
extern volatile uint8_t cut_armed[PORTS];
extern volatile uint8_t cut_high[PORTS];
extern volatile uint8_t cut_slow[PORTS];

/* The entry whose change is being reported, or NO_ENTRY, and whether `port_cut_now` has refused it. */
#define NO_ENTRY 0xFF
extern volatile uint8_t reported_entry;
extern volatile bool cut_refused;

void pins_start(void);
/* Sets an axis's direction pin; from now on `port_gate_shut` leaves both pins of the axis as they
 * are. Interrupts are disabled. */
void pins_set_direction(uint8_t step, uint8_t direction, bool up);
void pins_release_all(void); /* uses no variable, so it can run before the RAM is initialised */
struct place place_of(uint8_t pin);
volatile struct port_registers *registers_of(uint8_t port);

extern const uint8_t pin_by_place[PORTS * 8] PROGMEM;

/* The Arduino number of a pin, or 255 if there is none. */
static inline uint8_t pin_at(uint8_t port, uint8_t bit) {
    return pgm_read_byte(&pin_by_place[(uint8_t)(port << 3 | bit)]);
}

#endif
#endif
