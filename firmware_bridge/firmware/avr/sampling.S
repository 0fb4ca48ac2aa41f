/* The reflex's tick: timer 3, every 20 us (320 cycles).
 *
 * In assembler because it runs 50,000 times a second and almost always finds no change, where C
 * would save fifteen registers first. The time from the match to the next instruction of the
 * interrupted code is 69 cycles if sensors are on the ports A, C, D only, 116 with B, F, G, K, L,
 * and 143 with all ports, and more after a step (pulses.S). From the 20th cycle on, every interrupt
 * but the tick's own may interrupt it.
 *
 * A tick that finds a change takes the power from the motors that the change stops, before anything
 * else is done with it. Sensors that change at the same time delay each other by 80 cycles at most:
 * such a tick saves five more registers once, and goes on through the ports in a second copy of the
 * sampling code. */
#include "pins.h"

#define SREG_IO _SFR_IO_ADDR(SREG)
#define FLAGS_IO _SFR_IO_ADDR(GPIOR0)
#define FIRST_IN_PAGE_0 0x20 /* the registers of A to G are from here on, those of H to L at 0x100 */

/* The sensors that have changed, as bits in r24; before, r24 contains the levels of the port. */
.macro compare port
    lds r25, sensed_level + \port
    eor r24, r25
    lds r25, sensed_mask + \port
    and r24, r25
.endm

/* In a tick without a change so far: 7 cycles. */
.macro sample port
    compare \port
    brne first_\port
.endm

.macro first port
first_\port:
    push r23
    push r26
    push r27
    push r30
    push r31
    rjmp changed_\port
.endm

/* In a tick with a change. A sensor that has changed is not sampled again until the change has been
 * reported, which `reported_now` can delay. `cut_armed` has the sensors whose change to the level in `cut_high` stops a motor,
 * `cut_slow` those whose changes the core looks at. */
.macro visit port
    compare \port
    brne changed_\port
    rjmp done_\port
changed_\port:
    lds r25, sensed_level + \port
    eor r25, r24
    sts sensed_level + \port, r25
    lds r23, sensed_mask + \port
    eor r23, r24
    sts sensed_mask + \port, r23
    lds r23, reported_now + \port
    and r23, r24
    breq later_\port
    sbi FLAGS_IO, UNREPORTED
later_\port:
    cli
    lds r30, TCNT5L
    lds r31, TCNT5H
    sei
    sts changed_at + 2 * \port, r30
    sts changed_at + 2 * \port + 1, r31
    lds r23, cut_slow + \port
    and r23, r24
    breq fast_\port
    ldi r30, \port
    rcall cut_by_core
fast_\port:
    lds r23, cut_high + \port
    eor r25, r23
    com r25
    and r25, r24
    lds r23, cut_armed + \port
    and r25, r23
    breq done_\port
    ldi r30, lo8(cuts + 16 * \port)
    ldi r31, hi8(cuts + 16 * \port)
    rcall lower_pins
done_\port:
.endm

.macro call_c function
    push r0
    push r1
    push r18
    push r19
    push r20
    push r21
    push r22
    push r24
    push r25
    clr r1
    mov r24, r30
    mov r22, r23
    call \function
    pop r25
    pop r24
    pop r22
    pop r21
    pop r20
    pop r19
    pop r18
    pop r1
    pop r0
.endm

.section .text.tick, "ax", @progbits
.global TIMER3_COMPA_vect
TIMER3_COMPA_vect:
    push r24
    in r24, SREG_IO
    push r24
    push r25
    ldi r24, 0
    sts TIMSK3, r24
    sei
    sts tick_missing, r24
    in r24, _SFR_IO_ADDR(PINA)
    sample PORT_A
    in r24, _SFR_IO_ADDR(PINC)
    sample PORT_C
    in r24, _SFR_IO_ADDR(PIND)
    sample PORT_D
    sbic FLAGS_IO, MORE_SENSED
    rjmp more_ports
nothing_changed:
    sbic FLAGS_IO, ALARM
    rjmp compare_alarm
no_alarm:
    sbic FLAGS_IO, STEPPED
    rjmp steps_set_next
.global steps_are_set
steps_are_set:
    in r24, FLAGS_IO
    andi r24, (1 << SEGMENT_OVER) | (1 << EMERGENCY) | (1 << UNREPORTED)
    brne something_is_due
done:
    cli
    ldi r24, 1 << OCIE3A
    sts TIMSK3, r24
    pop r25
    pop r24
    out SREG_IO, r24
    pop r24
    reti

    first PORT_A
    first PORT_C
    first PORT_D

