/* http - the parts of a message: header fields, MIME types, Retry-After; gzip, deflate, br, zstd and chunks.
 *
 * Decoders have caps, so that a bomb is a cut and not an explosion. Pure; any thread. A struct http_packer or
 * http_inflater belongs to one thread. */
#ifndef SCENT_HTTP_HTTP_H
#define SCENT_HTTP_HTTP_H

#include "base/buf.h"
#include "base/status.h"
#include "base/str.h"

/* Of lines "name: value" that end in CRLF or LF (a head, with its first line or without; a WARC record's): the value of
 * the first field of this name, trimmed; STR_NONE when absent. */
struct str http_header(struct str head, struct str name);
bool http_is_header(struct str line, struct str name); /* is this line that field? */
/* "text/html" of "text/html; charset=utf-8", in the case it came in. */
struct str http_mime(struct str content_type);
struct str http_head_mime(struct str head); /* that of the Content-Type; empty when absent */

enum { HTTP_RETRY_AFTER_MAX = 24 * 3600 }; /* seconds */
/* A Retry-After of seconds or a date, as a wait in microseconds; 0: neither. At most HTTP_RETRY_AFTER_MAX. A date is
 * compared with the response's own `date` (its Date field), since only one clock is right then; without, with `now`. */
int64_t http_retry_after(struct str value, struct str date, int64_t now);

enum http_end {
    HTTP_WHOLE,     /* decoded to its end */
    HTTP_CUT_CAP,   /* stopped at the cap */
    HTTP_CUT_INPUT, /* the input ended early; what there was is decoded */
    HTTP_CUT_ERROR  /* the input is damaged; what came before is decoded */
};

/* Undoes what `encoding` (the value of Content-Encoding: "gzip", "br", "gzip, br", "identity", "") says and appends
 * the result to `out`, which never gets longer than out->cap; how it ended is data. An empty body decodes to an empty
 * one. SCENT_E_UNSUPPORTED: an unknown encoding, or more than HTTP_CHAIN_MAX of them. */
SCENT_NODISCARD scent_status http_decode(struct str encoding, struct str in, struct buf *out, enum http_end *end);

enum { HTTP_CHAIN_MAX = 4 };
/* The same for a message as it came, whose head names the encoding: *out is `body` itself where there is none, else it
 * lies in `room`, which is cleared first. A body that is damaged or too long is cut; SCENT_E_UNSUPPORTED also where
 * nothing could be decoded at all. */
SCENT_NODISCARD scent_status http_decode_body(struct str head, struct str body, struct buf *room, struct str *out,
                                              enum http_end *end);

/* What a client may send as Accept-Encoding. */
#define HTTP_ACCEPT_ENCODING "gzip, deflate, br, zstd"
/* Does a client that sends this Accept-Encoding take a body of this Content-Encoding ("gzip", "gzip, br")? One that
 * sends none is taken for one that cannot decode, though RFC 9110 (12.5.3) would allow anything then. */
bool http_accepts(struct str accept, struct str encoding);

/* One gzip member at the start of `in`, appended to `out`; *used is the length of the member (of what was taken,
 * where it is damaged). */
SCENT_NODISCARD scent_status http_gunzip_member(struct str in, struct buf *out, size_t *used, enum http_end *end);

/* ---- members of files: gzip's, and zstd's frames ---- */

/* A dictionary of zstd (RFC 8878, section 5), for any number of threads. It has owners; the last one frees it. */
struct http_dictionary;
enum { HTTP_DICTIONARY_MAX = 8 * 1024 * 1024 }; /* what "Zstandard Compression for WARC Files" 1.0 asks of readers */
struct http_dictionary *http_dictionary_new(struct str bytes); /* copied; NULL: it is none, or no memory */
/* From samples that lie one behind the other; NULL where there are too few, or all are different. */
struct http_dictionary *http_dictionary_train(struct str samples, const size_t *sizes, size_t count, size_t most);
/* For a further owner. NULL is fine for this and the next ones. */
struct http_dictionary *http_dictionary_keep(struct http_dictionary *dictionary);
void http_dictionary_free(struct http_dictionary *dictionary);
struct str http_dictionary_bytes(const struct http_dictionary *dictionary);

bool http_is_zstd_frame(struct str in);     /* does one begin here? */
bool http_is_zstd_skippable(struct str in); /* one that holds no data: a dictionary, an extension */

/* Unpacks members: feed it, take what comes out. After HTTP_STEP_DONE or HTTP_STEP_BAD it must be reset before the next
 * member. A zstd window may take 128 MiB. Belongs to one thread. */
enum http_step {
    HTTP_STEP_INPUT, /* all of `in` is used: it wants more */
    HTTP_STEP_ROOM,  /* `max` bytes came out: there may be more */
    HTTP_STEP_DONE,  /* the member ended, its checksum is right */
    HTTP_STEP_BAD    /* damaged; what came before has been appended */
};
struct http_inflater;
struct http_inflater *http_inflater_new(void); /* gzip; never NULL */
/* The dictionary outlives it; NULL: none. */
struct http_inflater *http_inflater_new_zstd(const struct http_dictionary *dictionary);
void http_inflater_free(struct http_inflater *inflater);
void http_inflater_reset(struct http_inflater *inflater);
/* Appends at most `max` bytes (> 0) to `out`; *used tells how much of `in` was taken. */
SCENT_NODISCARD scent_status http_inflater_feed(struct http_inflater *inflater, struct str in, size_t max,
                                                 struct buf *out, size_t *used, enum http_step *step);
/* The same in one go, at two to three times the speed, for members that lie wholly in `in` and unpack to at most 8 MiB;
 * false, and `out` as it was, for all others. */
SCENT_NODISCARD bool http_inflater_whole(struct http_inflater *inflater, struct str in, struct buf *out, size_t *used);

enum http_packing { HTTP_GZIP, HTTP_ZSTD };
struct http_packer;
/* Levels 1 to 12, libdeflate's, or zstd's 1 to 19; others are brought into that range. */
struct http_packer *http_packer_new(enum http_packing packing, int level);
void http_packer_free(struct http_packer *packer);
/* From now on; NULL: none. zstd alone, and the dictionary outlives its use. */
void http_packer_use(struct http_packer *packer, const struct http_dictionary *dictionary);
/* Appends one member that holds `in`. */
SCENT_NODISCARD scent_status http_pack(struct http_packer *packer, struct str in, struct buf *out);

/* HTTP/1.1 chunked transfer coding (some archives keep it); damaged chunks end it early. */
SCENT_NODISCARD scent_status http_dechunk(struct str in, struct buf *out, enum http_end *end);

/* The checksum of gzip and ZIP, of `bytes` behind those that `crc` is of; 0: of none. */
uint32_t http_crc32(uint32_t crc, struct str bytes);

#endif
