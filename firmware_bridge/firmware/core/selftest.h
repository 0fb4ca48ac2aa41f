/* The board's tests of itself while it works: program, memory and clock (by the port), the table in
 * memory (setup.h), and the levels of the outputs.
 *
 * A damaged processor latches SELF_TEST until the next reset. An output that is off, and whose pin is
 * active nevertheless, latches UNEXPECTED_MOTION. */
#ifndef WALLWRIGHT_SELFTEST_H
#define WALLWRIGHT_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

void selftest_begin(void);
void selftest_turn(uint32_t now);  /* each turn of the main loop */
void selftest_check_output(void);  /* one output; each millisecond while a table is in force */

/* Whether the pins of a channel's output are not at its safe value although the output is. */
bool selftest_reads_active(uint8_t channel);

uint8_t selftest_defects(void); /* as the reply to SelfTest */

#endif
