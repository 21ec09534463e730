/* warc - records of WARC 1.1 (ISO 28500) as values, and the writer and reader of their files.
 *
 * Building a record is pure (and done in the analyse pool: a record is one member, of gzip or zstd, so members made in
 * parallel are simply appended); writing is one thread's. */
#ifndef SCENT_WARC_WARC_H
#define SCENT_WARC_WARC_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/str.h"

struct http_dictionary;
struct http_packer;

/* How the records of a file are packed. Those of zstd follow "Zstandard Compression for WARC Files" 1.0 of the IIPC: a
 * frame each, and at the start of the file the dictionary of all of them, where there is one. */
enum warc_packing { WARC_PLAIN, WARC_GZIP, WARC_ZSTD };
struct warc_form {
    enum warc_packing packing;
    struct http_dictionary *dictionary; /* NULL: none */
};
/* Can records of files of these forms lie in one file? */
bool warc_form_eq(struct warc_form a, struct warc_form b);
/* Does the name end in .warc.gz or .warc.zst? WARC_PLAIN: in neither. */
enum warc_packing warc_name_packing(struct str name);
/* For records of files of this form. Belongs to one thread. */
struct http_packer *warc_packer_new(struct warc_form form, int level); /* of gzip; zstd has its own; never NULL */

/* ---- building records ---- */

struct warc_record;

enum warc_truncated { WARC_WHOLE, WARC_CUT_LENGTH, WARC_CUT_TIME, WARC_CUT_DISCONNECT, WARC_CUT_UNSPECIFIED };

/* One HTTP exchange, as it came over the wire (an HTTP/2 one in HTTP/1.1 form). */
struct warc_exchange {
    struct str url;           /* WARC-Target-URI */
    int64_t wall;             /* microseconds since 1970 */
    struct str ip;            /* WARC-IP-Address; may be empty */
    struct str protocol;      /* "http/1.1", "h2"; WARC-Protocol */
    struct str request;       /* the request's head, up to and with the empty line; empty: no request record is made */
    struct str response_head; /* status line and header lines, up to and with the empty line */
    struct str body;          /* content encoding kept, transfer encoding removed */
    enum warc_truncated truncated;
    bool chunked; /* the body came in chunks: the head kept in the record says Content-Length instead */
    /* Set where the same bytes were stored before (exact duplicate): a revisit record without the body is written. */
    struct str same_as_url;
    int64_t same_as_wall;
    bool not_modified; /* the server said so: 304, as an answer to a condition */
    struct str same_as_digest; /* of the payload, base32; empty: it is computed. Else the body's length is enough */
};

/* Where a record lies inside what was built. */
struct warc_span {
    size_t offset, length;
};

/* Appends the response record and the request record (concurrent to each other) to `out`, each one member.
 * `rng` gives the record ids. Digests (sha1, base32) of payload and block are computed here; the
 * payload's is returned in `digest` (33 bytes, terminated). On failure `out` is as it was. Costs two passes of SHA-1
 * and one of compression over the body. */
SCENT_NODISCARD scent_status warc_build_exchange(const struct warc_exchange *exchange, struct rng *rng,
                                                 struct http_packer *packer, struct buf *out,
                                                 struct warc_span *response, char digest[33]);

/* Where the response is not to be kept: appends a metadata record that tells of it, as one member. `lines` is
 * "key: value\r\n"…; `digest` as above. */
SCENT_NODISCARD scent_status warc_build_metadata(const struct warc_exchange *exchange, struct str lines,
                                                 struct rng *rng, struct http_packer *packer, struct buf *out,
                                                 char digest[33]);

/* Appends a warcinfo record, with which a file begins, as one member. `lines` is "key: value\r\n"… */
SCENT_NODISCARD scent_status warc_build_info(struct str file_name, struct str lines, int64_t wall, struct rng *rng,
                                             struct http_packer *packer, struct buf *out);

/* Appends the record that was read, unpacked as it is, as one member. */
SCENT_NODISCARD scent_status warc_build_copy(const struct warc_record *record, struct http_packer *packer,
                                             struct buf *out);
