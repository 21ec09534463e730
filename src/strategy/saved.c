#include "strategy/saved.h"

#include <math.h>
#include <stdlib.h>

enum { LENGTH = 8, MEANING_MAX = 255 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays of numbers are written as they lie in memory");

/* ---- states ---- */

scent_status saved_open(const char *of, unsigned version, struct str blob, struct bytes *in, struct errmsg *err)
{
    *in = bytes_of(blob);
    if (blob.len < 1 || bytes_get(in, 1) != version)
        return errmsg_fail(err, SCENT_E_VERSION, "the state of %s was written by another version of scent", of);
    return SCENT_OK;
}

scent_status saved_end(const char *of, struct bytes *in, struct errmsg *err)
{
    if (bytes_check(in, bytes_left(in) == 0, "it is longer than it says"))
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_FORMAT, "the state of %s is damaged, %s: begin the crawl anew", of, in->wrong);
}

void saved_put_array(struct buf *out, const void *numbers, size_t count, size_t size)
{
    if (count)
        buf_add(out, (struct str){numbers, count * size});
}

void saved_get_array(struct bytes *in, void *numbers, size_t count, size_t size)
{
    if (count == 0)
        return;
    memset(numbers, 0, count * size);
    if (!bytes_has(in, count, size))
        return;
    memcpy(numbers, in->p, count * size);
    in->p += count * size;
}

void *saved_take_array(struct bytes *in, uint64_t count, size_t size)
{
    void *numbers;

    if (!bytes_has(in, count, size))
        return NULL;
    numbers = malloc(count * size + 1);
    SCENT_BUG_IF(!numbers);
    saved_get_array(in, numbers, count, size);
    return numbers;
}

scent_status saved_put_part(saved_write *write, void *state, struct buf *out)
{
    size_t at = out->len;
    uint64_t length;

    bytes_put(out, 0, LENGTH);
    SCENT_TRY(write ? write(state, out) : SCENT_OK);
    if (out->failed)
        return SCENT_E_NOMEM;
    length = out->len - at - LENGTH;
    for (int i = 0; i < LENGTH; i++)
        out->p[at + (size_t)i] = (char)(length >> 8 * i);
    return SCENT_OK;
}

struct str saved_get_part(struct bytes *in)
{
    return bytes_get_str(in, LENGTH, SIZE_MAX);
}

/* ---- what was learned ---- */

double saved_round(double count)
{
    return rint(count * 0x1p20) * 0x1p-20;
}

double saved_weigh(double count, double weight)
{
    return weight == rint(weight) ? count * weight : rint(count * weight * 0x1p30) * 0x1p-30;
}

/* Twice a whole number; 1 says that a double follows. */
void saved_put_count(struct buf *out, double count)
{
    if (count == floor(count)) {
        bytes_put_varint(out, (uint64_t)count * 2);
        return;
    }
    bytes_put_varint(out, 1);
    bytes_put_double(out, count);
}

bool saved_is_count(double count)
{
    return count >= 0 && count <= SAVED_COUNT_MAX;
}

double saved_get_count(struct bytes *in)
{
    uint64_t twice = bytes_get_varint(in);
    double count = (double)(twice / 2);

    if (twice % 2) {
        bytes_check(in, twice == 1, "a count is out of range");
        count = bytes_get_double(in);
    }
    return bytes_check(in, saved_is_count(count), "a count is out of range") ? count : 0;
}

void saved_begin_learned(struct buf *out, unsigned version, const char *meaning)
{
    bytes_put(out, version, 1);
    bytes_put_str(out, str_of(meaning), 1);
}

scent_status saved_open_learned(const char *strategy, unsigned version, const char *meaning, struct bytes *in,
                                struct errmsg *err)
{
    unsigned got = (unsigned)bytes_get(in, 1);
    struct str with = STR_NONE;

    if (!in->wrong && got != version)
        return errmsg_fail(err, SCENT_E_VERSION,
                           "what %s learned there has version %u, this program reads version %u; crawl again with this "
                           "one", strategy, got, version);
    with = bytes_get_str(in, 1, MEANING_MAX);
    if (in->wrong)
        return saved_end_learned(strategy, in, err);
    if (!str_eq(with, str_of(meaning)))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s learned there with %.*s and is to crawl here with %s: use the same", strategy,
                           STR_ARG(with), meaning);
    return SCENT_OK;
}

scent_status saved_end_learned(const char *strategy, struct bytes *in, struct errmsg *err)
{
    if (bytes_check(in, bytes_left(in) == 0, "it is longer than it says"))
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_FORMAT, "what %s learned there cannot be used: %s", strategy, in->wrong);
}
