# The firmware for the Arduino Mega 2560: `make avr` builds build/wallwright.elf and .hex, `make size`
# checks their size against the budgets, `make simavr` builds the simulated processor for the tests.
#
# Fuses, burnt once by `make fuses PROGRAMMER=...`:
#   low 0xFF       16 MHz crystal, slowest start
#   high 0xD0      bootloader of 8 KiB at 0x3E000, started by a reset; an erase keeps the EEPROM
#   extended 0xFC  brown-out at 4.3 V (4.1 to 4.5 V); a stock Mega has 0xFD, 2.7 V
# Lock bits 0x0F keep the application from overwriting the bootloader.

AVR_CC ?= avr-gcc
AVR_SIZE ?= avr-size
AVR_OBJCOPY ?= avr-objcopy
AVRDUDE ?= avrdude
SERIAL ?= /dev/ttyACM0
PYTHON ?= python3

# Of 248 KiB of flash beside the bootloader and 8 KiB of RAM. The first limit of the RAM is for the
# static data, the second one for the static data and the deepest stack together.
AVR_FLASH_LIMIT = 98304
AVR_STATIC_LIMIT = 7296
AVR_RAM_LIMIT = 8064

BUILD_DIR ?= build
AVR_BUILD = $(BUILD_DIR)/avr
AVR_ELF ?= $(BUILD_DIR)/wallwright.elf
AVR_CORE ?= $(wildcard core/*.c)
AVR_PORT = $(wildcard avr/*.c avr/*.S)
AVR_SOURCES = $(sort $(AVR_CORE) $(AVR_PORT))
AVR_OBJECTS = $(patsubst %,$(AVR_BUILD)/%.o,$(AVR_SOURCES))

AVR_CHIP = -mmcu=atmega2560 -DF_CPU=16000000UL -mrelax
AVR_CFLAGS = $(AVR_CHIP) -std=c11 -O2 -Wall -Wextra -Wconversion -Werror -Wvla \
	-ffunction-sections -fdata-sections -fshort-enums -fno-common -fstack-usage -MMD -MP -I. \
	$(if $(HASH),-DBUILD='"$(BUILD_BYTES)"')
# The section .mmcu for simavr is outside every memory, so the file that is flashed also runs in simavr.
# The link's rings (384 bytes) must begin at a multiple of 256: they come first in the RAM.
AVR_LDFLAGS = $(AVR_CHIP) -Wl,--gc-sections,--undefined=simavr_notes,--section-start=.mmcu=0x910000 \
	-Wl,--undefined=watchdog_entry,--section-start=.watchdog_entry=0x20000 \
	-Wl,--section-start=.rings=0x800200,-Tdata=0x800380

.PHONY: avr size flash fuses simavr

avr: $(AVR_ELF) $(AVR_ELF:.elf=.hex)

$(AVR_BUILD)/%.c.o: %.c
	@mkdir -p $(@D)
	$(AVR_CC) $(AVR_CFLAGS) -c $< -o $@

$(AVR_BUILD)/%.S.o: %.S
	@mkdir -p $(@D)
	$(AVR_CC) $(AVR_CHIP) -MMD -MP -c $< -o $@

$(AVR_BUILD)/core/challenge.c.o: $(STAMP)

# The ELF file contains the hash of its sources, for `wallwright firmware verify`.
$(AVR_ELF): $(AVR_OBJECTS) $(STAMP) program_crc.py
	$(AVR_CC) $(AVR_LDFLAGS) $(AVR_OBJECTS) -lm -o $@
	$(PYTHON) program_crc.py avr $@ $(AVR_OBJCOPY)
	$(AVR_OBJCOPY) --add-section .wallwright=$(STAMP) --set-section-flags .wallwright=noload,readonly $@

%.hex: %.elf
	$(AVR_OBJCOPY) -O ihex -R .eeprom -R .mmcu -R .wallwright $< $@

size: $(AVR_ELF)
	$(PYTHON) stack.py $(AVR_ELF) $(AVR_BUILD) --flash $(AVR_FLASH_LIMIT) --static $(AVR_STATIC_LIMIT) --ram $(AVR_RAM_LIMIT)

flash: $(AVR_ELF:.elf=.hex)
	$(AVRDUDE) -p atmega2560 -c wiring -P $(SERIAL) -b 115200 -D -U flash:w:$<:i

fuses:
	$(AVRDUDE) -p atmega2560 -c $(PROGRAMMER) -U lfuse:w:0xFF:m -U hfuse:w:0xD0:m -U efuse:w:0xFC:m -U lock:w:0x0F:m

# A cycle-exact simulated processor, as a library for firmware_bridge/sim/processors/processor.py.
simavr: $(BUILD_DIR)/libwallwright_simavr.so

$(BUILD_DIR)/libwallwright_simavr.so: $(wildcard simavr/*.c simavr/*.h)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -flto -fvisibility=hidden -Wall -Wextra -Werror -shared -fPIC \
		-isystem /usr/include/simavr $(filter %.c,$^) -lsimavr -o $@

-include $(AVR_OBJECTS:.o=.d)
