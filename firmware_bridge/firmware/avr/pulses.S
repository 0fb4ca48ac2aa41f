/* Steps of up to three axes: timer 1's compare units A, B and C for the axes 0, 1 and 2.
 *
 * In assembler because three axes make 24,000 steps a second, and in two parts so that steps at the
 * same instant delay a sensor's edge as little as possible. The interrupt only raises the pin, 22
 * cycles after the match. It takes 37 cycles, so the pins of three axes that step at the same
 * instant rise within 100 cycles (6.2 us) of it. The tick does the rest after it has sampled: 56
 * cycles for each axis, and 27 more for all of them. The pulse is at least 70 cycles (4.4 us) long;
 * usually the next tick ends it. The compare register keeps the time of the last match, from which
 * the time of the next one is computed. */
#include "pins.h"

#define FLAGS_IO _SFR_IO_ADDR(GPIOR0)
#define TICKS_IO _SFR_IO_ADDR(TIFR3)
#define LATE_IO _SFR_IO_ADDR(LATE_STEPS)
#define SOON 8 /* ticks: the nearest match that cannot pass while it is being set */

/* `struct next` of steps.c */
#define NEXT_SIZE 8
#define NEXT_LEFT 0
#define NEXT_SPACING 1
#define NEXT_AT 4
#define NEXT_LEAST 6

/* No instruction here changes a flag, so SREG need not be saved. */
.macro rise axis
    push r24
    push r30
    push r31
    lds r30, step_pin + 2 * \axis ; PIN, in which a one inverts the pin; PORT is at PIN + 2
    lds r31, step_pin + 2 * \axis + 1
    lds r24, step_raise + \axis
    st Z, r24
    sts step_due + \axis, r24
    sbi FLAGS_IO, STEPPED
    pop r31
    pop r30
    pop r24
    reti
.endm

.macro set_next axis, ocrl, ocrh
    lds r24, step_due + \axis
    tst r24
    breq 3f
    lds r24, step_left + \axis
    subi r24, 1
    sts step_left + \axis, r24
    brne 1f
    rjmp .Llast_\axis
1:  lds r24, step_fraction + \axis
    lds r25, step_spacing + 3 * \axis
    add r24, r25
    sts step_fraction + \axis, r24
    lds r24, \ocrl
    lds r25, step_spacing + 3 * \axis + 1
    adc r24, r25
    lds r25, \ocrh
    lds r30, step_spacing + 3 * \axis + 2
    adc r25, r30
.Lset_\axis:
    cli
    sts \ocrh, r25
    sts \ocrl, r24
    lds r30, TCNT1L
    sub r30, r24
    lds r30, TCNT1H
    sbc r30, r25
    brmi 2f
    rjmp .Llate_\axis

/* By PORT, not by inverting: after an emergency the pin may already be low. */
.Llower_\axis:
2:  ldi r24, 0
    sts step_due + \axis, r24
    lds r30, step_pin + 2 * \axis
    lds r31, step_pin + 2 * \axis + 1
    ldd r24, Z + 2
    lds r25, step_lower + \axis
    and r24, r25
    std Z + 2, r24
    sei
    sbic TICKS_IO, OCF3A
    rjmp .Llater
3:
.endm

/* The time of the match has passed; the timer would reach it again only after 33 ms. The remaining
 * steps of the segment are later by the same time, because an axis that caught up would need a
 * higher speed than its motor has. If it is more than LATEST_TICKS, the core is told. */
.macro rarely axis, ocrl, ocrh, interrupt
.Llate_\axis:
    lds r30, TCNT1L
    lds r31, TCNT1H
    sub r24, r30
    sbc r25, r31
    subi r24, lo8(-LATEST_TICKS)
    sbci r25, hi8(-LATEST_TICKS)
    brpl 4f
    in r24, LATE_IO
    ori r24, 1 << \axis
    out LATE_IO, r24
4:  adiw r30, SOON
    sts \ocrh, r31
    sts \ocrl, r30
    rjmp .Llower_\axis

/* This was the segment's last step. The first step of a prepared segment is set like any other, if it
 * is not too soon after the last one, which was late then. Otherwise C begins the next segment. */
.Llast_\axis:
    lds r24, step_next + NEXT_SIZE * \axis + NEXT_LEFT
    tst r24
    breq .Lpause_\axis
    lds r24, step_next + NEXT_SIZE * \axis + NEXT_AT
    lds r25, step_next + NEXT_SIZE * \axis + NEXT_AT + 1
    lds r30, step_next + NEXT_SIZE * \axis + NEXT_LEAST
    lds r31, step_next + NEXT_SIZE * \axis + NEXT_LEAST + 1
    sub r24, r30
    sbc r25, r31
    lds r30, \ocrl
    lds r31, \ocrh
    sub r24, r30
    sbc r25, r31
    brmi .Lpause_\axis
    lds r24, step_next + NEXT_SIZE * \axis + NEXT_LEFT
    sts step_left + \axis, r24
    lds r24, step_next + NEXT_SIZE * \axis + NEXT_SPACING
    sts step_spacing + 3 * \axis, r24
    lds r24, step_next + NEXT_SIZE * \axis + NEXT_SPACING + 1
    sts step_spacing + 3 * \axis + 1, r24
    lds r24, step_next + NEXT_SIZE * \axis + NEXT_SPACING + 2
    sts step_spacing + 3 * \axis + 2, r24
    ldi r24, 0
    sts step_fraction + \axis, r24
    sts step_next + NEXT_SIZE * \axis + NEXT_LEFT, r24
    lds r24, step_next + NEXT_SIZE * \axis + NEXT_AT
    lds r25, step_next + NEXT_SIZE * \axis + NEXT_AT + 1
    sbi FLAGS_IO, SEGMENT_OVER
    rjmp .Lset_\axis

.Lpause_\axis:
    cli
    lds r24, TIMSK1
    andi r24, ~(1 << \interrupt)
    sts TIMSK1, r24
    sbi FLAGS_IO, SEGMENT_OVER
    rjmp .Llower_\axis
.endm

.section .text.steps, "ax", @progbits
.global TIMER1_COMPA_vect
.global TIMER1_COMPB_vect
.global TIMER1_COMPC_vect
.global steps_set_next
TIMER1_COMPA_vect:
    rise 0
TIMER1_COMPB_vect:
    rise 1
TIMER1_COMPC_vect:
    rise 2

/* Jumped to from the tick, with interrupts enabled, and jumps back into it; the tick saves r24, r25
 * and SREG. A step that happens meanwhile sets STEPPED again. */
steps_set_next:
    push r30
    push r31
    cbi FLAGS_IO, STEPPED
    set_next 0, OCR1AL, OCR1AH
    set_next 1, OCR1BL, OCR1BH
    set_next 2, OCR1CL, OCR1CH
.Lset:
    pop r31
    pop r30
    jmp steps_are_set

/* The next sample is due and goes first; the steps of the other axes wait for that tick. */
.Llater:
    sbi FLAGS_IO, STEPPED
    rjmp .Lset

    rarely 0, OCR1AL, OCR1AH, OCIE1A
    rarely 1, OCR1BL, OCR1BH, OCIE1B
    rarely 2, OCR1CL, OCR1CH, OCIE1C
