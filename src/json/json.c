/* JSON out is written straight into a buffer. JSON in is a tree that jansson builds; a struct json is its json_t under
 * our name, so that nobody else meets it.
 *
 * jansson refuses text for one bad byte or one lone surrogate. What we read was often made from web pages, so
 * such text is repaired first, in a copy that is made only when there is something to repair. */
#include "json/json.h"

#include "base/str.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- writing ---- */

void json_writer_init(struct json_writer *w, struct buf *out)
{
    *w = (struct json_writer){.out = out};
}

static bool in_object(const struct json_writer *w)
{
    return w->depth > 0 && (w->objects >> (w->depth - 1) & 1);
}

static void separate(struct json_writer *w)
{
    if (w->need_comma)
        buf_addc(w->out, w->depth ? ',' : '\n');
    w->need_comma = false;
}

static void before_value(struct json_writer *w)
{
    SCENT_BUG_IF(in_object(w) != w->have_key);
    if (!w->have_key)
        separate(w);
    w->have_key = false;
}

static void begin_bracket(struct json_writer *w, char bracket, bool object)
{
    before_value(w);
    SCENT_BUG_IF(w->depth == SCENT_JSON_WRITE_DEPTH);
    w->objects &= ~((uint64_t)1 << w->depth);
    w->objects |= (uint64_t)object << w->depth;
    w->depth++;
    buf_addc(w->out, bracket);
    w->need_comma = false;
}

static void end_bracket(struct json_writer *w, char bracket, bool object)
{
    SCENT_BUG_IF(w->depth == 0 || w->have_key || in_object(w) != object);
    w->depth--;
    buf_addc(w->out, bracket);
    w->need_comma = true;
}

void json_object_begin(struct json_writer *w)
{
    begin_bracket(w, '{', true);
}

void json_object_end(struct json_writer *w)
{
    end_bracket(w, '}', true);
}

void json_array_begin(struct json_writer *w)
{
    begin_bracket(w, '[', false);
}

void json_array_end(struct json_writer *w)
{
    end_bracket(w, ']', false);
}

static void add_escaped(struct buf *out, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    const char *with = NULL;

    switch (c) {
    case '"': with = "\\\""; break;
    case '\\': with = "\\\\"; break;
    case '\b': with = "\\b"; break;
    case '\f': with = "\\f"; break;
    case '\n': with = "\\n"; break;
    case '\r': with = "\\r"; break;
    case '\t': with = "\\t"; break;
    default: break;
    }
    buf_add(out, with ? str_of(with) : (struct str){text, sizeof text});
}

/* 1 for a byte that is ASCII and needs no escape; without a branch. */
static inline unsigned is_plain(char c)
{
    return ((signed char)c >= 0x20) & (c != 0x7f) & (c != '"') & (c != '\\');
}

/* How many bytes at the start are plain. Whole chunks at once, so that the compiler uses vectors: texts are long. */
static size_t plain_prefix(struct str s)
{
    enum { CHUNK = 32 };
    size_t i = 0;

    for (; i + CHUNK <= s.len; i += CHUNK) {
        unsigned char plain = 1;

        for (size_t j = 0; j < CHUNK; j++)
            plain &= (unsigned char)is_plain(s.p[i + j]);
        if (!plain)
            break;
    }
    while (i < s.len && is_plain(s.p[i]))
        i++;
    return i;
}

static void add_quoted(struct buf *out, struct str s)
{
    size_t i = 0, from = 0;

    buf_addc(out, '"');
    while ((i += plain_prefix(str_sub(s, i, s.len))) < s.len) {
        unsigned char c = (unsigned char)s.p[i];
        size_t n = utf8_sequence(str_sub(s, i, s.len));

        if (n > 1) {
            i += n;
            continue;
        }
        buf_add(out, str_sub(s, from, i));
        if (n == 1)
            add_escaped(out, c);
        else
            buf_add(out, STR(UTF8_REPLACEMENT));
        i += n ? n : utf8_bad_prefix(str_sub(s, i, s.len));
        from = i;
    }
    if (s.len)
        buf_add(out, str_sub(s, from, i));
    buf_addc(out, '"');
}

