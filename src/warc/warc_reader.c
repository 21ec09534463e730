/* From one record to the next, through whatever lies between them. Every step takes at least a byte off the source, so
 * that no input can hold it up. */
#include "warc/warc.h"

#include "warc/warc_parts.h"

#include <stdlib.h>

enum {
    LOOK_AHEAD = 64 * 1024, /* a window for searches */
    RECORD_END = 4          /* CR LF CR LF behind a record */
};

struct warc_reader {
    struct source *source;
    struct buf payload; /* a dechunked body */
    uint64_t skip;      /* what is left of a record that was too long */
    bool lost;          /* the next record must be searched for */
    bool told;          /* the damage at which the source stopped has been reported */
    bool any, trouble;  /* a record was found; something was not one */
    bool sought;        /* it was not read from its start */
};

/* A record being read: what is known of it before its strings can be taken from the window. */
struct frame {
    enum record_kind kind;
    struct source_mark mark;
    size_t header_len, block_len; /* in the window */
    uint64_t announced;           /* what the header says of the block */
    const char *damage;
};

static bool is_packed(const struct warc_reader *reader)
{
    return source_form(reader->source).packing != WARC_PLAIN;
}

static bool is_damage(enum source_stop stop)
{
    return stop == SOURCE_DAMAGED || stop == SOURCE_CUT;
}

static const char *damage_name(enum source_stop stop)
{
    if (stop == SOURCE_DAMAGED)
        return "damaged compressed data";
    return stop == SOURCE_CUT ? "the file ends inside a compressed record" : "shorter than announced";
}

/* ---- moving over is not a record ---- */

/* To the next member after the end of one, or after damage. */
static scent_status cross(struct warc_reader *reader, enum source_stop stop, struct errmsg *err)
{
    if (stop == SOURCE_END)
        return SCENT_E_END;
    if (stop == SOURCE_MEMBER_END)
        return source_next_member(reader->source, err);
    reader->told = false;
    return source_resync(reader->source, err);
}

/* Empty lines between records; across members. SCENT_E_FORMAT: damage that has not been reported yet. */
static scent_status skip_empty_lines(struct warc_reader *reader, struct errmsg *err)
{
    for (;;) {
        struct str bytes;
        enum source_stop stop;
        size_t n = 0;

        SCENT_TRY(source_peek(reader->source, 1, &bytes, &stop, err));
        while (n < bytes.len && (bytes.p[n] == '\r' || bytes.p[n] == '\n'))
            n++;
        source_skip(reader->source, n);
        if (n < bytes.len)
            return SCENT_OK;
        if (bytes.len)
            continue;
        if (is_damage(stop) && !reader->told)
            return SCENT_E_FORMAT;
        SCENT_TRY(cross(reader, stop, err));
    }
}

/* The rest of a record that was too long to hold. It does not go beyond its member if a record begins there. */
static scent_status skip_rest(struct warc_reader *reader, struct errmsg *err)
{
    if (reader->skip && !is_packed(reader)) {
        source_seek(reader->source, source_at(reader->source).offset + reader->skip);
        reader->skip = 0;
    }
    while (reader->skip) {
        struct str bytes;
        enum source_stop stop;
        size_t n;

        SCENT_TRY(source_peek(reader->source, 1, &bytes, &stop, err));
        if (bytes.len == 0) {
            if (stop != SOURCE_MEMBER_END)
                break;
            SCENT_TRY(source_next_member(reader->source, err));
            SCENT_TRY(source_peek(reader->source, LOOK_AHEAD, &bytes, &stop, err));
            if (record_begins(bytes) != RECORD_NONE)
                break;
        }
        n = reader->skip < bytes.len ? (size_t)reader->skip : bytes.len;
        source_skip(reader->source, n);
        reader->skip -= n;
    }
    reader->skip = 0;
    return SCENT_OK;
}

