/* zstd: the content coding, and the frames and dictionaries of WARC files. */
#include "http/http_parts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <zdict.h>
#include <zstd.h>

enum {
    WINDOW_LOG_CODING = 23, /* RFC 9659: a decoder for Content-Encoding need not take more than 8 MiB */
    WINDOW_LOG_FILE = 27,   /* 128 MiB: what the zstd command takes without being asked */
    PIECE = 4096,
    DICTIONARY_MAGIC = 8,   /* bytes: the magic number and the id (RFC 8878, 5) */
    WHOLE_MOST = 8 * 1024 * 1024
};

/* ---- streams ---- */

static ZSTD_DCtx *new_stream(int window_log)
{
    ZSTD_DCtx *stream = ZSTD_createDCtx();

    if (stream)
        SCENT_BUG_IF(ZSTD_isError(ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, window_log)));
    return stream;
}

static enum part_step take_step(ZSTD_DCtx *stream, size_t most, struct str *in, char **out, size_t *room)
{
    size_t rc, moved;

    /* It may return before either side is used up; without progress there is nothing to wait for. */
    do {
        ZSTD_inBuffer input = {in->p, in->len < most ? in->len : most, 0};
        ZSTD_outBuffer output = {*out, *room, 0};

        rc = ZSTD_decompressStream(stream, &output, &input);
        if (ZSTD_isError(rc))
            return PART_BAD;
        moved = input.pos + output.pos;
        *in = str_sub(*in, input.pos, in->len);
        *out += output.pos;
        *room -= output.pos;
    } while (rc != 0 && moved && in->len && *room);
    if (rc == 0)
        return PART_DONE;
    return *room == 0 ? PART_MORE_ROOM : PART_MORE_INPUT;
}

/* ---- the content coding ---- */

static void *open_coding(void)
{
    return new_stream(WINDOW_LOG_CODING);
}

static void close_coding(void *stream)
{
    ZSTD_freeDCtx(stream);
}

static enum part_step step_coding(void *stream, struct str *in, char **out, size_t *room)
{
    return take_step(stream, SIZE_MAX, in, out, room);
}

bool http_is_zstd_frame(struct str in)
{
    return str_starts(in, STR("\x28\xb5\x2f\xfd"));
}

bool http_is_zstd_skippable(struct str in)
{
    return in.len >= 4 && ((unsigned char)in.p[0] & 0xf0) == 0x50 && str_starts(str_sub(in, 1, 4), STR("\x2a\x4d\x18"));
}

scent_status http_unzstd(struct str in, struct buf *out, enum http_end *end)
{
    static const struct http_library zstd = {open_coding, close_coding, step_coding};
    scent_status status;

    do
        status = http_run_library(&zstd, &in, out, end);
    while (status == SCENT_OK && *end == HTTP_WHOLE && (http_is_zstd_frame(in) || http_is_zstd_skippable(in)));
    return status;
}

/* ---- dictionaries ---- */

struct http_dictionary {
    char *bytes;
    size_t len;
    ZSTD_DDict *for_unpacking; /* refers to them */
    atomic_uint owners;
};

struct http_dictionary *http_dictionary_new(struct str bytes)
{
    struct http_dictionary *dictionary;

    if (bytes.len < DICTIONARY_MAGIC || bytes.len > HTTP_DICTIONARY_MAX || !str_starts(bytes, STR("\x37\xa4\x30\xec")))
        return NULL;
    dictionary = calloc(1, sizeof *dictionary);
    SCENT_BUG_IF(!dictionary);
    atomic_init(&dictionary->owners, 1);
    dictionary->len = bytes.len;
    dictionary->bytes = malloc(bytes.len);
    if (dictionary->bytes) {
        memcpy(dictionary->bytes, bytes.p, bytes.len);
        dictionary->for_unpacking = ZSTD_createDDict(bytes.p, bytes.len); /* NULL also where it is damaged */
    }
    if (dictionary->for_unpacking)
        return dictionary;
    http_dictionary_free(dictionary);
    return NULL;
}

struct http_dictionary *http_dictionary_keep(struct http_dictionary *dictionary)
{
    if (dictionary)
        atomic_fetch_add(&dictionary->owners, 1);
    return dictionary;
}

void http_dictionary_free(struct http_dictionary *dictionary)
{
    if (!dictionary || atomic_fetch_sub(&dictionary->owners, 1) > 1)
        return;
    ZSTD_freeDDict(dictionary->for_unpacking);
    free(dictionary->bytes);
    free(dictionary);
}

struct str http_dictionary_bytes(const struct http_dictionary *dictionary)
{
    return dictionary ? (struct str){dictionary->bytes, dictionary->len} : STR_NONE;
}

