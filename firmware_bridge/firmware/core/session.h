/* The board's end of the line: takes commands in the order of their numbers, each exactly once, and
 * has the reply to a repeated command sent again. See docs/reference/PROTOCOL.md. */
#ifndef WALLWRIGHT_SESSION_H
#define WALLWRIGHT_SESSION_H

#include "frame.h"

#include <stdbool.h>
#include <stdint.h>

/* What a turn has taken from the line. */
enum taken {
    NOTHING_WAITS, /* no complete frame, and no further byte can be taken now */
    BYTES,         /* bytes or a frame, and more may wait */
    COMMAND,       /* a command that is to be executed and answered (replies.h) */
};

void session_begin(void);

/* Takes at most one frame, so that its events are sent before the next command is executed. The
 * payload of `command` is valid until the next turn. */
enum taken session_turn(uint32_t now, struct frame *command);

#endif