/* Records that were built for files of one form, built for another one; *span is one of them, before and after. */
SCENT_NODISCARD scent_status warc_build_again(struct str records, struct http_dictionary *dictionary,
                                              struct http_packer *packer, struct buf *out, struct warc_span *span);

/* Two of its lines: what the format is. */
#define WARC_INFO_FORMAT                                                                                               \
    "format: WARC File Format 1.1\r\n"                                                                                 \
    "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"

/* ---- writing ---- */

struct warc_writer_options {
    const char *dir;           /* …/warc */
    const char *prefix;        /* file names are prefix-NNNNN.warc.gz (or .zst), .open while written */
    bool unique;               /* prefix-TIME-NNNNN-HOST-XXXX.warc.gz: no two series in the world share a name */
    uint64_t rotate_bytes;     /* 0: 1 GiB */
    uint64_t train_bytes;      /* of the first zstd file, for its dictionary; 0: 2 MiB */
    const char *software;      /* for warcinfo */
    struct str info;           /* further warcinfo lines, "key: value\r\n" */
    enum warc_packing packing; /* WARC_PLAIN: that of the last file; gzip in a new series */
    int level;                 /* gzip; 0: 1 */
    const struct clock *clock; /* for the date of warcinfo; NULL: the system's */
};

/* A position that was made durable: the file (its final name, without .open) and its length. */
struct warc_position {
    char file[64];
    uint64_t end;
};

/* The number in such a name, of either kind; false: it is none of the series. */
bool warc_file_number(const char *prefix, struct str name, uint64_t *number);

struct warc_writer;
/* Goes on after `last` (NULL or an empty file name: a new series): what lies behind it was never committed and is
 * cut off; files that are younger are removed. */
SCENT_NODISCARD scent_status warc_writer_open(const struct warc_writer_options *options,
                                              const struct warc_position *last, struct rng *rng,
                                              struct warc_writer **out, struct errmsg *err);
/* Appends records that were built before; *at is where the first byte lies. Rotates first where needed. After a failure
 * (SCENT_E_FULL: the disk is full) the file is as long as before, and the append can be tried again. */
SCENT_NODISCARD scent_status warc_writer_append(struct warc_writer *writer, struct str records,
                                                struct warc_position *at, struct errmsg *err);
/* What the records must be packed for. Changes with warc_writer_train() alone. The dictionary is the writer's. */
struct warc_form warc_writer_form(const struct warc_writer *writer);
/* Of a series of zstd files: where the first has become long enough, ends it, and begins the next one with a dictionary
 * that was trained with its records; all later files have the same. Takes about a second once, else nothing. */
SCENT_NODISCARD scent_status warc_writer_train(struct warc_writer *writer, struct errmsg *err);
/* Ends the file and begins the next one of the series, whatever its size. */
SCENT_NODISCARD scent_status warc_writer_rotate(struct warc_writer *writer, struct errmsg *err);
/* fsync of what was appended, and of the folder when the file is new; then *end may be committed. After a failure the
 * writer is of no further use (what the kernel could not write it may have forgotten): close it, and go on from the
 * last committed position. */
SCENT_NODISCARD scent_status warc_writer_sync(struct warc_writer *writer, struct warc_position *end,
                                              struct errmsg *err);
/* Syncs, drops .open from the name, frees. The writer is gone even on failure; its file is then still called .open. */
SCENT_NODISCARD scent_status warc_writer_close(struct warc_writer *writer, struct warc_position *end,
                                               struct errmsg *err);
/* Frees only: for a writer whose records could not be committed. The file stays .open, so that the next one knows that
 * what was not committed may go. */
void warc_writer_abandon(struct warc_writer *writer);

/* ---- reading ---- */

enum warc_type {
    WARC_OTHER,
    WARC_INFO,
    WARC_RESPONSE,
    WARC_REQUEST,
    WARC_RESOURCE,
    WARC_METADATA,
    WARC_REVISIT,
    WARC_CONVERSION
};