/* The next segment of an axis cannot wait until the core is free: its first step may be due.
 *
 * `follow_runs` and `alarm_runs` are read here and not in C. A tick that interrupts one of the two
 * functions would call it again only to return from it at once: 150 of 320 cycles in each tick, while
 * the interrupted function has less than that. The main loop stood still for 25 ms, and an axis had
 * no next segment. */
something_is_due:
    sbis FLAGS_IO, BUSY
    rjmp run_core
    sbrs r24, SEGMENT_OVER
    rjmp done
    lds r24, follow_runs
    tst r24
    breq follow
    rjmp done
follow:
    push r23
    push r26
    push r27
    push r30
    push r31
    call_c tick_follow
    pop r31
    pop r30
    pop r27
    pop r26
    pop r23
    rjmp done

run_core:
    push r23
    push r26
    push r27
    push r30
    push r31
    call_c tick_run_core
    pop r31
    pop r30
    pop r27
    pop r26
    pop r23
    rjmp done

/* No interrupt that can occur here uses the byte in which the timers keep the upper half. */
compare_alarm:
    lds r24, TCNT5L
    lds r25, alarm_at
    sub r24, r25
    lds r24, TCNT5H
    lds r25, alarm_at + 1
    sbc r24, r25
    brpl alarm
    rjmp no_alarm

alarm:
    lds r24, alarm_runs
    tst r24
    breq call_alarm
    rjmp no_alarm
call_alarm:
    push r23
    push r26
    push r27
    push r30
    push r31
    call_c tick_alarm
    pop r31
    pop r30
    pop r27
    pop r26
    pop r23
    rjmp no_alarm

more_ports:
    in r24, _SFR_IO_ADDR(PINB)
    sample PORT_B
    in r24, _SFR_IO_ADDR(PINF)
    sample PORT_F
    in r24, _SFR_IO_ADDR(PING)
    sample PORT_G
    lds r24, PINK
    sample PORT_K
    lds r24, PINL
    sample PORT_L
    sbis FLAGS_IO, ALL_SENSED
    rjmp nothing_changed
    in r24, _SFR_IO_ADDR(PINE)
    sample PORT_E
    lds r24, PINH
    sample PORT_H
    lds r24, PINJ
    sample PORT_J
    rjmp nothing_changed

    first PORT_B
    first PORT_F
    first PORT_G
    first PORT_K
    first PORT_L
    first PORT_E
    first PORT_H
    first PORT_J

    in r24, _SFR_IO_ADDR(PINA)
    visit PORT_A
    in r24, _SFR_IO_ADDR(PINC)
    visit PORT_C
    in r24, _SFR_IO_ADDR(PIND)
    visit PORT_D
    sbis FLAGS_IO, MORE_SENSED
    rjmp visited
    in r24, _SFR_IO_ADDR(PINB)
    visit PORT_B
    in r24, _SFR_IO_ADDR(PINF)
    visit PORT_F
    in r24, _SFR_IO_ADDR(PING)
    visit PORT_G
    lds r24, PINK
    visit PORT_K
    lds r24, PINL
    visit PORT_L
    sbis FLAGS_IO, ALL_SENSED
    rjmp visited
    in r24, _SFR_IO_ADDR(PINE)
    visit PORT_E
    lds r24, PINH
    visit PORT_H
    lds r24, PINJ
    visit PORT_J
visited:
    pop r31
    pop r30
    pop r27
    pop r26
    pop r23
    rjmp nothing_changed

/* Sets the pin of this entry of `cuts` low if its bit in r25 is set. */
.macro lower bit
    sbrs r25, \bit
    rjmp 1f
    ldd r26, Z + 2 * \bit
    ldd r23, Z + 2 * \bit + 1
    cpi r26, FIRST_IN_PAGE_0
    sbc r27, r27
    neg r27
    cli
    ld r24, X
    and r24, r23
    st X, r24
    sei
1:
.endm

/* r25: the bits; Z: the first entry of the port in `cuts`. Changes r23, r24, r26, r27. */
lower_pins:
    mov r24, r25
    andi r24, 0x0F
    breq upper_half
    lower 0
    lower 1
    lower 2
    lower 3
    mov r24, r25
    andi r24, 0xF0
    breq lowered
upper_half:
    lower 4
    lower 5
    lower 6
    lower 7
lowered:
    ret

/* r30: the port; r23: its changed bits that the core looks at. */
cut_by_core:
    call_c tick_cut
    ret
