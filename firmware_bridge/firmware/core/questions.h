/* Questions: commands that read state or counts. They need a table, but no lease. */
#ifndef WALLWRIGHT_QUESTIONS_H
#define WALLWRIGHT_QUESTIONS_H

#include <stdint.h>

void questions_ask(uint8_t type, const uint8_t *payload);

#endif
