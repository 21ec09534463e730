#include "strategy/counts.h"

#include <math.h>

enum { MEANING_MAX = 255 };

/* Twice a whole number; 1 says that a double follows. */
void counts_put(struct buf *out, double count)
{
    if (count == floor(count)) {
        bytes_put_varint(out, (uint64_t)count * 2);
        return;
    }
    bytes_put_varint(out, 1);
    bytes_put_double(out, count);
}

double counts_get(struct bytes *in)
{
    uint64_t twice = bytes_get_varint(in);
    double count = (double)(twice / 2);

    if (twice % 2) {
        bytes_check(in, twice == 1, "a count is out of range");
        count = bytes_get_double(in);
    }
    return bytes_check(in, count >= 0 && count <= COUNTS_MAX, "a count is out of range") ? count : 0;
}

void counts_put_head(struct buf *out, unsigned version, const char *meaning)
{
    bytes_put(out, version, 1);
    bytes_put_str(out, str_of(meaning), 1);
}

scent_status counts_get_head(struct bytes *in, const char *strategy, unsigned version, const char *meaning,
                             struct errmsg *err)
{
    unsigned got = (unsigned)bytes_get(in, 1);
    struct str with = STR_NONE;

    if (!in->wrong && got != version)
        return errmsg_fail(err, SCENT_E_VERSION,
                           "what %s learned there has version %u, this program reads version %u; crawl again with this one",
                           strategy, got, version);
    with = bytes_get_str(in, 1, MEANING_MAX);
    if (in->wrong)
        return counts_end(in, strategy, err);
    if (!str_eq(with, str_of(meaning)))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s learned there with %.*s and is to crawl here with %s: use the same", strategy,
                           STR_ARG(with), meaning);
    return SCENT_OK;
}

scent_status counts_end(struct bytes *in, const char *strategy, struct errmsg *err)
{
    if (bytes_check(in, bytes_left(in) == 0, "it is longer than it says"))
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_FORMAT, "what %s learned there cannot be used: %s", strategy, in->wrong);
}