/* To the next line with which a record begins. SCENT_E_END: there is none. */
static scent_status search(struct warc_reader *reader, struct errmsg *err)
{
    bool fresh = false; /* at the first byte of a member, which may begin a record */
    uint64_t passed = 0;

    for (;;) {
        struct str bytes;
        enum source_stop stop;
        size_t at;

        SCENT_TRY(source_peek(reader->source, LOOK_AHEAD, &bytes, &stop, err));
        at = fresh && record_begins(bytes) != RECORD_NONE ? 0 : record_find(bytes, 0);
        if (at < bytes.len) {
            source_skip(reader->source, at);
            reader->lost = false;
            return SCENT_OK;
        }
        passed += bytes.len;
        if (passed > 2 * SOURCE_SEARCH_MAX) /* windows overlap by half */
            return SCENT_E_END;
        fresh = stop != SOURCE_ENOUGH;
        /* Half of a full window is kept: it may end within a header line. */
        source_skip(reader->source, fresh ? bytes.len : bytes.len - LOOK_AHEAD / 2);
        if (fresh)
            SCENT_TRY(cross(reader, stop, err));
    }
}

/* ---- one record ---- */

/* At least `want` bytes where they can be had. A record may go on in the next member, if none begins there. */
static scent_status gather(struct warc_reader *reader, size_t want, struct str *bytes, enum source_stop *stop,
                           struct errmsg *err)
{
    scent_status status = source_peek(reader->source, want, bytes, stop, err);

    while (status == SCENT_OK && *stop == SOURCE_MEMBER_END) {
        size_t had = bytes->len;

        SCENT_TRY(source_next_member(reader->source, err));
        SCENT_TRY(source_peek(reader->source, had + LOOK_AHEAD, bytes, stop, err));
        if (record_begins(str_sub(*bytes, had, bytes->len)) != RECORD_NONE) {
            bytes->len = had;
            *stop = SOURCE_MEMBER_END;
            return SCENT_OK;
        }
        status = source_peek(reader->source, want, bytes, stop, err);
    }
    return status;
}

/* The header into the window. frame->kind is RECORD_NONE when there is none, header_len 0 when it has no end. */
static scent_status take_header(struct warc_reader *reader, struct frame *frame, struct errmsg *err)
{
    struct str bytes;
    enum source_stop stop;
    scent_status status = source_peek(reader->source, RECORD_HEADER_MAX, &bytes, &stop, err);

    frame->kind = record_begins(bytes);
    frame->header_len = record_header_len(frame->kind, bytes);
    if (status != SCENT_OK || frame->header_len || stop != SOURCE_MEMBER_END)
        return status;
    status = gather(reader, RECORD_HEADER_MAX, &bytes, &stop, err);
    frame->kind = record_begins(bytes);
    frame->header_len = record_header_len(frame->kind, bytes);
    return status;
}

/* Without the empty lines that end a record, one time. */
static size_t len_without_end(struct str block)
{
    static const struct str ends[] = {{"\r\n\r\n", 4}, {"\n\n", 2}, {"\r\n", 2}, {"\n", 1}};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_ends(block, ends[i]))
            return block.len - ends[i].len;
    return block.len;
}

/* Where the next record begins inside what was taken for this one's block, the block ends. */
static void cut_block(struct warc_reader *reader, struct frame *frame, struct str bytes)
{
    struct str taken = str_sub(bytes, 0, frame->header_len + frame->block_len);
    size_t at = record_find(taken, frame->header_len - 1);

    reader->lost = at == taken.len;
    if (!reader->lost)
        frame->block_len = len_without_end(str_sub(taken, frame->header_len, at));
}

/* A block without a stated length goes to the next record that can be seen. */
static scent_status take_unknown(struct warc_reader *reader, struct frame *frame, struct errmsg *err)
{
    struct str bytes;
    enum source_stop stop;
    scent_status status = source_peek(reader->source, frame->header_len + LOOK_AHEAD, &bytes, &stop, err);

    frame->damage = "no length";
    frame->block_len = bytes.len - frame->header_len;
    cut_block(reader, frame, bytes);
    return status;
}

static bool is_end_of_block(struct str rest)
{
    return rest.len == 0 || rest.p[0] == '\n' || rest.p[0] == '\r' || record_begins(rest) != RECORD_NONE;
}

/* What lies behind the block tells whether its length was right. */
static scent_status check_end(struct warc_reader *reader, struct frame *frame, struct errmsg *err)
{
    size_t taken = frame->header_len + frame->block_len;
    struct str bytes;
    enum source_stop stop;

    SCENT_TRY(source_peek(reader->source, taken + RECORD_END + 1, &bytes, &stop, err));
    if (!is_end_of_block(str_sub(bytes, taken, bytes.len))) {
        frame->damage = "wrong length";
        cut_block(reader, frame, bytes);
    } else if (is_damage(stop) && bytes.len <= taken + RECORD_END) {
        frame->damage = damage_name(stop);
        reader->told = true;
    }
    return SCENT_OK;
}

