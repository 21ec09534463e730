/* Little-endian numbers and strings with lengths, written and read back with every bound checked. */
#include "base/bytes.h"

#include "base/file.h"
#include "base/hash.h"

#include <endian.h>
#include <math.h>
#include <unistd.h>

enum { VARINT_BITS = 7, VARINT_MORE = 0x80 };

/* ---- writing ---- */

void bytes_put(struct buf *out, uint64_t value, int size)
{
    value = htole64(value);
    buf_add(out, (struct str){(const char *)&value, (size_t)size});
}

void bytes_put_double(struct buf *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    bytes_put(out, bits, 8);
}

void bytes_put_float(struct buf *out, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    bytes_put(out, bits, 4);
}

void bytes_put_varint(struct buf *out, uint64_t value)
{
    for (; value >= VARINT_MORE; value >>= VARINT_BITS)
        buf_addc(out, (char)(value | VARINT_MORE));
    buf_addc(out, (char)value);
}

void bytes_put_str(struct buf *out, struct str s, int size)
{
    SCENT_BUG_IF(size < 8 && s.len >> (8 * size)); /* its length would be cut off */
    bytes_put(out, s.len, size);
    buf_add(out, s);
}

/* ---- reading ---- */

struct bytes bytes_of(struct str s)
{
    const unsigned char *p = (const unsigned char *)(s.p ? s.p : "");

    return (struct bytes){p, p + s.len, NULL};
}

size_t bytes_left(const struct bytes *in)
{
    return (size_t)(in->end - in->p);
}

bool bytes_check(struct bytes *in, bool holds, const char *wrong)
{
    if (!holds && !in->wrong)
        in->wrong = wrong;
    return !in->wrong;
}

bool bytes_has(struct bytes *in, uint64_t count, size_t size)
{
    return bytes_check(in, count <= bytes_left(in) / size, "it is shorter than it says");
}

uint64_t bytes_get(struct bytes *in, int size)
{
    uint64_t value = 0;

    if (!bytes_has(in, (uint64_t)size, 1))
        return 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)in->p[i] << (8 * i);
    in->p += size;
    return value;
}

double bytes_get_double(struct bytes *in)
{
    uint64_t bits = bytes_get(in, 8);
    double value;

    memcpy(&value, &bits, sizeof value);
    return bytes_check(in, isfinite(value), "a number is out of range") ? value : 0;
}

float bytes_get_float(struct bytes *in)
{
    uint32_t bits = (uint32_t)bytes_get(in, 4);
    float value;

    memcpy(&value, &bits, sizeof value);
    return bytes_check(in, isfinite(value), "a number is out of range") ? value : 0;
}

uint64_t bytes_get_varint(struct bytes *in)
{
    uint64_t value = 0, part;
    int shift = 0;

    do {
        part = bytes_get(in, 1);
        /* The tenth byte holds one bit, and a last byte of 0 would be a second way to write a number. */
        if (!bytes_check(in, (shift < 63 || part <= 1) && (shift == 0 || part), "a number is out of range"))
            return 0;
        value |= (part & (VARINT_MORE - 1)) << shift;
        shift += VARINT_BITS;
    } while (part & VARINT_MORE);
    return value;
}

struct str bytes_get_str(struct bytes *in, int size, size_t max)
{
    size_t len = bytes_get(in, size);
    struct str s = {(const char *)in->p, len};

    if (!bytes_check(in, len <= max && len <= bytes_left(in), "a name is longer than it may be"))
        return STR_NONE;
    in->p += len;
    return s;
}

enum { PIECE = 256 << 10 };

/* ---- frames: magic, version and checksum around the content of a file ---- */

size_t frame_begin(const struct frame *frame, struct buf *out)
{
    size_t begin = out->len;

    buf_add(out, (struct str){frame->magic, FRAME_MAGIC});
    bytes_put(out, frame->version, 4);
    return begin;
}

