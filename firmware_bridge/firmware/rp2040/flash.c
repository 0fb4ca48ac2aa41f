/* Commands of the serial flash (W25Q16JV on the Pico, and all that are compatible), sent through the
 * flash interface as through a plain SPI port, at 31 MHz.
 *
 * The chip select is forced by its GPIO, so an interrupt between two bytes only makes a command
 * longer. At most 14 bytes are under way, because the interface's FIFOs have 16 places. */
#include "flash.h"

#include "registers.h"

#define DIVIDER 4u
#define STANDARD_8_BITS (7u << 16)
#define UNDER_WAY 14u

enum {
    PROGRAM = 0x02,
    READ = 0x03,
    READ_STATUS = 0x05,
    WRITE_ENABLE = 0x06,
    ERASE_SECTOR = 0x20,
    READ_UNIQUE_ID = 0x4B,
    SUSPEND = 0x75,
    RESUME = 0x7A,
};
#define STATUS_BUSY 1u
#define COMMAND_SIZE 4u /* with its address */

void flash_start(void) {
    REGISTER(FLASH_SELECT_CTRL) = OUTPUT_HIGH;
    REGISTER(SSI_ENABLE) = 0;
    REGISTER(SSI_BAUDR) = DIVIDER;
    REGISTER(SSI_CTRLR0) = STANDARD_8_BITS;
    REGISTER(SSI_ENABLE) = 1;
}

/* Sends the first bytes from `out`, the others as zeros; stores the last ones in `in`. */
static void transfer(const uint8_t *out, uint32_t out_size, uint8_t *in, uint32_t in_size) {
    const uint32_t size = out_size + in_size;
    uint32_t sent = 0;
    uint32_t received = 0;
    while (received < size) {
        const uint32_t status = REGISTER(SSI_SR);
        if (sent < size && sent - received < UNDER_WAY && (status & SSI_TX_NOT_FULL)) {
            REGISTER(SSI_DR0) = sent < out_size ? out[sent] : 0;
            sent++;
        }
        if (status & SSI_RX_NOT_EMPTY) {
            const uint8_t byte = (uint8_t)REGISTER(SSI_DR0);
            if (received >= out_size) {
                in[received - out_size] = byte;
            }
            received++;
        }
    }
}

static void select_flash(void) {
    REGISTER(FLASH_SELECT_CTRL) = OUTPUT_LOW;
}

static void release_flash(void) {
    REGISTER(FLASH_SELECT_CTRL) = OUTPUT_HIGH;
}

static void send_byte(uint8_t command) {
    select_flash();
    transfer(&command, 1, 0, 0);
    release_flash();
}

static void send_address(uint8_t command, uint32_t at) {
    const uint8_t bytes[COMMAND_SIZE] = {command, (uint8_t)(at >> 16), (uint8_t)(at >> 8),
                                         (uint8_t)at};
    transfer(bytes, COMMAND_SIZE, 0, 0);
}

bool flash_is_busy(void) {
    const uint8_t command = READ_STATUS;
    uint8_t status;
    select_flash();
    transfer(&command, 1, &status, 1);
    release_flash();
    return (status & STATUS_BUSY) != 0;
}

void flash_read(uint32_t at, uint8_t *bytes, uint32_t size) {
    select_flash();
    send_address(READ, at);
    transfer(0, 0, bytes, size);
    release_flash();
}

void flash_read_id(uint8_t id[FLASH_ID]) {
    const uint8_t command[1u + 4u] = {READ_UNIQUE_ID}; /* the command, and four bytes that do not count */
    select_flash();
    transfer(command, sizeof command, id, FLASH_ID);
    release_flash();
}

void flash_program(uint32_t at, const uint8_t *bytes, uint32_t size) {
    send_byte(WRITE_ENABLE);
    select_flash();
    send_address(PROGRAM, at);
    transfer(bytes, size, 0, 0);
    release_flash();
}

void flash_erase(uint32_t at) {
    send_byte(WRITE_ENABLE);
    select_flash();
    send_address(ERASE_SECTOR, at);
    release_flash();
}

void flash_suspend_erase(void) {
    send_byte(SUSPEND);
}

void flash_resume_erase(void) {
    send_byte(RESUME);
}
