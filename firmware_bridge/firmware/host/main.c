/* A board as a POSIX process: wallwright-host [--pty | --stdio] [--serial S] [--address N]
 * [--key HEX] [--wire FROM:TO]... Its line is a pseudo-terminal, whose name it prints, or stdin and
 * stdout. A wire connects an output pin to an input pin; other pins are not connected.
 *
 * With --pty, stdin takes the place of a hand at the board, one command a line: `pin N LEVEL`,
 * `reset CAUSE` (as in Identity) and `power`, which cuts the supply and turns it on again. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* cfmakeraw */

#include "../core/crc.h"
#include "../core/identity.h"
#include "../core/twin.h"
#include "../port.h"
#include "virtual_pins.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

struct line {
    int in, out;
};

#define MOST_WIRES 16u
#define ECHO_MICROS 20u /* the delay of a wire */
#define SLICE_MICROS 100u /* outputs are carried along the wires at least this often */

struct wire {
    uint8_t from, to;
};

struct options {
    const char *serial, *key;
    unsigned long address;
    bool pty;
    struct wire wires[MOST_WIRES];
    uint8_t wire_count;
};

static void give_up(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("wallwright-host: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    exit(2);
}

static const char *value_of(char ***argument) {
    if ((*argument)[1] == NULL) {
        give_up("%s needs a value after it.\n", **argument);
    }
    return *++*argument;
}

static void add_wire(struct options *options, const char *text) {
    unsigned from, to;
    char rest;
    if (sscanf(text, "%u:%u%c", &from, &to, &rest) != 2 || from > UINT8_MAX || to > UINT8_MAX) {
        give_up("--wire needs two pins, such as 2:22; got %s.\n", text);
    }
    if (options->wire_count == MOST_WIRES) {
        give_up("there can be at most %u wires.\n", MOST_WIRES);
    }
    options->wires[options->wire_count++] = (struct wire){(uint8_t)from, (uint8_t)to};
}

static struct options read_options(char **argument) {
    struct options options = {.serial = NULL, .key = "", .address = 0, .pty = false};
    for (; *argument; argument++) {
        if (strcmp(*argument, "--pty") == 0) {
            options.pty = true;
        } else if (strcmp(*argument, "--stdio") == 0) {
            options.pty = false;
        } else if (strcmp(*argument, "--serial") == 0) {
            options.serial = value_of(&argument);
        } else if (strcmp(*argument, "--key") == 0) {
            options.key = value_of(&argument);
        } else if (strcmp(*argument, "--address") == 0) {
            options.address = strtoul(value_of(&argument), NULL, 10);
        } else if (strcmp(*argument, "--wire") == 0) {
            add_wire(&options, value_of(&argument));
        } else {
            give_up("the options are --pty, --stdio, --serial S, --address N, --key HEX and --wire"
                    " FROM:TO; got %s.\n", *argument);
        }
    }
    return options;
}

/* Writes the provisioned data with the layout of identity.h and twin.h. */
static void provision(const struct options *options) {
    uint8_t *const first = hw_eeprom() + port_storage.copies[STORED_IDENTITY][0];
    uint8_t *const key = first + 1 + SERIAL_SIZE;
    const size_t digits = strlen(options->key);
    if (strlen(options->serial) != SERIAL_SIZE) {
        give_up("--serial must have 8 letters; got %s.\n", options->serial);
    }
    if (digits % 2 != 0 || digits > 2 * MOST_KEY) {
        give_up("--key must have pairs of hexadecimal digits, at most 64 digits; got %u digits.\n",
                (unsigned)digits);
    }
    if (options->address > UINT8_MAX) {
        give_up("--address must be at most 255; got %lu.\n", options->address);
    }
    first[0] = TWIN_VERSION;
    memcpy(first + 1, options->serial, SERIAL_SIZE);
    memset(key, 0, MOST_KEY);
    for (size_t at = 0; at < digits / 2; at++) {
        const char pair[3] = {options->key[2 * at], options->key[2 * at + 1], '\0'};
        key[at] = (uint8_t)strtoul(pair, NULL, 16);
    }
    key[MOST_KEY] = (uint8_t)(digits / 2);
    key[MOST_KEY + 1] = (uint8_t)options->address;
    const uint16_t crc = crc_over(CRC_SEED, first, TWIN_IDENTITY_SIZE - TWIN_CRC);
    first[TWIN_IDENTITY_SIZE - TWIN_CRC] = (uint8_t)crc;
    first[TWIN_IDENTITY_SIZE - TWIN_CRC + 1] = (uint8_t)(crc >> 8);
}

/* The board keeps the other end open too, so that reads do not fail when a host closes it. */
static struct line open_pty(void) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
        give_up("no pseudo-terminal can be created: %s.\n", strerror(errno));
    }
    const char *const name = ptsname(master);
    const int slave = open(name, O_RDWR | O_NOCTTY);
    struct termios raw;
    if (slave < 0 || tcgetattr(slave, &raw) != 0) {
        give_up("the pseudo-terminal %s cannot be opened: %s.\n", name, strerror(errno));
    }
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    printf("%s\n", name);
    fflush(stdout);
    return (struct line){master, master};
}

