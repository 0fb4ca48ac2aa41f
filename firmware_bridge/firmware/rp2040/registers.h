/* The registers of the RP2040 that the port uses, by the names and numbers of its datasheet.
 *
 * A peripheral's register has three aliases, which change single bits in one bus access: at +0x1000
 * a write inverts the bits that are one, at +0x2000 it sets them, at +0x3000 it clears them. */
#ifndef WALLWRIGHT_RP2040_REGISTERS_H
#define WALLWRIGHT_RP2040_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __arm__
#define REGISTER(address) (*(volatile uint32_t *)(address))
#else /* on this computer, for tests: host/pico */
volatile uint32_t *register_at(uint32_t address);
#define REGISTER(address) (*register_at(address))
#endif
#define SET_ALIAS 0x2000u
#define CLEAR_ALIAS 0x3000u
#define BIT(number) (UINT32_C(1) << (number))

static inline void register_set(uint32_t address, uint32_t bits) {
    REGISTER(address + SET_ALIAS) = bits;
}

static inline void register_clear(uint32_t address, uint32_t bits) {
    REGISTER(address + CLEAR_ALIAS) = bits;
}

/* 2.14 Resets: one bit for each peripheral */
#define RESETS_RESET 0x4000C000u
#define RESETS_DONE 0x4000C008u
#define RESET_ADC BIT(0)
#define RESET_IO_BANK0 BIT(5)
#define RESET_PADS_BANK0 BIT(8)
#define RESET_PLL_SYS BIT(12)
#define RESET_PLL_USB BIT(13)
#define RESET_TIMER BIT(21)
#define RESET_UART0 BIT(22)
#define RESET_UART1 BIT(23)
#define RESET_USBCTRL BIT(24)

/* 2.15 Clocks */
#define CLK_REF_CTRL 0x40008030u
#define CLK_REF_SELECTED 0x40008038u
#define CLK_SYS_CTRL 0x4000803Cu
#define CLK_SYS_SELECTED 0x40008044u
#define CLK_PERI_CTRL 0x40008048u
#define CLK_USB_CTRL 0x40008054u
#define CLK_ADC_CTRL 0x40008060u
#define CLK_ENABLE BIT(11)
#define REF_FROM_XOSC 2u
#define SYS_FROM_AUX 1u /* of which the reset value is PLL_SYS */

/* 2.16 Crystal oscillator */
#define XOSC_CTRL 0x40024000u
#define XOSC_STATUS 0x40024004u
#define XOSC_STARTUP 0x4002400Cu
#define XOSC_1_TO_15_MHZ 0xAA0u
#define XOSC_ENABLE (0xFABu << 12)
#define XOSC_STABLE BIT(31)

/* 2.18 PLLs; offsets from the base */
#define PLL_SYS 0x40028000u
#define PLL_USB 0x4002C000u
#define PLL_CS 0x0u
#define PLL_PWR 0x4u
#define PLL_FBDIV 0x8u
#define PLL_PRIM 0xCu
#define PLL_LOCK BIT(31)
#define PLL_PD BIT(0)
#define PLL_POSTDIVPD BIT(3)
#define PLL_VCOPD BIT(5)

/* 2.19 GPIO: functions, interrupts, pads */
#define IO_STATUS(pin) (0x40014000u + 8u * (pin))
#define IO_CTRL(pin) (0x40014004u + 8u * (pin))
#define IO_INTR(group) (0x400140F0u + 4u * (group)) /* a group has eight pins, four bits each */
#define IO_INTE(group) (0x40014100u + 4u * (group))
#define IO_INTS(group) (0x40014120u + 4u * (group))
#define IO_GROUPS 4u
#define IO_BOTH_EDGES 0xCu
#define FUNCTION_UART 2u
#define FUNCTION_SIO 5u
#define FUNCTION_NONE 31u
#define PAD(pin) (0x4001C004u + 4u * (pin))
#define PAD_SCHMITT BIT(1)
#define PAD_PULL_DOWN BIT(2)
#define PAD_PULL_UP BIT(3)
#define PAD_DRIVE_4_MA (1u << 4)
#define PAD_INPUT BIT(6)
#define PAD_OUTPUT_OFF BIT(7)