static scent_status take_block(struct warc_reader *reader, struct frame *frame, struct errmsg *err)
{
    bool too_long = frame->announced > WARC_BLOCK_MAX;
    size_t want = too_long ? WARC_BLOCK_MAX : (size_t)frame->announced;
    struct str bytes;
    enum source_stop stop;

    SCENT_TRY(gather(reader, frame->header_len + want, &bytes, &stop, err));
    frame->block_len = bytes.len - frame->header_len < want ? bytes.len - frame->header_len : want;
    if (frame->block_len < want) {
        frame->damage = damage_name(stop);
        reader->told = is_damage(stop);
        cut_block(reader, frame, bytes);
        if (reader->lost && stop == SOURCE_MEMBER_END) { /* it ends where the next member begins */
            reader->lost = false;
            frame->block_len = len_without_end(str_sub(bytes, frame->header_len, bytes.len));
        }
        return SCENT_OK;
    }
    if (!too_long)
        return check_end(reader, frame, err);
    frame->damage = "larger than 64 MiB";
    if (source_may_hold(reader->source, frame->header_len + frame->announced))
        reader->skip = frame->announced - want;
    else
        cut_block(reader, frame, bytes);
    return SCENT_OK;
}

/* Takes the record off the source; its bytes stay in the window. Tells how many bytes of the file it takes. */
static uint64_t consume(struct warc_reader *reader, const struct frame *frame, struct str *bytes)
{
    enum source_stop stop;
    struct source_mark after;
    size_t taken = frame->header_len + frame->block_len, n = 0;

    /* What was seen before is only looked at again: this reads nothing and cannot fail. */
    SCENT_BUG_IF(source_peek(reader->source, 0, bytes, &stop, NULL) != SCENT_OK);
    while (n < RECORD_END && taken + n < bytes->len && (bytes->p[taken + n] == '\r' || bytes->p[taken + n] == '\n'))
        n++;
    source_skip(reader->source, taken + n);
    after = source_at(reader->source);
    if (!is_packed(reader))
        return after.offset - frame->mark.offset;
    if (frame->mark.inner)
        return 0;
    if (taken + n == bytes->len)
        return source_file_offset(reader->source) - frame->mark.offset;
    return after.inner == 0 && after.offset > frame->mark.offset ? after.offset - frame->mark.offset : 0;
}

static scent_status deliver(struct warc_reader *reader, const struct frame *frame, struct warc_record *out,
                            struct errmsg *err)
{
    struct str bytes;
    uint64_t announced;
    scent_status status;

    out->offset = frame->mark.offset;
    out->inner = frame->mark.inner;
    out->length = consume(reader, frame, &bytes);
    record_parse(frame->kind, str_sub(bytes, 0, frame->header_len), out, &announced);
    out->whole = str_sub(bytes, 0, frame->header_len + frame->block_len);
    out->block = str_sub(out->whole, frame->header_len, out->whole.len);
    out->damage = frame->damage;
    out->damaged = frame->damage != NULL;
    status = record_split_http(out, &reader->payload);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "no memory for the body of %.*s", STR_ARG(out->url));
    if (frame->kind == RECORD_ARC && out->type == WARC_RESPONSE && out->block.len && out->http_head.len == 0)
        out->type = WARC_RESOURCE; /* dns: and the like */
    return SCENT_OK;
}

/* Something that is not a record: reported once, then searched through. */
static scent_status deliver_damage(struct warc_reader *reader, const struct frame *frame, const char *damage, bool lost,
                                   struct warc_record *out)
{
    out->offset = frame->mark.offset;
    out->inner = frame->mark.inner;
    out->damage = damage;
    out->damaged = true;
    reader->trouble = true;
    reader->lost = lost;
    return SCENT_OK;
}

/* A file that does not begin with a record may be a packed one whose first bytes are spoilt. *found: the source stands
 * at a later member that begins with one. (A plain file may hold bodies that are packed: they do not.) */
static scent_status try_packing(struct warc_reader *reader, enum warc_packing packing, bool *found, struct errmsg *err)
{
    struct str bytes = STR("");
    enum source_stop stop;
    scent_status status;

    source_set_packing(reader->source, packing);
    status = source_resync(reader->source, err);
    if (status == SCENT_OK)
        status = source_peek(reader->source, LOOK_AHEAD, &bytes, &stop, err);
    *found = status == SCENT_OK && record_begins(bytes) != RECORD_NONE;
    if (!*found)
        source_set_packing(reader->source, WARC_PLAIN);
    return status == SCENT_E_END ? SCENT_OK : status;
}

