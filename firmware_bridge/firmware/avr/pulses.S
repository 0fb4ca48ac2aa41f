/* One step of an axis: timer 1's compare interrupts, A, B and C for the axes 0, 1 and 2.
 *
 * In assembler because three axes make 24,000 steps a second. The pin rises 22 cycles after the
 * match whatever comes next, and interrupts are on again after 35, so that three axes that step at
 * the same instant rise within 92 cycles (5.8 us) of it. A step takes 95 cycles in all; its pulse
 * is at least 48 cycles (3 us) long, or longer if something interrupts. STEPS_DEPTH keeps what
 * takes long from interrupting: the next match is not set yet. The compare unit itself remembers
 * the last match, from which the next one is counted. */
#include "pins.h"

#define SREG_IO _SFR_IO_ADDR(SREG)
#define FLAGS_IO _SFR_IO_ADDR(GPIOR0)
#define DEPTH_IO _SFR_IO_ADDR(STEPS_DEPTH)
#define SOON 8 /* ticks: the nearest match that cannot be over while it is set */

.macro step axis, ocrl, ocrh, interrupt
    push r24
    push r30
    push r31
    lds r30, step_pin + 2 * \axis ; PIN, where a one turns the pin round; PORT is two further on
    lds r31, step_pin + 2 * \axis + 1
    lds r24, step_raise + \axis
    st Z, r24
    in r24, SREG_IO
    push r24
    in r24, DEPTH_IO
    inc r24
    out DEPTH_IO, r24
    lds r24, step_left + \axis
    subi r24, 1
    sts step_left + \axis, r24
    breq 3f
    sei
    push r25

    lds r24, step_fraction + \axis
    lds r25, step_spacing + 3 * \axis
    add r24, r25
    sts step_fraction + \axis, r24
    lds r24, \ocrl
    lds r25, step_spacing + 3 * \axis + 1
    adc r24, r25
    lds r25, \ocrh
    lds r30, step_spacing + 3 * \axis + 2
    adc r25, r30
    cli
    sts \ocrh, r25
    sts \ocrl, r24
    lds r30, TCNT1L
    sub r24, r30
    lds r30, TCNT1H
    sbc r25, r30
    brmi 2f
    breq 2f
    lds r30, step_pin + 2 * \axis

/* In PORT, not by a turn: after an emergency the pin may be low already. */
1:  ldd r24, Z + 2
    lds r25, step_lower + \axis
    and r24, r25
    std Z + 2, r24
    in r24, DEPTH_IO
    dec r24
    out DEPTH_IO, r24
    pop r25
    pop r24
    out SREG_IO, r24
    pop r31
    pop r30
    pop r24
    reti

/* That was the segment's last step; the tick takes the next one, which it may do from the `sei` on.
 * The loop fills the pulse's length. */
3:  lds r24, TIMSK1
    andi r24, ~(1 << \interrupt)
    sts TIMSK1, r24
    sbi FLAGS_IO, SEGMENT_OVER
    sei
    push r25
    ldi r24, 6
4:  dec r24
    brne 4b
    cli
    rjmp 1b

/* The match is over already, the timer would come to it in 33 ms only. The segment's other steps
 * are later by as much: never does an axis catch up at a speed that its motor does not have. */
2:  lds r24, TCNT1L
    lds r25, TCNT1H
    adiw r24, SOON
    sts \ocrh, r25
    sts \ocrl, r24
    lds r30, step_pin + 2 * \axis
    rjmp 1b
.endm

.section .text.steps, "ax", @progbits
.global TIMER1_COMPA_vect
.global TIMER1_COMPB_vect
.global TIMER1_COMPC_vect
TIMER1_COMPA_vect:
    step 0, OCR1AL, OCR1AH, OCIE1A
TIMER1_COMPB_vect:
    step 1, OCR1BL, OCR1BH, OCIE1B
TIMER1_COMPC_vect:
    step 2, OCR1CL, OCR1CH, OCIE1C
