/* The reflex's tick: timer 3, every 20 us (320 cycles).
 *
 * In assembler because it runs 50,000 times a second and almost always finds no change, where C
 * would save fifteen registers first. The time from the match to the next instruction of the
 * interrupted code is 69 cycles if sensors are on the ports A, C, D only, 116 with B, F, G, K, L,
 * and 143 with all ports, and more after a step (pulses.S). From the 20th cycle on, every interrupt
 * but the tick's own may interrupt it. */
#include "pins.h"

#define SREG_IO _SFR_IO_ADDR(SREG)
#define FLAGS_IO _SFR_IO_ADDR(GPIOR0)

/* Jumps to `changed` if a sensor of the port whose levels are in r24 has changed, with the changed
 * bits in r24. Takes 7 cycles. */
.macro sample port, changed
    lds r25, sensed_level + \port
    eor r24, r25
    lds r25, sensed_mask + \port
    and r24, r25
    brne \changed
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
sample_all:
    in r24, _SFR_IO_ADDR(PINA)
    sample PORT_A, port_a_changed
    in r24, _SFR_IO_ADDR(PINC)
    sample PORT_C, port_c_changed
    in r24, _SFR_IO_ADDR(PIND)
    sample PORT_D, port_d_changed
    sbic FLAGS_IO, MORE_SENSED
    rjmp more_ports
nothing_changed:
    sbic FLAGS_IO, STEPPED
    rjmp steps_set_next
.global steps_are_set
steps_are_set:
    in r24, FLAGS_IO
    andi r24, (1 << TICK_WANTED) | (1 << SEGMENT_OVER) | (1 << EMERGENCY) | (1 << UNREPORTED)
    sbis FLAGS_IO, BUSY
    brne run_core
done:
    cli
    ldi r24, 1 << OCIE3A
    sts TIMSK3, r24
    pop r25
    pop r24
    out SREG_IO, r24
    pop r24
    reti

port_a_changed:
    ldi r25, PORT_A
    rjmp cut_first
port_c_changed:
    ldi r25, PORT_C
    rjmp cut_first
port_d_changed:
    ldi r25, PORT_D

.macro call_c function
    push r0
    push r1
    push r18
    push r19
    push r20
    push r21
    push r22
    push r23
    push r26
    push r27
    push r30
    push r31
    clr r1
    mov r22, r24
    mov r24, r25
    call \function
    pop r31
    pop r30
    pop r27
    pop r26
    pop r23
    pop r22
    pop r21
    pop r20
    pop r19
    pop r18
    pop r1
    pop r0
.endm

/* r24: the changed bits of the port in r25. `tick_cut` excludes them from sampling, then all ports
 * are sampled again, since other sensors may have changed too. */
cut_first:
    call_c tick_cut
    rjmp sample_all

run_core:
    call_c tick_run_core
    rjmp done

more_ports:
    in r24, _SFR_IO_ADDR(PINB)
    sample PORT_B, port_b_changed
    in r24, _SFR_IO_ADDR(PINF)
    sample PORT_F, port_f_changed
    in r24, _SFR_IO_ADDR(PING)
    sample PORT_G, port_g_changed
    lds r24, PINK
    sample PORT_K, port_k_changed
    lds r24, PINL
    sample PORT_L, port_l_changed
    sbic FLAGS_IO, ALL_SENSED
    rjmp all_ports
    rjmp nothing_changed
port_b_changed:
    ldi r25, PORT_B
    rjmp cut_first
port_f_changed:
    ldi r25, PORT_F
    rjmp cut_first
port_g_changed:
    ldi r25, PORT_G
    rjmp cut_first
port_k_changed:
    ldi r25, PORT_K
    rjmp cut_first
port_l_changed:
    ldi r25, PORT_L
    rjmp cut_first

all_ports:
    in r24, _SFR_IO_ADDR(PINE)
    sample PORT_E, port_e_changed
    lds r24, PINH
    sample PORT_H, port_h_changed
    lds r24, PINJ
    sample PORT_J, port_j_changed
    rjmp nothing_changed
port_e_changed:
    ldi r25, PORT_E
    rjmp cut_first
port_h_changed:
    ldi r25, PORT_H
    rjmp cut_first
port_j_changed:
    ldi r25, PORT_J
    rjmp cut_first