/* 2.3.1 SIO: levels and directions of all pins, one bit each, in one cycle */
#define SIO_IN 0xD0000004u
#define SIO_OUT 0xD0000010u
#define SIO_OUT_SET 0xD0000014u
#define SIO_OUT_CLEAR 0xD0000018u
#define SIO_DRIVE_SET 0xD0000024u
#define SIO_DRIVE_CLEAR 0xD0000028u

/* 2.13, 4.7 Reset causes and watchdog */
#define CHIP_RESET 0x40064008u
#define HAD_RUN_PIN BIT(16)
#define PSM_WDSEL 0x40010008u
#define PSM_ALL_BUT_OSCILLATORS 0x1FFFCu
#define WATCHDOG_CTRL 0x40058000u
#define WATCHDOG_LOAD 0x40058004u
#define WATCHDOG_REASON 0x40058008u
#define WATCHDOG_SCRATCH0 0x4005800Cu
#define WATCHDOG_TICK 0x4005802Cu
#define WATCHDOG_ENABLE BIT(30)
#define WATCHDOG_TICK_ENABLE BIT(9)

/* 4.6 Timer, of whole microseconds */
#define TIMER_RAW_LOW 0x40054028u
#define TIMER_ALARM(alarm) (0x40054010u + 4u * (alarm))
#define TIMER_ARMED 0x40054020u
#define TIMER_INTR 0x40054034u
#define TIMER_INTE 0x40054038u

/* 4.1 USB: the controller's memory, whose words describe the endpoints, and its registers */
#define USB_MEMORY 0x50100000u
#define USB_MEMORY_SIZE 4096u
#define USB_SETUP USB_MEMORY /* the eight bytes of the last setup packet */
#define USB_IN_CONTROL(endpoint) (USB_MEMORY + 8u * (endpoint)) /* of endpoints 1 to 15 */
#define USB_OUT_CONTROL(endpoint) (USB_MEMORY + 8u * (endpoint) + 4u)
#define USB_ENDPOINT_ENABLE BIT(31)
#define USB_ENDPOINT_EACH_BUFFER BIT(29) /* sets the bit of USB_BUFFERS after each packet */
#define USB_ENDPOINT_TYPE(type) ((uint32_t)(type) << 26)
#define USB_IN_BUFFER(endpoint) (USB_MEMORY + 0x80u + 8u * (endpoint))
#define USB_OUT_BUFFER(endpoint) (USB_MEMORY + 0x84u + 8u * (endpoint))
#define USB_BUFFER_FULL BIT(15)
#define USB_BUFFER_DATA1 BIT(13)
#define USB_BUFFER_STALL BIT(11)
#define USB_BUFFER_AVAILABLE BIT(10) /* to the controller */
#define USB_BUFFER_LENGTH 0x3FFu
#define USB_CONTROL_DATA (USB_MEMORY + 0x100u) /* both directions of endpoint 0 */
#define USB_ADDRESS 0x50110000u
#define USB_MAIN 0x50110040u
#define USB_MAIN_ENABLE BIT(0)
#define USB_FRAME 0x50110048u /* the number of the last frame of the bus, of 11 bits */
#define USB_LINE 0x5011004Cu
#define USB_LINE_CONTROL_BUFFERS BIT(29) /* also endpoint 0 sets its bits of USB_BUFFERS */
#define USB_LINE_PULL_UP BIT(16)
#define USB_STATUS 0x50110050u
#define USB_STATUS_BUS_RESET BIT(19)
#define USB_STATUS_SETUP BIT(17)
#define USB_STATUS_SUSPENDED BIT(4)
#define USB_BUFFERS 0x50110058u /* the endpoints whose buffer the controller has given back */
#define USB_BUFFERS_IN(endpoint) BIT(2u * (endpoint))
#define USB_BUFFERS_OUT(endpoint) BIT(2u * (endpoint) + 1u)
#define USB_STALL_ARM 0x50110068u
#define USB_STALL_CONTROL 3u /* both directions of endpoint 0, until the next setup packet */
#define USB_MUXING 0x50110074u
#define USB_MUXING_TO_PHY BIT(0)
#define USB_MUXING_CONNECTED BIT(3)
#define USB_POWER 0x50110078u
#define USB_POWER_DETECTED BIT(3) /* the chip has no pin of its own for the host's voltage */
#define USB_POWER_OVERRIDE BIT(2)

