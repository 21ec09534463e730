#include "robots/decimal.h"

int64_t decimal_millionths(struct str s)
{
    int64_t value = 0, unit = 1000000;
    bool after_point = false;
    size_t digits = 0;

    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '.' && !after_point) {
            after_point = true;
            continue;
        }
        if (!ascii_is_digit(s.p[i]))
            return -1;
        digits++;
        if (after_point)
            value += (unit /= 10) * (s.p[i] - '0'); /* beyond the sixth place: nothing */
        else if ((value = value * 10 + (s.p[i] - '0') * unit) > DECIMAL_MAX)
            value = DECIMAL_MAX;
    }
    if (!digits)
        return -1;
    return value < DECIMAL_MAX ? value : DECIMAL_MAX;
}