void json_key(struct json_writer *w, const char *key)
{
    SCENT_BUG_IF(!in_object(w) || w->have_key);
    separate(w);
    add_quoted(w->out, str_of(key));
    buf_addc(w->out, ':');
    w->have_key = true;
}

static void add_value(struct json_writer *w, struct str text)
{
    before_value(w);
    buf_add(w->out, text);
    w->need_comma = true;
}

void json_raw(struct json_writer *w, struct str text)
{
    before_value(w);
    buf_add(w->out, text);
    w->need_comma = true;
}

void json_str(struct json_writer *w, struct str s)
{
    before_value(w);
    add_quoted(w->out, s);
    w->need_comma = true;
}

void json_int(struct json_writer *w, int64_t n)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)n);
    add_value(w, str_of(text));
}

/* A normal double that comes from at most 15 digits prints as these with %.15g, so nothing shorter than the
 * first hit below reads back; a subnormal holds fewer digits. */
static void format_double(char *text, size_t room, double x)
{
    int digits = fabs(x) < DBL_MIN ? 1 : DBL_DIG;

    do {
        snprintf(text, room, "%.*g", digits, x);
    } while (strtod(text, NULL) != x && ++digits <= DBL_DECIMAL_DIG);
}

void json_double(struct json_writer *w, double x)
{
    char text[40];

    if (!isfinite(x)) {
        json_none(w);
        return;
    }
    format_double(text, sizeof text, x);
    add_value(w, str_of(text));
}

void json_bool(struct json_writer *w, bool b)
{
    add_value(w, b ? STR("true") : STR("false"));
}

void json_none(struct json_writer *w)
{
    add_value(w, STR("null"));
}

void json_put_str(struct json_writer *w, const char *key, struct str s)
{
    json_key(w, key);
    json_str(w, s);
}

void json_put_int(struct json_writer *w, const char *key, int64_t n)
{
    json_key(w, key);
    json_int(w, n);
}

void json_put_double(struct json_writer *w, const char *key, double x)
{
    json_key(w, key);
    json_double(w, x);
}

void json_put_bool(struct json_writer *w, const char *key, bool b)
{
    json_key(w, key);
    json_bool(w, b);
}

/* ---- reading ---- */

static const json_t *value_of(const struct json *value)
{
    return (const json_t *)(const void *)value;
}

