/* Raspberry Pi Pico: generated from config/boards/rp2040.yaml by `make docs`; a test checks that
 * it is current. */
#ifndef WALLWRIGHT_CHIP_RP2040_H
#define WALLWRIGHT_CHIP_RP2040_H

#define CHIP CHIP_RP2040
#define PINS 30u
#define AXES 3u
#define STEPS_A_SECOND 8000u
#define EMERGENCY_PIN 20u
#define CURTAIN_PIN 21u
#define MOTOR_CURRENT_PIN 28u
#define FIRST_ANALOG_PIN 26u
#define ANALOG_INPUTS 3u
#define ANALOG_FULL_MV 3300u
#define ANALOG_MOST_MV 3299u
#define MODULE_PORTS 1u
#define STORAGE_SIZE 4096u
#define STORAGE_CYCLES 100000u
#define SUPPLY_LOW_MV UINT32_C(3700)

/* One bit for each pin, the lowest bit first: the pins that a table can use as
 * outputs, as inputs, and as analogue inputs. */
#define OUTPUT_PINS {0xFC, 0xFF, 0x4F, 0x0E}
#define INPUT_PINS {0xFC, 0xFF, 0x7F, 0x0C}
#define ANALOG_PINS {0x00, 0x00, 0x00, 0x0C}

#endif
