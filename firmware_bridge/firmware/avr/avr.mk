# The firmware for the Arduino Mega 2560: `make avr` builds build/wallwright.elf and .hex, `make size`
# checks their size against the budgets, `make simavr` builds the simulated processor for the tests.
#
# Fuses, burnt once by `make fuses PROGRAMMER=...`:
#   low 0xFF       16 MHz crystal, slowest start
#   high 0xD0      bootloader of 8 KiB at 0x3E000, started by a reset; an erase keeps the EEPROM
#   extended 0xFD  brown-out at 2.7 V
# Lock bits 0x0F keep the application from overwriting the bootloader.

AVR_CC ?= avr-gcc
AVR_SIZE ?= avr-size
AVR_OBJCOPY ?= avr-objcopy
AVRDUDE ?= avrdude
SERIAL ?= /dev/ttyACM0
PYTHON ?= python3

AVR_FLASH_LIMIT = 32768
AVR_RAM_LIMIT = 4096
AVR_RAM = 8192

BUILD_DIR ?= build
AVR_BUILD = $(BUILD_DIR)/avr
AVR_ELF ?= $(BUILD_DIR)/wallwright.elf
AVR_CORE ?= $(wildcard core/*.c)
AVR_PORT = $(wildcard avr/*.c avr/*.S)
# A call over less than 4 KiB is two bytes shorter and a cycle faster, so files that call each other
# often are linked side by side: EEPROM and memory; modules, table and commands; the reflex and its
# pins; the axes right before the float functions of the library. The order was found by trials.
AVR_ORDER = avr/eeprom.c avr/modules.c core/identity.c core/crc.c core/memory.c avr/adc.c \
	core/modules.c core/table.c core/records.c core/dice.c core/board.c core/questions.c \
	core/safety.c core/orders.c core/stops.c core/clock.c core/answers.c core/lease.c \
	core/core.c core/pending.c core/session.c avr/uart0.c core/sha256.c core/frame.c \
	core/proof.c avr/reset.c avr/start.c core/events.c core/travels.c core/reflex.c core/cut.c \
	core/faults.c avr/tick.c core/drives.c core/outputs.c avr/sampling.S avr/pulses.S \
	core/strips.c avr/emergency.c avr/link.S avr/strip.c avr/pins.c avr/clock.c avr/steps.c \
	core/rails.c core/axes.c core/steps.c core/trapezoid.c
AVR_ALL = $(AVR_CORE) $(AVR_PORT)
AVR_SOURCES = $(filter-out $(AVR_ORDER),$(AVR_ALL)) $(filter $(AVR_ALL),$(AVR_ORDER))
AVR_OBJECTS = $(patsubst %,$(AVR_BUILD)/%.o,$(AVR_SOURCES))

AVR_CHIP = -mmcu=atmega2560 -DF_CPU=16000000UL -mrelax
AVR_CFLAGS = $(AVR_CHIP) -std=c11 -Os -Wall -Wextra -Wconversion -Werror -Wvla \
	-mstrict-X -fno-tree-switch-conversion \
	-ffunction-sections -fdata-sections -fshort-enums -fno-common -fstack-usage -MMD -MP -I. \
	$(if $(HASH),-DBUILD='"$(BUILD_BYTES)"')
# Shared prologues make the core smaller, but they are too slow for the code that cuts a motor's power.
AVR_OF_REFLEX = $(addprefix $(AVR_BUILD)/core/,cut.c.o outputs.c.o faults.c.o events.c.o)
AVR_SMALL = -mcall-prologues -fno-move-loop-invariants
# The section .mmcu for simavr is outside every memory, so the file that is flashed also runs in simavr.
# The link's rings (384 bytes) must begin at a multiple of 256: they come first in the RAM.
AVR_LDFLAGS = $(AVR_CHIP) -Wl,--gc-sections,--undefined=simavr_notes,--section-start=.mmcu=0x910000 \
	-Wl,--section-start=.rings=0x800200,-Tdata=0x800380

.PHONY: avr size flash fuses simavr

avr: $(AVR_ELF) $(AVR_ELF:.elf=.hex)

$(filter-out $(AVR_OF_REFLEX),$(filter $(AVR_BUILD)/core/%,$(AVR_OBJECTS))): AVR_CFLAGS += $(AVR_SMALL)

$(AVR_BUILD)/%.c.o: %.c
	@mkdir -p $(@D)
	$(AVR_CC) $(AVR_CFLAGS) -c $< -o $@

$(AVR_BUILD)/%.S.o: %.S
	@mkdir -p $(@D)
	$(AVR_CC) $(AVR_CHIP) -MMD -MP -c $< -o $@

$(AVR_BUILD)/core/pending.c.o: $(STAMP)

# The ELF file contains the hash of its sources, for `wallwright firmware verify`.
$(AVR_ELF): $(AVR_OBJECTS) $(STAMP)
	$(AVR_CC) $(AVR_LDFLAGS) $(AVR_OBJECTS) -lm -o $@
	$(AVR_OBJCOPY) --add-section .wallwright=$(STAMP) --set-section-flags .wallwright=noload,readonly $@

%.hex: %.elf
	$(AVR_OBJCOPY) -O ihex -R .eeprom -R .mmcu -R .wallwright $< $@

size: $(AVR_ELF)
	$(PYTHON) stack.py $(AVR_ELF) $(AVR_BUILD) --flash $(AVR_FLASH_LIMIT) --static $(AVR_RAM_LIMIT) --ram $(AVR_RAM)

flash: $(AVR_ELF:.elf=.hex)
	$(AVRDUDE) -p atmega2560 -c wiring -P $(SERIAL) -b 115200 -D -U flash:w:$<:i

fuses:
	$(AVRDUDE) -p atmega2560 -c $(PROGRAMMER) -U lfuse:w:0xFF:m -U hfuse:w:0xD0:m -U efuse:w:0xFD:m -U lock:w:0x0F:m

# A cycle-exact simulated processor, as a library for firmware_bridge/sim/processors/processor.py.
simavr: $(BUILD_DIR)/libwallwright_simavr.so

$(BUILD_DIR)/libwallwright_simavr.so: $(wildcard simavr/*.c simavr/*.h)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -flto -fvisibility=hidden -Wall -Wextra -Werror -shared -fPIC \
		-isystem /usr/include/simavr $(filter %.c,$^) -lsimavr -o $@

-include $(AVR_OBJECTS:.o=.d)
