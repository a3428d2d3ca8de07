/* half.h - numbers of half precision, IEEE 754 binary16. */
#ifndef SUSTAIN_CORE_HALF_H
#define SUSTAIN_CORE_HALF_H

#include <stdint.h>
#include <string.h>

static inline float sustain__from_half(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
    if (exponent == 0) {
        const float value = (float)fraction * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    const uint32_t bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