/* The code unit of a \uXXXX at text[at]; -1 when it is something else. */
static int escaped_unit(struct str text, size_t at)
{
    int unit = 0;

    if (text.len - at < 6 || text.p[at] != '\\' || text.p[at + 1] != 'u')
        return -1;
    for (size_t i = at + 2; i < at + 6; i++) {
        int digit = ascii_hex(text.p[i]);

        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

struct scan {
    struct str text;
    size_t at, depth;
    bool in_string;
    const char *repair; /* what replaces the item; NULL: it stays */
};

static size_t scan_escape(struct scan *scan)
{
    int unit = escaped_unit(scan->text, scan->at), next;

    if (unit < 0xD800 || unit > 0xDFFF)
        return unit < 0 && scan->text.len - scan->at > 1 && (signed char)scan->text.p[scan->at + 1] >= 0 ? 2 : 1;
    next = escaped_unit(scan->text, scan->at + 6);
    if (unit < 0xDC00 && next >= 0xDC00 && next <= 0xDFFF)
        return 12;
    scan->repair = "\\uFFFD";
    return 6;
}

static void scan_structure(struct scan *scan, char c)
{
    if (c == '"')
        scan->in_string = !scan->in_string;
    else if (!scan->in_string && (c == '[' || c == '{'))
        scan->depth++;
    else if (!scan->in_string && (c == ']' || c == '}') && scan->depth)
        scan->depth--;
}

/* The length of the next item: a character or an escape. */
static size_t scan_item(struct scan *scan)
{
    struct str rest = str_sub(scan->text, scan->at, scan->text.len);
    size_t n;

    scan->repair = NULL;
    if (scan->in_string && rest.p[0] == '\\')
        return scan_escape(scan);
    n = utf8_sequence(rest);
    if (n == 1)
        scan_structure(scan, rest.p[0]);
    if (n)
        return n;
    scan->repair = UTF8_REPLACEMENT;
    return utf8_bad_prefix(rest);
}

/* Fills `copy` with repaired text; leaves it empty when `text` is good as it is. */
static scent_status repair_text(struct str text, struct buf *copy, struct errmsg *err)
{
    struct scan scan = {.text = text};
    size_t from = 0;

    while (scan.at < text.len) {
        size_t n = scan_item(&scan);

        if (scan.depth > SCENT_JSON_READ_DEPTH)
            return errmsg_fail(err, SCENT_E_LIMIT, "JSON nests deeper than %d levels", SCENT_JSON_READ_DEPTH);
        if (scan.repair) {
            buf_add(copy, str_sub(text, from, scan.at));
            buf_addz(copy, scan.repair);
            from = scan.at + n;
        }
        scan.at += n;
    }
    if (from)
        buf_add(copy, str_sub(text, from, text.len));
    return copy->failed ? errmsg_fail(err, SCENT_E_NOMEM, "no memory to read JSON") : SCENT_OK;
}

static scent_status load_tree(struct str text, struct json **out, struct errmsg *err)
{
    json_error_t error;
    json_t *root = json_loadb(text.len ? text.p : "", text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);

    *out = (struct json *)(void *)root;
    if (root)
        return SCENT_OK;
    if (json_error_code(&error) == json_error_out_of_memory)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory to read JSON");
    return errmsg_fail(err, SCENT_E_INVALID, "line %d, column %d: %s", error.line, error.column, error.text);
}

scent_status json_parse(struct str text, struct json **out, struct errmsg *err)
{
    struct buf copy;
    scent_status status;

    *out = NULL;
    buf_init(&copy, 0);
    status = repair_text(text, &copy, err);
    if (status == SCENT_OK)
        status = load_tree(copy.len ? buf_str(&copy) : text, out, err);
    buf_release(&copy);
    return status;
}

void json_free(struct json *root)
{
    json_decref((json_t *)(void *)root);
}

const struct json *json_get(const struct json *object, const char *key)
{
    return (const struct json *)(const void *)json_object_get(value_of(object), key);
}

size_t json_count(const struct json *array)
{
    return json_array_size(value_of(array));
}

size_t json_members(const struct json *object)
{
    return json_object_size(value_of(object));
}

const struct json *json_at(const struct json *array, size_t i)
{
    return (const struct json *)(const void *)json_array_get(value_of(array), i);
}

bool json_is_none(const struct json *value)
{
    return !value || json_is_null(value_of(value));
}

bool json_is_str(const struct json *value)
{
    return json_is_string(value_of(value));
}

bool json_is_num(const struct json *value)
{
    return json_is_number(value_of(value));
}

bool json_is_bool(const struct json *value)
{
    return json_is_boolean(value_of(value));
}

struct str json_as_str(const struct json *value)
{
    const json_t *v = value_of(value);

    return json_is_string(v) ? (struct str){json_string_value(v), json_string_length(v)} : STR_NONE;
}

int64_t json_as_int(const struct json *value)
{
    const json_t *v = value_of(value);
    double x = json_real_value(v);

    if (!json_is_real(v))
        return json_integer_value(v);
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : 0;
}

double json_as_double(const struct json *value)
{
    return json_number_value(value_of(value));
}

bool json_as_bool(const struct json *value)
{
    return json_is_true(value_of(value));
}