scent_status frame_end(const struct frame *frame, struct buf *out, size_t begin)
{
    if (!out->failed)
        bytes_put(out, hash_bytes(out->p + begin, out->len - begin, frame->seed), FRAME_TAIL);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static bool is_whole(const struct frame *frame, struct str file)
{
    struct bytes tail = bytes_of(str_sub(file, file.len - FRAME_TAIL, file.len));

    return bytes_get(&tail, FRAME_TAIL) == hash_bytes(file.p, file.len - FRAME_TAIL, frame->seed);
}

/* Appends the first bytes to `out`; *whole where the checksum at the end is that of all before it. */
static scent_status sum_up(const struct frame *frame, const char *path, struct buf *out, bool *whole,
                           struct errmsg *err)
{
    struct hash_stream *sum = NULL;
    scent_status status;
    struct bytes tail;
    struct buf piece; /* what has been read and not summed up: at its end perhaps the checksum */
    size_t got = 1, total = 0;
    int fd;

    *whole = false;
    SCENT_TRY(file_open(path, FILE_REGULAR, &fd, err));
    buf_init(&piece, 0);
    status = buf_reserve(&piece, PIECE + FRAME_TAIL) ? SCENT_OK : errmsg_no_memory(err);
    while (status == SCENT_OK && (status = file_take(fd, path, piece.p + piece.len, PIECE, &got, err)) == SCENT_OK) {
        size_t ready;

        piece.len += got;
        total += got;
        if (total > out->cap)
            status = errmsg_fail(err, SCENT_E_LIMIT, "%s is larger than %zu MiB", path, out->cap >> 20);
        if (!sum) {
            if (!buf_add(out, buf_str(&piece)) || !str_starts(buf_str(&piece), (struct str){frame->magic, FRAME_MAGIC}))
                break;
            sum = hash_stream_new(frame->seed);
        }
        if (got == 0)
            break;
        ready = piece.len > FRAME_TAIL ? piece.len - FRAME_TAIL : 0;
        hash_stream_add(sum, str_sub(buf_str(&piece), 0, ready));
        memmove(piece.p, piece.p + ready, piece.len - ready);
        piece.len -= ready;
    }
    close(fd);
    tail = bytes_of(buf_str(&piece));
    if (sum) {
        uint64_t hash = hash_stream_end(sum);

        *whole = status == SCENT_OK && bytes_get(&tail, FRAME_TAIL) == hash && !tail.wrong;
    }
    buf_release(&piece);
    return status;
}

scent_status frame_load(const struct frame *frame, const char *path, struct buf *out, struct errmsg *err)
{
    size_t begin = out->len;
    bool whole;

    SCENT_TRY(sum_up(frame, path, out, &whole, err));
    if (!whole)
        return SCENT_OK;
    out->len = begin;
    return file_read(path, out, err);
}

scent_status frame_open(const struct frame *frame, struct str file, const char *name, struct bytes *in,
                        struct errmsg *err)
{
    uint32_t version;

    *in = bytes_of(file);
    if (!str_starts(file, (struct str){frame->magic, FRAME_MAGIC}))
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: this is not a %s of scent; %s", name, frame->thing,
                           frame->foreign);
    in->p += FRAME_MAGIC;
    version = (uint32_t)bytes_get(in, 4);
    if (!in->wrong && version != frame->version)
        return errmsg_fail(err, SCENT_E_VERSION, "%s: the %s has version %u, this program reads version %u; %s%s", name,
                           frame->thing, version, frame->version,
                           version > frame->version ? "use a newer scent, or " : "", frame->again);
    if (file.len < FRAME_HEAD + FRAME_TAIL)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: the %s is cut off after %zu bytes; %s", name, frame->thing,
                           file.len, frame->again);
    if (!is_whole(frame, file))
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: the %s is damaged or cut off (its checksum is wrong); %s", name,
                           frame->thing, frame->again);
    in->end -= FRAME_TAIL;
    return SCENT_OK;
}

scent_status frame_close(const struct frame *frame, struct bytes *in, const char *name, struct errmsg *err)
{
    if (bytes_check(in, bytes_left(in) == 0, "it is longer than it says"))
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_FORMAT, "%s: the %s cannot be used: %s; %s", name, frame->thing, in->wrong,
                       frame->again);
}
