/* json - JSON out (a streaming writer into a buf, no tree) and in (a read-only tree).
 *
 * Strings need not be valid UTF-8: bad bytes become U+FFFD. Any thread. */
#ifndef SCENT_JSON_JSON_H
#define SCENT_JSON_JSON_H

#include "base/buf.h"
#include "base/status.h"
#include "base/str.h"

enum {
    SCENT_JSON_WRITE_DEPTH = 64, /* deeper writing is a bug: nothing that we write nests by its input */
    SCENT_JSON_READ_DEPTH = 256  /* deeper text is refused: SCENT_E_LIMIT */
};

/* Commas and nesting are kept by the writer; misuse aborts. Several values at depth 0 are separated by line
 * breaks (JSON lines). A failed append shows in out->failed. */
struct json_writer {
    struct buf *out;
    bool need_comma;
    bool have_key;    /* an object's key waits for its value */
    int depth;
    uint64_t objects; /* bit n: what was opened at depth n is an object */
};
void json_writer_init(struct json_writer *w, struct buf *out);
void json_object_begin(struct json_writer *w);
void json_object_end(struct json_writer *w);
void json_array_begin(struct json_writer *w);
void json_array_end(struct json_writer *w);
void json_key(struct json_writer *w, const char *key);
void json_str(struct json_writer *w, struct str s);
void json_int(struct json_writer *w, int64_t n);
void json_double(struct json_writer *w, double x); /* shortest that reads back the same; null for nan and inf */
void json_bool(struct json_writer *w, bool b);
void json_none(struct json_writer *w);             /* null; jansson has the name json_null */
void json_raw(struct json_writer *w, struct str text); /* that is a JSON value already */
/* A key and its value at once. */
void json_put_str(struct json_writer *w, const char *key, struct str s);
void json_put_int(struct json_writer *w, const char *key, int64_t n);
void json_put_double(struct json_writer *w, const char *key, double x);
void json_put_bool(struct json_writer *w, const char *key, bool b);

struct json; /* a value; the root owns everything */
/* Any value may be the root. Bad UTF-8 and lone surrogates become U+FFFD. SCENT_E_INVALID with line and column. */
SCENT_NODISCARD scent_status json_parse(struct str text, struct json **out, struct errmsg *err);
void json_free(struct json *root);
const struct json *json_get(const struct json *object, const char *key); /* NULL when absent or no object */
size_t json_count(const struct json *array);                            /* 0 for what is no array */
size_t json_members(const struct json *object);                         /* how many; 0 for what is no object */
const struct json *json_at(const struct json *array, size_t i);
bool json_is_str(const struct json *value);
bool json_is_num(const struct json *value);
bool json_is_bool(const struct json *value);
bool json_is_none(const struct json *value); /* null, or absent */
struct str json_as_str(const struct json *value); /* STR_NONE for what is no string; may hold NUL bytes */
int64_t json_as_int(const struct json *value);
double json_as_double(const struct json *value);
bool json_as_bool(const struct json *value);

#endif