struct http_dictionary *http_dictionary_train(struct str samples, const size_t *sizes, size_t count, size_t most)
{
    char *bytes = malloc(most);
    struct http_dictionary *dictionary = NULL;
    size_t made;

    if (!bytes)
        return NULL;
    made = ZDICT_trainFromBuffer(bytes, most, samples.p, sizes, (unsigned)count);
    if (!ZDICT_isError(made))
        dictionary = http_dictionary_new((struct str){bytes, made});
    free(bytes);
    return dictionary;
}

/* ---- packing ---- */

struct zstd_packer {
    ZSTD_CCtx *stream;
    const struct http_dictionary *dictionary;
};

struct zstd_packer *zstd_packer_new(int level)
{
    struct zstd_packer *packer = calloc(1, sizeof *packer);

    SCENT_BUG_IF(!packer);
    packer->stream = ZSTD_createCCtx();
    SCENT_BUG_IF(!packer->stream ||
                 ZSTD_isError(ZSTD_CCtx_setParameter(packer->stream, ZSTD_c_compressionLevel, level)) ||
                 ZSTD_isError(ZSTD_CCtx_setParameter(packer->stream, ZSTD_c_checksumFlag, 1)));
    return packer;
}

void zstd_packer_free(struct zstd_packer *packer)
{
    if (!packer)
        return;
    ZSTD_freeCCtx(packer->stream);
    free(packer);
}

void zstd_packer_use(struct zstd_packer *packer, const struct http_dictionary *dictionary)
{
    struct str bytes = http_dictionary_bytes(dictionary);

    if (packer->dictionary == dictionary)
        return;
    packer->dictionary = dictionary;
    SCENT_BUG_IF(ZSTD_isError(ZSTD_CCtx_loadDictionary(packer->stream, bytes.p, bytes.len)));
}

scent_status zstd_pack(struct zstd_packer *packer, struct str in, struct buf *out)
{
    size_t bound = ZSTD_compressBound(in.len), made;

    if (!buf_reserve(out, bound))
        return bound > http_room(out) ? SCENT_E_LIMIT : SCENT_E_NOMEM;
    made = ZSTD_compress2(packer->stream, out->p + out->len, bound, in.p, in.len);
    if (ZSTD_isError(made)) /* the bound always suffices */
        return SCENT_E_NOMEM;
    out->len += made;
    return SCENT_OK;
}

/* ---- unpacking ---- */

struct zstd_unpacker {
    ZSTD_DCtx *stream;
};

struct zstd_unpacker *zstd_unpacker_new(const struct http_dictionary *dictionary)
{
    struct zstd_unpacker *unpacker = calloc(1, sizeof *unpacker);

    SCENT_BUG_IF(!unpacker);
    unpacker->stream = new_stream(WINDOW_LOG_FILE);
    SCENT_BUG_IF(!unpacker->stream);
    if (dictionary)
        SCENT_BUG_IF(ZSTD_isError(ZSTD_DCtx_refDDict(unpacker->stream, dictionary->for_unpacking)));
    return unpacker;
}

void zstd_unpacker_free(struct zstd_unpacker *unpacker)
{
    if (!unpacker)
        return;
    ZSTD_freeDCtx(unpacker->stream);
    free(unpacker);
}

void zstd_unpacker_reset(struct zstd_unpacker *unpacker)
{
    SCENT_BUG_IF(ZSTD_isError(ZSTD_DCtx_reset(unpacker->stream, ZSTD_reset_session_only)));
}

/* After damage the library gives nothing more of the piece in which it lies. */
enum part_step zstd_unpack_step(struct zstd_unpacker *unpacker, struct str *in, char **out, size_t *room)
{
    return take_step(unpacker->stream, PIECE, in, out, room);
}

bool zstd_unpack_whole(struct zstd_unpacker *unpacker, struct str in, struct buf *out, size_t *used)
{
    unsigned long long size = http_is_zstd_frame(in) ? ZSTD_getFrameContentSize(in.p, in.len) : ZSTD_CONTENTSIZE_ERROR;
    size_t made;

    if (size > WHOLE_MOST || size > http_room(out)) /* also where it is not known */
        return false;
    *used = ZSTD_findFrameCompressedSize(in.p, in.len);
    if (ZSTD_isError(*used) || !buf_reserve(out, (size_t)size + 1))
        return false;
    made = ZSTD_decompressDCtx(unpacker->stream, out->p + out->len, (size_t)size, in.p, *used);
    if (ZSTD_isError(made))
        return false;
    out->len += made;
    return true;
}