static scent_status deliver_garbage(struct warc_reader *reader, const struct frame *frame, struct warc_record *out,
                                    struct errmsg *err)
{
    const char *damage = frame->kind ? "a header without an end" : "no record header";
    bool found = false;

    if (!reader->any && !reader->trouble && !reader->sought && !is_packed(reader)) {
        SCENT_TRY(try_packing(reader, WARC_GZIP, &found, err));
        if (!found)
            SCENT_TRY(try_packing(reader, WARC_ZSTD, &found, err));
    }
    return deliver_damage(reader, frame, damage, !found, out);
}

static scent_status read_record(struct warc_reader *reader, struct warc_record *out, struct errmsg *err)
{
    struct frame frame = {.mark = source_at(reader->source)};
    struct str bytes;
    enum source_stop stop;
    scent_status status;

    SCENT_TRY(take_header(reader, &frame, err));
    if (frame.header_len == 0)
        return deliver_garbage(reader, &frame, out, err);
    reader->any = true;
    SCENT_TRY(source_peek(reader->source, frame.header_len, &bytes, &stop, err));
    if (record_parse(frame.kind, str_sub(bytes, 0, frame.header_len), out, &frame.announced))
        status = take_block(reader, &frame, err);
    else
        status = take_unknown(reader, &frame, err);
    return status == SCENT_OK ? deliver(reader, &frame, out, err) : status;
}

scent_status warc_reader_next(struct warc_reader *reader, struct warc_record *out, struct errmsg *err)
{
    scent_status status = skip_rest(reader, err);

    *out = (struct warc_record){.type = WARC_OTHER};
    if (status == SCENT_OK && reader->lost)
        status = search(reader, err);
    if (status == SCENT_OK)
        status = skip_empty_lines(reader, err);
    if (status == SCENT_E_FORMAT) {
        struct frame frame = {.mark = source_at(reader->source)};

        reader->told = true;
        return deliver_damage(reader, &frame, "damaged compressed data", false, out);
    }
    if (status == SCENT_E_END && reader->trouble && !reader->any) {
        reader->trouble = false;
        return errmsg_fail(err, SCENT_E_FORMAT, "there is no WARC or ARC record in it");
    }
    return status == SCENT_OK ? read_record(reader, out, err) : status;
}

/* ---- the object ---- */

scent_status warc_reader_seek(struct warc_reader *reader, uint64_t offset, uint64_t inner, struct errmsg *err)
{
    source_seek(reader->source, offset);
    reader->sought = true;
    reader->lost = reader->told = false;
    reader->skip = inner;
    return skip_rest(reader, err);
}

static struct warc_reader *new_reader(struct source *source)
{
    struct warc_reader *reader = calloc(1, sizeof *reader);

    SCENT_BUG_IF(!reader);
    reader->source = source;
    buf_init(&reader->payload, 0);
    return reader;
}

scent_status warc_reader_open(const char *path, struct warc_reader **out, struct errmsg *err)
{
    struct source *source;
    scent_status status = source_open(path, &source, err);

    *out = status == SCENT_OK ? new_reader(source) : NULL;
    return status;
}

struct warc_reader *warc_reader_open_memory(struct str data)
{
    return warc_reader_open_part(data, NULL);
}

struct warc_reader *warc_reader_open_part(struct str data, struct http_dictionary *dictionary)
{
    return new_reader(source_open_memory(data, dictionary));
}

struct warc_form warc_reader_form(const struct warc_reader *reader)
{
    return source_form(reader->source);
}

void warc_reader_close(struct warc_reader *reader)
{
    if (!reader)
        return;
    source_close(reader->source);
    buf_release(&reader->payload);
    free(reader);
}

scent_status warc_reader_copy(struct warc_reader *reader, const struct warc_record *record, struct warc_form form,
                              struct http_packer *packer, struct buf *out, struct errmsg *err)
{
    scent_status status;

    SCENT_BUG_IF(record->length == 0);
    if (warc_form_eq(source_form(reader->source), form))
        return source_copy(reader->source, record->offset, record->length, out, err);
    status = warc_build_copy(record, packer, out);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "no memory for a record");
}