static uint64_t micros(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* Returns false once the host has closed the line. */
static bool take_bytes(const struct line *line) {
    uint8_t bytes[1024];
    const ssize_t size = read(line->in, bytes, sizeof bytes);
    if (size > 0) {
        hw_rx(bytes, (uint32_t)size);
    }
    return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

static void give_bytes(const struct line *line) {
    uint8_t bytes[1024];
    uint32_t size;
    while ((size = hw_tx(bytes, sizeof bytes)) > 0) {
        uint32_t given = 0;
        while (given < size) {
            const ssize_t some = write(line->out, bytes + given, size - given);
            if (some < 0 && errno != EINTR && errno != EAGAIN) {
                return; /* without a reader the bytes are lost, as on a wire */
            }
            given += some > 0 ? (uint32_t)some : 0;
        }
    }
}

/* Carries changed outputs to the inputs; the answer of the board to one edge can be another. */
static void carry(const struct options *options) {
    struct hw_change changes[64];
    uint32_t count;
    while (options->wire_count > 0 && (count = hw_changes(changes, 64u)) > 0) {
        hw_advance(ECHO_MICROS);
        for (uint32_t at = 0; at < count; at++) {
            for (uint8_t wire = 0; wire < options->wire_count; wire++) {
                if (options->wires[wire].from == changes[at].pin) {
                    hw_pin(options->wires[wire].to, changes[at].level > 0);
                }
            }
        }
    }
}

/* One command of the hand. */
static void obey(const char *command) {
    unsigned pin, level, cause;
    if (sscanf(command, "pin %u %u", &pin, &level) == 2) {
        hw_pin((uint8_t)pin, (uint8_t)level);
    } else if (sscanf(command, "reset %u", &cause) == 1) {
        hw_reset((uint8_t)cause, hw_micros());
    } else if (strncmp(command, "power", 5) == 0) {
        hw_supply_falls();
        hw_reset(0, hw_micros());
    } else {
        fprintf(stderr, "wallwright-host: unknown command %s", command);
    }
}

/* Returns false once nothing can come any more. */
static bool take_commands(void) {
    char text[256];
    const ssize_t size = read(STDIN_FILENO, text, sizeof text - 1);
    if (size <= 0) {
        return false;
    }
    text[size] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        obey(line);
    }
    return true;
}

static void run(const struct line *line, const struct options *options) {
    const uint64_t began = micros();
    struct pollfd polled[2] = {{.fd = line->in, .events = POLLIN},
                               {.fd = options->pty ? STDIN_FILENO : -1, .events = POLLIN}};
    for (;;) {
        poll(polled, 2, 1);
        if (polled[1].revents && !take_commands()) {
            polled[1].fd = -1;
        }
        if (polled[0].revents && !take_bytes(line)) {
            return;
        }
        carry(options);
        for (uint64_t now = micros() - began; hw_micros() < now;) {
            const uint64_t behind = now - hw_micros();
            hw_advance((uint32_t)(behind < SLICE_MICROS ? behind : SLICE_MICROS));
            carry(options);
        }
        give_bytes(line);
    }
}

int main(int count, char **arguments) {
    (void)count;
    const struct options options = read_options(arguments + 1);
    hw_new();
    if (options.serial) {
        provision(&options);
    }
    const struct line line = options.pty ? open_pty() : (struct line){STDIN_FILENO, STDOUT_FILENO};
    for (uint8_t wire = 0; wire < options.wire_count; wire++) {
        hw_pin(options.wires[wire].to, 0); /* 10 kΩ to ground at each input of the harness */
    }
    hw_reset(0, 0);
    run(&line, &options);
    return 0;
}