/* 4.2 UARTs; offsets from the base */
#define UART0 0x40034000u
#define UART1 0x40038000u
#define UART_DR 0x00u
#define UART_FR 0x18u
#define UART_IBRD 0x24u
#define UART_FBRD 0x28u
#define UART_LCR_H 0x2Cu
#define UART_CR 0x30u
#define UART_IMSC 0x38u
#define UART_ICR 0x44u
#define UART_8_BITS (3u << 5)
#define UART_ON (BIT(0) | BIT(8) | BIT(9))
#define UART_BUSY BIT(3)
#define UART_RX_EMPTY BIT(4)
#define UART_TX_FULL BIT(5)
#define UART_RX_INTERRUPT BIT(4)
#define UART_TX_INTERRUPT BIT(5)

/* 4.9 Analogue-to-digital converter */
#define ADC_CS 0x4004C000u
#define ADC_RESULT 0x4004C004u
#define ADC_ENABLE BIT(0)
#define ADC_START BIT(2)
#define ADC_READY BIT(8)
#define ADC_INPUT(input) ((uint32_t)(input) << 12)

/* 4.10 Flash interface, and the chip select of the flash */
#define SSI_CTRLR0 0x18000000u
#define SSI_CTRLR1 0x18000004u
#define SSI_ENABLE 0x18000008u
#define SSI_BAUDR 0x18000014u
#define SSI_SR 0x18000028u
#define SSI_DR0 0x18000060u
#define SSI_SPI_CTRLR0 0x180000F4u
#define SSI_TX_NOT_FULL BIT(1)
#define SSI_TX_EMPTY BIT(2)
#define SSI_RX_NOT_EMPTY BIT(3)
#define FLASH_SELECT_CTRL 0x4001800Cu
#define OUTPUT_LOW (2u << 8)
#define OUTPUT_HIGH (3u << 8)

/* The processor's interrupts: 0 to 25 are wired to peripherals; 26 to 31 exist, but are wired to
 * nothing, and a program can raise them. */
#define NVIC_ENABLE 0xE000E100u
#define NVIC_DISABLE 0xE000E180u
#define NVIC_RAISE 0xE000E200u
#define NVIC_UNRAISE 0xE000E280u
#define NVIC_PRIORITY 0xE000E400u /* a byte each, of which bits 6 and 7 count; 0 is the highest */
#define VECTOR_TABLE 0xE000ED08u
enum interrupt {
    IRQ_TIMER0 = 0,
    IRQ_TIMER1 = 1,
    IRQ_TIMER2 = 2,
    IRQ_IO_BANK0 = 13,
    IRQ_UART0 = 20,
    IRQ_UART1 = 21,
    IRQ_RESAMPLE = 26,
    IRQ_REFLEX = 27,
};

/* Locks out every interrupt for some instructions; returns what `unmask` needs. */
#ifdef __arm__
static inline uint32_t mask(void) {
    uint32_t before;
    __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(before)::"memory");
    return before;
}

static inline void unmask(uint32_t before) {
    __asm__ volatile("msr primask, %0" ::"r"(before) : "memory");
}
#else
static inline uint32_t mask(void) {
    return 0;
}

static inline void unmask(uint32_t before) {
    (void)before;
}
#endif

/* 2.15.4 Frequency counter */
#define FC0_MIN_KHZ 0x40008084u
#define FC0_MAX_KHZ 0x40008088u
#define FC0_SRC 0x40008094u
#define FC0_STATUS 0x40008098u
#define FC0_RESULT 0x4000809Cu
#define FC0_REF_KHZ 0x40008080u
#define FC0_ROSC 3u
#define FC0_DONE BIT(4)
#define FC0_FRACTION_BITS 5u

/* Cortex-M0+: the timer of the processor's clock, and its priority */
#define SYSTICK_CONTROL 0xE000E010u
#define SYSTICK_RELOAD 0xE000E014u
#define SYSTICK_VALUE 0xE000E018u
#define SYSTICK_PRIORITY 0xE000ED20u /* the upper two bits */
#define SYSTICK_RUNS 7u /* with the processor's clock, and with its interrupt */

#endif