/* Valid until the next call on its reader. */
struct warc_record {
    enum warc_type type;
    struct str url;       /* WARC-Target-URI without <> */
    struct str headers;   /* the WARC header lines */
    struct str http_head; /* status line and headers; empty where the block is not an HTTP message */
    int http_status;      /* 0: none */
    struct str payload;   /* the body: transfer decoded, content encoding kept */
    struct str block;     /* everything after the WARC headers, as stored */
    struct str whole;     /* headers and block, without the empty lines behind them */
    struct str date;
    uint64_t offset, length; /* in the file, compressed; length 0: records share a member */
    uint64_t inner;          /* where it begins in that member, unpacked; 0 where it has its own, and in plain files */
    bool damaged;            /* shorter than announced, bad chunks, wrong length: what could be read is here */
    const char *damage;      /* a word on it; NULL */
};

/* A longer block is cut there and marked as damaged; the rest is skipped. */
enum { WARC_BLOCK_MAX = 64 * 1024 * 1024 };

struct warc_reader;
/* .warc and .arc, plain, gzip or zstd (a member a record, or one around several), told apart by content, not by name.
 * Memory: some MiB, one record, and the window of a zstd frame, at most 128 MiB. */
SCENT_NODISCARD scent_status warc_reader_open(const char *path, struct warc_reader **out, struct errmsg *err);
/* `data` must outlive the reader. Never fails. */
struct warc_reader *warc_reader_open_memory(struct str data);
/* The same for a part of a file that has this dictionary (NULL: none). */
struct warc_reader *warc_reader_open_part(struct str data, struct http_dictionary *dictionary);
/* The dictionary is the reader's. */
struct warc_form warc_reader_form(const struct warc_reader *reader);
void warc_reader_close(struct warc_reader *reader);
/* SCENT_E_END at the end. A damaged record is skipped to the next one that can be found (each is reported with
 * `damaged`; bytes that are not a record are reported once, as WARC_OTHER); SCENT_E_FORMAT when it holds no record. */
SCENT_NODISCARD scent_status warc_reader_next(struct warc_reader *reader, struct warc_record *out, struct errmsg *err);
/* To a record's `offset` and `inner`. */
SCENT_NODISCARD scent_status warc_reader_seek(struct warc_reader *reader, uint64_t offset, uint64_t inner,
                                              struct errmsg *err);

/* Appends the record that was read last, as a member of a file of this form, for which `packer` is: unchanged where its
 * own file has that form, else packed again. It must have a length. Its strings stay valid. */
SCENT_NODISCARD scent_status warc_reader_copy(struct warc_reader *reader, const struct warc_record *record,
                                              struct warc_form form, struct http_packer *packer, struct buf *out,
                                              struct errmsg *err);

/* Hashes block and payload (which costs, so the reader does not) and compares with what the record states. A revisit
 * has no payload of its own; archives exist whose payload digest is that of the body with its chunks: both count. */
enum warc_digest { WARC_DIGEST_ABSENT, WARC_DIGEST_OK, WARC_DIGEST_WRONG, WARC_DIGEST_UNKNOWN };
enum warc_digest warc_record_check_digest(const struct warc_record *record);

/* ---- digests ---- */

/* The labelled digests of WARC headers ("sha1:" and base32), for this folder; and keyed ones, for trace, since
 * one module alone knows OpenSSL.
 *
 * Pure; any thread. SHA-1 here names content as every archive does; it protects nothing. */

enum {
    DIGEST_BASE32 = 33, /* 32 letters and a terminator */
    DIGEST_KEYED = 32,  /* bytes */
    DIGEST_SHA256 = 72  /* "sha256:", 64 digits and a terminator */
};

/* Of `a` followed by `b`. */
void digest_sha1(struct str a, struct str b, char out[DIGEST_BASE32]);

/* SHA-256 of what comes in pieces. */
struct digest_sum;
struct digest_sum *digest_sum_new(void); /* never NULL */
void digest_sum_add(struct digest_sum *sum, struct str bytes);
/* "sha256:" and hexadecimal digits, terminated; frees it. NULL is not written to. */
void digest_sum_end(struct digest_sum *sum, char out[DIGEST_SHA256]);

/* HMAC-SHA-256 (RFC 2104): who has not the key cannot tell what `data` was. */
void digest_keyed(struct str key, struct str data, unsigned char out[DIGEST_KEYED]);

#endif
