/* The tick, the reflex's interrupt and its lock, and the wakes of the main loop.
 *
 * Every 200 us an alarm wakes the main loop, which checks all its times; every 20 us while a debounce
 * time runs. The processing of edges and debounce times has an interrupt of its own, which nothing
 * but the program raises. */
#include "chip.h"

#include "../port.h"
#include "registers.h"

#define ALARM 2u
#define IDLE_MICROS 200u
#define TICK_MICROS 20u

static volatile uint32_t alarm_at; /* while `wanted` */
static volatile bool wanted, due, missing, woken;

uint32_t port_micros(void) {
    return REGISTER(TIMER_RAW_LOW);
}

/* An alarm whose time has passed when it is set would come only after 71 minutes. */
static void set_alarm(void) {
    const uint32_t span = wanted ? TICK_MICROS : IDLE_MICROS;
    REGISTER(TIMER_ALARM(ALARM)) = port_micros() + span;
}

/* This port reports every edge at once. */
void port_pin_urgent(uint8_t pin) {
    (void)pin;
}

void tick_start(void) {
    REGISTER(TIMER_INTR) = BIT(ALARM);
    register_set(TIMER_INTE, BIT(ALARM));
    set_alarm();
}

void tick_interrupt(void) {
    REGISTER(TIMER_INTR) = BIT(ALARM);
    set_alarm();
    missing = false;
    woken = true;
    if (wanted && (int32_t)(port_micros() - alarm_at) >= 0) {
        wanted = false;
        if (reflex_due(port_micros())) {
            due = true;
            reflex_raise();
        }
    }
}

bool tick_has_run(void) {
    const bool run = !missing;
    missing = true;
    return run;
}

void tick_wake(void) {
    woken = true;
}

void tick_take_wake(void) {
    woken = false;
}

bool tick_is_woken(void) {
    return woken;
}

void port_alarm(uint32_t at) {
    const uint32_t before = mask();
    const bool sooner = !wanted;
    if (sooner || (int32_t)(alarm_at - at) > 0) {
        alarm_at = at;
    }
    wanted = true;
    if (sooner) {
        set_alarm();
    }
    unmask(before);
}

void reflex_raise(void) {
    REGISTER(NVIC_RAISE) = BIT(IRQ_REFLEX);
}

void reflex_interrupt(void) {
    edges_report();
    if (due) {
        due = false;
        if (reflex_settle()) {
            due = true;
            reflex_raise();
        }
    }
    woken = true;
}

/* The barriers make sure that the interrupt cannot come after `port_lock` has returned. */
void port_lock(void) {
    REGISTER(NVIC_DISABLE) = BIT(IRQ_REFLEX);
    __asm__ volatile("dsb\n isb" ::: "memory");
}

void port_unlock(void) {
    __asm__ volatile("" ::: "memory");
    REGISTER(NVIC_ENABLE) = BIT(IRQ_REFLEX);
}
