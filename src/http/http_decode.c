/* The driver: it knows caps and chains, the decoders know formats. */
#include "http/http.h"
#include "http/http_parts.h"

enum { FIRST_ROOM = 32 * 1024, PIECE = 4096 };

/* Room at the end of `out`: doubling, within the cap. False when there is no memory. */
static bool make_room(struct buf *out, size_t *room)
{
    size_t want = out->len > FIRST_ROOM ? out->len : FIRST_ROOM;

    if (want > http_room(out))
        want = http_room(out);
    if (!buf_reserve(out, want))
        return false;
    *room = out->room - out->len - 1;
    if (*room > http_room(out))
        *room = http_room(out);
    return true;
}

static enum http_end end_of(enum part_step step)
{
    if (step == PART_DONE)
        return HTTP_WHOLE;
    return step == PART_MORE_INPUT ? HTTP_CUT_INPUT : HTTP_CUT_ERROR;
}

/* At the cap one byte of room tells a stream that is finished from one that would go on. */
static enum part_step probe(const struct http_part *part, struct str *in)
{
    char byte, *p = &byte;
    size_t room = 1;
    enum part_step step = part->step(part->ctx, in, &p, &room);

    return room == 0 ? PART_MORE_ROOM : step;
}

scent_status http_run(const struct http_part *part, struct str *in, struct buf *out, enum http_end *end)
{
    enum part_step step = PART_MORE_ROOM;

    while (step == PART_MORE_ROOM && http_room(out) > 0) {
        size_t room, before;
        char *p;

        if (!make_room(out, &room))
            return SCENT_E_NOMEM;
        p = out->p + out->len;
        before = room;
        step = part->step(part->ctx, in, &p, &room);
        out->len += before - room;
    }
    if (step == PART_MORE_ROOM)
        step = probe(part, in);
    *end = step == PART_MORE_ROOM ? HTTP_CUT_CAP : end_of(step);
    return step == PART_NOMEM ? SCENT_E_NOMEM : SCENT_OK;
}

/* ---- in pieces ---- */

struct pieces {
    const struct http_library *library;
    void *decoder;
    size_t used;         /* of the input */
    size_t careful_from; /* byte by byte from there on */
};

static size_t piece_size(const struct pieces *pieces)
{
    size_t before_care = pieces->careful_from - pieces->used;

    if (pieces->used >= pieces->careful_from)
        return 1;
    return before_care < PIECE ? before_care : PIECE;
}

static enum part_step step_by_pieces(void *ctx, struct str *in, char **out, size_t *room)
{
    struct pieces *pieces = ctx;
    enum part_step step;
    size_t taken;

    do {
        size_t size = piece_size(pieces);
        struct str piece = str_sub(*in, 0, size < in->len ? size : in->len);

        size = piece.len;
        step = pieces->library->step(pieces->decoder, &piece, out, room);
        if (step == PART_BAD)
            return step;
        taken = size - piece.len;
        pieces->used += taken;
        *in = str_sub(*in, taken, in->len);
    } while (step == PART_MORE_INPUT && in->len && taken);
    return step;
}

static scent_status run_pieces(struct pieces *pieces, struct str *in, struct buf *out, enum http_end *end)
{
    scent_status status;

    pieces->used = 0;
    pieces->decoder = pieces->library->open();
    if (!pieces->decoder)
        return SCENT_E_NOMEM;
    status = http_run(&(struct http_part){step_by_pieces, pieces}, in, out, end);
    pieces->library->close(pieces->decoder);
    return status;
}

scent_status http_run_in_pieces(const struct http_library *library, struct str *in, struct buf *out,
                                 enum http_end *end)
{
    struct pieces pieces = {.library = library, .careful_from = SIZE_MAX};
    struct str begin = *in;
    size_t before = out->len;
    scent_status status = run_pieces(&pieces, in, out, end);

    if (status != SCENT_OK || *end != HTTP_CUT_ERROR)
        return status;
    out->len = before;
    *in = begin;
    pieces.careful_from = pieces.used; /* the piece that begins there is damaged */
    return run_pieces(&pieces, in, out, end);
}

/* ---- chains ---- */

static scent_status copy(struct str in, struct buf *out, enum http_end *end)
{
    size_t room = http_room(out);

    *end = in.len > room ? HTTP_CUT_CAP : HTTP_WHOLE;
    return buf_add(out, str_sub(in, 0, in.len > room ? room : in.len)) ? SCENT_OK : SCENT_E_NOMEM;
}

static http_decoder *decoder_for(struct str name)
{
    static const struct {
        const char *name;
        http_decoder *decoder;
    } known[] = {
        {"gzip", http_gunzip}, {"x-gzip", http_gunzip}, {"deflate", http_inflate},
        {"br", http_unbrotli}, {"zstd", http_unzstd},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq_nocase(name, str_of(known[i].name)))
            return known[i].decoder;
    return NULL;
}

/* The decoders that a Content-Encoding names, in the order in which the server applied them. */
static scent_status parse_chain(struct str encoding, http_decoder *chain[HTTP_CHAIN_MAX], size_t *count)
{
    struct str name;

    *count = 0;
    while (str_split(&encoding, ',', &name)) {
        name = str_trim(name);
        if (name.len == 0 || str_eq_nocase(name, STR("identity")))
            continue;
        if (*count == HTTP_CHAIN_MAX || !(chain[*count] = decoder_for(name)))
            return SCENT_E_UNSUPPORTED;
        ++*count;
    }
    return SCENT_OK;
}

/* The last coding applied is the first to be undone. What lies between two codings has the cap of the result. The
 * first cut is the one that is reported: those after it follow from it. */
static scent_status run_chain(http_decoder *const chain[], size_t count, struct str in, struct buf *out,
                              enum http_end *end)
{
    struct buf between[2];
    scent_status status = SCENT_OK;

    buf_init(&between[0], out->cap);
    buf_init(&between[1], out->cap);
    *end = HTTP_WHOLE;
    while (count-- > 0 && status == SCENT_OK && in.len) {
        struct buf *into = count ? &between[count % 2] : out;
        enum http_end this_end;

        if (count)
            buf_clear(into);
        status = chain[count](in, into, &this_end);
        in = buf_str(into);
        if (*end == HTTP_WHOLE)
            *end = this_end;
    }
    buf_release(&between[0]);
    buf_release(&between[1]);
    return status;
}

scent_status http_decode(struct str encoding, struct str in, struct buf *out, enum http_end *end)
{
    http_decoder *chain[HTTP_CHAIN_MAX];
    size_t count;
    scent_status status = parse_chain(encoding, chain, &count);

    *end = HTTP_WHOLE;
    if (status != SCENT_OK || in.len == 0)
        return status;
    if (count == 0)
        return copy(in, out, end);
    if (count == 1)
        return chain[0](in, out, end);
    return run_chain(chain, count, in, out, end);
}
