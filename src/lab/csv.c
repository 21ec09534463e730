#include "lab/csv.h"

static bool looks_like_formula(struct str s)
{
    return s.len && strchr("=+-@\t\r", s.p[0]);
}

void csv_field(struct buf *out, struct str s)
{
    buf_addc(out, '"');
    if (looks_like_formula(s))
        buf_addc(out, '\'');
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '"')
            buf_addc(out, '"');
        buf_addc(out, s.p[i]);
    }
    buf_addc(out, '"');
}
