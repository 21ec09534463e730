/* Magic, version and checksum around the content of a file. */
#include "base/frame.h"

#include "base/hash.h"

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
