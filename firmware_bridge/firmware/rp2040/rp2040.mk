# The firmware for the Raspberry Pi Pico (RP2040): `make rp2040` builds build/wallwright-rp2040.elf and
# .bin, the image that is written to the start of the flash. firmware_bridge/commissioning makes the
# .uf2 file of it. The compiler and its C library are Debian's gcc-arm-none-eabi and
# picolibc-arm-none-eabi; nothing of the Pico SDK is used.
ARM_CC ?= arm-none-eabi-gcc
ARM_OBJCOPY ?= arm-none-eabi-objcopy

RP2040_BUILD = $(BUILD_DIR)/rp2040
RP2040_ELF = $(BUILD_DIR)/wallwright-rp2040.elf
RP2040_SOURCES = $(CORE) $(sort $(wildcard rp2040/*.c)) rp2040/boot2.S
RP2040_OBJECTS = $(patsubst %,$(RP2040_BUILD)/%.o,$(RP2040_SOURCES))
RP2040_CHIP = -mcpu=cortex-m0plus -mthumb --specs=picolibc.specs
RP2040_CFLAGS = $(RP2040_CHIP) $(WARNINGS) -O2 -g -ffunction-sections -fdata-sections -fno-common \
	-fshort-enums -fstack-usage -MMD -MP -I. -DCHIP_HEADER='"chips/rp2040.h"' -DSEGMENT_TICKS=2048u -DBUILD='"$(BUILD_BYTES)"'
RP2040_LDFLAGS = $(RP2040_CHIP) -nostartfiles -T rp2040/rp2040.ld -Wl,--gc-sections,--no-warn-rwx-segments

.PHONY: rp2040
rp2040: $(RP2040_ELF) $(RP2040_ELF:.elf=.bin)

# The start runs before the program is in RAM, so the compiler must not make calls of its loops.
$(RP2040_BUILD)/rp2040/start.c.o: RP2040_CFLAGS += -fno-tree-loop-distribute-patterns

$(RP2040_BUILD)/%.c.o: %.c $(STAMP)
	@mkdir -p $(@D)
	$(ARM_CC) $(RP2040_CFLAGS) -c $< -o $@

$(RP2040_BUILD)/%.S.o: %.S
	@mkdir -p $(@D)
	$(ARM_CC) $(RP2040_CHIP) -MMD -MP -c $< -o $@

$(RP2040_ELF): $(RP2040_OBJECTS) rp2040/rp2040.ld $(STAMP)
	$(ARM_CC) $(RP2040_LDFLAGS) $(RP2040_OBJECTS) -lm -o $@
	$(ARM_OBJCOPY) --add-section .wallwright=$(STAMP) --set-section-flags .wallwright=noload,readonly $@

# The ROM runs the second stage only if the last four of its 256 bytes are the CRC of the others. The
# board checks the CRC of the program.
$(RP2040_ELF:.elf=.bin): $(RP2040_ELF) program_crc.py
	$(ARM_OBJCOPY) -O binary -R .wallwright $< $@
	$(PYTHON) program_crc.py rp2040 $@ $(RP2040_ELF) $(ARM_OBJCOPY)

-include $(RP2040_OBJECTS:.o=.d)

# The emulated chip for the tests: rp2040js by npm, which checks the hash of the package. Node comes
# from Debian (nodejs and npm), or from nodejs.org; version 18 or newer.
.PHONY: rp2040js
rp2040js: $(BUILD_DIR)/rp2040js/installed

$(BUILD_DIR)/rp2040js/installed: $(wildcard rp2040js/*.mjs rp2040js/*.json)
	@mkdir -p $(@D)
	cp $^ $(@D)
	cd $(@D) && { [ -d node_modules ] && cmp -s package-lock.json .locked || \
		npm ci --ignore-scripts --no-audit --no-fund --silent; } && cp package-lock.json .locked
	@touch $@
