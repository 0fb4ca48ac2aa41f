/* Arduino Mega 2560: generated from config/boards/mega2560.yaml by `make docs`; a test checks that
 * it is current. */
#ifndef WALLWRIGHT_CHIP_MEGA2560_H
#define WALLWRIGHT_CHIP_MEGA2560_H

#define CHIP CHIP_MEGA2560
#define PINS 70u
#define AXES 3u
#define STEPS_A_SECOND 8000u
#define EMERGENCY_PIN 20u
#define CURTAIN_PIN 21u
#define MOTOR_CURRENT_PIN 69u
#define FIRST_ANALOG_PIN 54u
#define ANALOG_INPUTS 16u
#define ANALOG_FULL_MV 5000u
#define ANALOG_MOST_MV 4995u
#define MODULE_PORTS 3u
#define STORAGE_SIZE 4096u
#define STORAGE_CYCLES 100000u
#define SUPPLY_LOW_MV UINT32_C(4010)
#define REFERENCE_MV 1100u
#define REFERENCE_LEAST_MV 1000u
#define REFERENCE_MOST_MV 1200u

/* One bit for each pin, the lowest bit first: the pins that a table can use as
 * outputs, as inputs, and as analogue inputs. */
#define OUTPUT_PINS {0xFC, 0xFF, 0xCF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F}
#define INPUT_PINS {0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F}
#define ANALOG_PINS {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xC0, 0xFF, 0x1F}

#endif
