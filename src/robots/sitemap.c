/* Sitemaps, indexes, RSS and Atom are all lists of entries that hold fields. An element counts by its name and by the
 * place it has: fields are children of an entry. Namespaces are often wrong or missing; they only tell an extension's
 * elements (image:loc) from our own.
 *
 * Bytes come in pieces (of a gzip file, or slices of the body), so that neither a bomb nor a long tag costs memory. The
 * tokenizer gives tags and texts; this file keeps the stack of open elements. An end tag closes everything up to the
 * element that it names, and nothing where it names none: writers forget end tags, and entries come all the same. */
#include "robots/sitemap.h"

#include "base/date.h"
#include "base/hash.h"
#include "http/http.h"
#include "page/charset.h"
#include "page/token.h"
#include "robots/robots.h"
#include "url/url.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    PIECE = 64 * 1024,
    SLICE = 32 * 1024, /* half of what the tokenizer holds of a tag at most */
    DEPTH_MAX = 256,
    BINDINGS_MAX = 32, /* declared at once; further ones are as undeclared */
    FIELD_MAX = SCENT_URL_MAX + 1024,
    LINKS_MAX = 16 * 1024
};

enum form { FORM_UNKNOWN, FORM_XML, FORM_TEXT };

enum field { FIELD_NONE, FIELD_URL, FIELD_GUID, FIELD_DATE, FIELD_OTHER_DATE, FIELD_PRIORITY };

/* The namespace that a prefix means inside of the element at `depth`. */
struct binding {
    uint64_t prefix, uri; /* hashes */
    unsigned depth;
    bool none;  /* xmlns="" */
    bool usual; /* for lists of this kind */
    bool dublin_core;
};

struct element {
    struct str prefix, name;
    const struct binding *ns; /* NULL: none, or undeclared */
    const struct token_attributes *attributes;
};

struct reader {
    bool (*fn)(void *ctx, const struct sitemap_entry *entry);
    void *ctx;
    struct sitemap_report *report;
    enum form form;
    size_t total;
    bool stopped; /* by fn */
    bool over;    /* there is nothing more to read: the cap was reached, or a fault ends it */
    scent_status status;
    struct buf text; /* of a line, or of the field; `failed` when it is too long */

    /* FORM_XML */
    struct tokenizer tokenizer;
    size_t lines; /* that the tokenizer was given */
    struct charset *charset;
    struct str encoding; /* as the beginning has it */
    struct buf decoded;
    bool has_root;
    unsigned depth, entry_depth; /* entry_depth 0: outside of entries */
    uint64_t open[DEPTH_MAX];    /* hashes of the names of open elements */
    struct binding bindings[BINDINGS_MAX];
    size_t nbindings;
    uint64_t root_prefix, root_uri; /* hashes; root_uri 0: none */
    enum field field;
    bool guid_is_link;
    struct buf loose; /* text that stands in the entry itself */
    struct buf links; /* of the entry, a NUL byte after each: no document has one */
    struct buf guid;
    int64_t modified;
    double priority;
};

/* ---- the report ---- */

/* Sets the reason, unless there is one. It may quote the document: what cannot be printed becomes "?". */
static void SCENT_PRINTF(2, 3) set_reason(struct reader *reader, const char *fmt, ...)
{
    char *reason = reader->report->reason;
    va_list args;

    if (reason[0])
        return;
    va_start(args, fmt);
    vsnprintf(reason, sizeof reader->report->reason, fmt, args);
    va_end(args);
    for (char *p = reason; *p; p++)
        *p = *p < 0x20 || *p > 0x7E ? '?' : *p;
}

static void cut(struct reader *reader, const char *why)
{
    reader->report->cut = true;
    set_reason(reader, "%s", why);
}

static void emit(struct reader *reader, const struct sitemap_entry *entry)
{
    struct sitemap_report *report = reader->report;

    if (reader->stopped)
        return;
    if (!entry->url.len || entry->url.len > SCENT_URL_MAX) {
        report->refused++;
    } else if (report->entries == SITEMAP_MAX_ENTRIES) {
        report->refused++;
        cut(reader, "it has more than 50,000 entries");
    } else {
        report->entries++;
        reader->stopped = !reader->fn(reader->ctx, entry);
    }
}

static size_t count_lines(struct str s)
{
    size_t lines = 0;

    for (size_t i = 0; i < s.len; i++)
        lines += s.p[i] == '\n';
    return lines;
}

/* Where the tokenizer is. */
static size_t line_number(const struct reader *reader)
{
    const struct tokenizer *tokenizer = &reader->tokenizer;

    return 1 + reader->lines - count_lines(str_sub(tokenizer->s, tokenizer->pos, tokenizer->s.len));
}

static void set_fault(struct reader *reader, size_t line, const char *what)
{
    reader->report->cut = true;
    set_reason(reader, "line %zu: %.100s", line, what);
}

static void end_with_fault(struct reader *reader, const char *what)
{
    set_fault(reader, line_number(reader), what);
    reader->over = true;
}

/* ---- which elements count ---- */

static enum sitemap_kind kind_of(struct str root)
{
    static const struct {
        const char *root;
        enum sitemap_kind kind;
    } kinds[] = {{"urlset", SITEMAP_URLS}, {"sitemapindex", SITEMAP_INDEX}, {"rss", SITEMAP_RSS},
                 {"RDF", SITEMAP_RSS},     {"feed", SITEMAP_ATOM}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq_nocase(root, str_of(kinds[i].root)))
            return kinds[i].kind;
    return SITEMAP_NONE;
}

static const char *entry_name(enum sitemap_kind kind)
{
    switch (kind) {
    case SITEMAP_URLS:
        return "url";
    case SITEMAP_INDEX:
        return "sitemap";
    case SITEMAP_RSS:
        return "item";
    default:
        return "entry";
    }
}

/* The namespaces that lists of a kind are written in. */
static bool is_usual(enum sitemap_kind kind, struct str uri)
{
    static const struct {
        enum sitemap_kind kind;
        const char *uri;
    } usual[] = {{SITEMAP_RSS, "http://purl.org/rss/1.0/"},     {SITEMAP_RSS, "http://my.netscape.com/rdf/simple/0.9/"},
                 {SITEMAP_ATOM, "http://www.w3.org/2005/Atom"}, {SITEMAP_ATOM, "http://purl.org/atom/ns#"}};

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (usual[i].kind == kind && str_eq(uri, str_of(usual[i].uri)))
            return true;
    return (kind == SITEMAP_URLS || kind == SITEMAP_INDEX) &&
           (str_starts(uri, STR("http://www.sitemaps.org/schemas/sitemap/")) ||
            str_starts(uri, STR("https://www.sitemaps.org/schemas/sitemap/")) ||
            str_starts(uri, STR("http://www.google.com/schemas/sitemap/")));
}

static void bind_prefixes(struct reader *reader, const struct token_attributes *attributes)
{
    for (unsigned i = 0; i < attributes->count && reader->nbindings < BINDINGS_MAX; i++) {
        const struct token_attribute *attribute = &attributes->items[i];
        struct str uri = attribute->value, prefix, name = token_local_name(attribute->name, &prefix);

        if (!str_eq(prefix, STR("xmlns")) && !str_eq(attribute->name, STR("xmlns")))
            continue;
        reader->bindings[reader->nbindings++] = (struct binding){
            .prefix = hash_str(prefix.len ? name : STR(""), 0),
            .uri = hash_str(uri, 0),
            .depth = reader->depth,
            .none = !uri.len,
            .usual = is_usual(reader->report->kind, uri),
            .dublin_core = str_starts(uri, STR("http://purl.org/dc/")),
        };
    }
}

static const struct binding *find_binding(const struct reader *reader, struct str prefix)
{
    uint64_t hash = hash_str(prefix, 0);

    for (size_t i = reader->nbindings; i-- > 0;)
        if (reader->bindings[i].prefix == hash)
            return reader->bindings[i].none ? NULL : &reader->bindings[i];
    return NULL;
}

/* Not an extension's: without a namespace, in the root's, or in a usual one. */
static bool is_own(const struct reader *reader, const struct element *element)
{
    if (!element->ns)
        return !element->prefix.len || hash_str(element->prefix, 0) == reader->root_prefix;
    return element->ns->uri == reader->root_uri || element->ns->usual;
}

static enum field field_of(const struct reader *reader, const struct element *element)
{
    enum sitemap_kind kind = reader->report->kind;
    struct str name = element->name;

    if (kind == SITEMAP_RSS && str_eq(name, STR("date")) &&
        (str_eq(element->prefix, STR("dc")) || (element->ns && element->ns->dublin_core)))
        return FIELD_OTHER_DATE;
    if (!is_own(reader, element))
        return FIELD_NONE;
    if (kind == SITEMAP_RSS && str_eq(name, STR("link")))
        return FIELD_URL;
    if (kind == SITEMAP_RSS && str_eq(name, STR("guid")))
        return FIELD_GUID;
    if (kind == SITEMAP_RSS || kind == SITEMAP_ATOM) {
        if (str_eq(name, STR("updated")))
            return FIELD_DATE;
        return str_eq(name, STR("pubDate")) || str_eq(name, STR("published")) || str_eq(name, STR("modified")) ||
                       str_eq(name, STR("issued"))
                   ? FIELD_OTHER_DATE
                   : FIELD_NONE;
    }
    if (str_eq_nocase(name, STR("loc")))
        return FIELD_URL;
    if (str_eq_nocase(name, STR("lastmod")))
        return FIELD_DATE;
    return str_eq_nocase(name, STR("priority")) ? FIELD_PRIORITY : FIELD_NONE;
}

/* ---- entries ---- */

static void add_link(struct reader *reader, struct str url)
{
    url = str_trim(url);
    if (!url.len)
        return;
    if (!buf_reserve(&reader->links, url.len + 1)) {
        reader->report->refused++;
        return;
    }
    buf_add(&reader->links, url);
    buf_addc(&reader->links, 0);
}

static void begin_entry(struct reader *reader)
{
    reader->entry_depth = reader->depth;
    reader->field = FIELD_NONE;
    reader->modified = 0;
    reader->priority = -1;
    buf_clear(&reader->loose);
    buf_clear(&reader->links);
    buf_clear(&reader->guid);
}

/* The URL in UTF-8: bytes that are none are what the document's encoding says, or Windows' in the last resort. */
static struct str decode_url(struct reader *reader, struct str url)
{
    struct str decoded = url, name = reader->encoding;
    bool ascii = true;

    for (size_t i = 0; i < url.len && ascii; i++)
        ascii = (unsigned char)url.p[i] < 0x80;
    if (ascii)
        return url;
    if (str_eq(name, STR("utf-8")) && !charset_is_utf8(url))
        name = STR("windows-1252");
    buf_clear(&reader->decoded);
    if (charset_decode(reader->charset, name, url, &reader->decoded, &decoded) != SCENT_OK)
        reader->status = SCENT_E_NOMEM;
    return decoded;
}

static void emit_url(struct reader *reader, struct str url)
{
    url = str_trim(decode_url(reader, str_trim(url)));
    emit(reader, &(struct sitemap_entry){url, reader->modified, reader->priority});
}

/* Without a link: the guid of an RSS item may be one, and some write the URL straight into <sitemap>. */
static void end_entry(struct reader *reader)
{
    struct str links = buf_str(&reader->links), link;

    reader->entry_depth = 0;
    if (!links.len && reader->guid.len)
        emit_url(reader, buf_str(&reader->guid));
    else if (!links.len && !reader->links.failed)
        emit_url(reader, url_is_absolute(buf_str(&reader->loose)) ? buf_str(&reader->loose) : STR_NONE);
    while (links.len && str_split(&links, 0, &link))
        emit_url(reader, link);
}

static void begin_field(struct reader *reader, const struct element *element)
{
    struct str rel = token_attribute(element->attributes, STR("rel"));

    reader->field = field_of(reader, element);
    buf_clear(&reader->text);
    if (reader->field == FIELD_GUID)
        reader->guid_is_link =
            !str_eq_nocase(str_trim(token_attribute(element->attributes, STR("isPermaLink"))), STR("false"));
    if (reader->report->kind == SITEMAP_ATOM && is_own(reader, element) && str_eq(element->name, STR("link")) &&
        (!rel.len || str_eq_nocase(str_trim(rel), STR("alternate"))))
        add_link(reader, token_attribute(element->attributes, STR("href")));
}

static void end_field(struct reader *reader)
{
    struct str text = str_trim(buf_str(&reader->text));
    int64_t millionths;

    if (reader->text.failed) /* too long for anything that we read; a URL counts as refused */
        text = STR_NONE;
    switch (reader->field) {
    case FIELD_URL:
        if (text.len && !reader->links.len)
            add_link(reader, text);
        break;
    case FIELD_GUID:
        if (reader->guid_is_link && url_is_absolute(text) && !reader->guid.len)
            buf_add(&reader->guid, text);
        break;
    case FIELD_DATE:
        reader->modified = date_parse(text) ? date_parse(text) : reader->modified;
        break;
    case FIELD_OTHER_DATE:
        reader->modified = reader->modified ? reader->modified : date_parse(text);
        break;
    case FIELD_PRIORITY:
        millionths = robots_millionths(text);
        reader->priority = millionths < 0 || millionths > 1000000 ? -1 : (double)millionths / 1e6;
        break;
    default:
        break;
    }
    reader->field = FIELD_NONE;
}

/* ---- elements ---- */

static void begin_root(struct reader *reader, const struct token *token)
{
    struct str prefix, name = token_local_name(token->written, &prefix);
    const struct binding *ns;

    reader->has_root = true;
    reader->report->kind = kind_of(name);
    if (reader->report->kind == SITEMAP_NONE) {
        set_reason(reader, "its root element is <%.*s>: no sitemap and no feed", (int)(name.len < 40 ? name.len : 40),
                   name.p);
        reader->over = true;
        return;
    }
    bind_prefixes(reader, &token->attributes);
    ns = find_binding(reader, prefix);
    reader->root_prefix = hash_str(prefix, 0);
    reader->root_uri = ns ? ns->uri : 0;
}

static void begin_element(struct reader *reader, const struct token *token)
{
    struct element element = {.attributes = &token->attributes};

    if (reader->has_root && reader->depth == 0) {
        end_with_fault(reader, "there is more behind the root element");
        return;
    }
    if (reader->depth == DEPTH_MAX) {
        end_with_fault(reader, "elements are nested deeper than 256");
        return;
    }
    reader->open[reader->depth++] = token->name;
    if (!reader->has_root) {
        begin_root(reader, token);
        return;
    }
    bind_prefixes(reader, &token->attributes);
    if (reader->entry_depth && reader->depth != reader->entry_depth + 1)
        return;
    element.name = token_local_name(token->written, &element.prefix);
    element.ns = find_binding(reader, element.prefix);
    if (is_own(reader, &element) && str_eq_nocase(element.name, str_of(entry_name(reader->report->kind)))) {
        if (reader->entry_depth) /* the last one was not closed */
            end_entry(reader);
        begin_entry(reader);
    } else if (reader->entry_depth) {
        begin_field(reader, &element);
    }
}

static void end_innermost(struct reader *reader)
{
    if (reader->entry_depth && reader->depth == reader->entry_depth + 1)
        end_field(reader);
    else if (reader->entry_depth && reader->depth == reader->entry_depth)
        end_entry(reader);
    while (reader->nbindings && reader->bindings[reader->nbindings - 1].depth == reader->depth)
        reader->nbindings--;
    reader->depth--;
}

static void end_element(struct reader *reader, const struct token *token)
{
    unsigned depth = reader->depth;

    while (depth && reader->open[depth - 1] != token->name)
        depth--;
    if (depth == 0 || depth != reader->depth) {
        size_t shown = token->written.len < 40 ? token->written.len : 40;
        char what[80];

        snprintf(what, sizeof what, "unexpected end tag </%.*s>", STR_ARG(str_sub(token->written, 0, shown)));
        set_fault(reader, line_number(reader), what);
    }
    while (depth && reader->depth >= depth)
        end_innermost(reader);
}

/* White space before the value takes no room. */
static void collect(struct buf *out, struct str text)
{
    while (!out->len && text.len && ascii_is_space(text.p[0]))
        text = str_sub(text, 1, text.len);
    if (!out->failed)
        buf_add(out, text);
}

static void take_text(struct reader *reader, struct str text)
{
    if (reader->depth == 0 && str_trim(text).len)
        end_with_fault(reader, reader->has_root ? "there is more behind the root element" : "there is no element");
    if (!reader->entry_depth)
        return;
    if (reader->field != FIELD_NONE && reader->depth == reader->entry_depth + 1)
        collect(&reader->text, text);
    else if (reader->depth == reader->entry_depth)
        collect(&reader->loose, text);
}

static void take_token(struct reader *reader, const struct token *token)
{
    if (token->kind == TOKEN_TEXT)
        take_text(reader, token->text);
    if (token->kind == TOKEN_START)
        begin_element(reader, token);
    if ((token->kind == TOKEN_START && token->closes_itself && !reader->over) || token->kind == TOKEN_END)
        end_element(reader, token);
}

static bool is_done(const struct reader *reader)
{
    return reader->stopped || reader->over || reader->status != SCENT_OK;
}

static void feed_slice(struct reader *reader, struct str slice, bool is_last)
{
    struct tokenizer *tokenizer = &reader->tokenizer;
    struct token token;

    reader->lines += count_lines(slice);
    reader->status = tokenizer_feed(tokenizer, slice, is_last);
    while (!is_done(reader) && token_next_xml(tokenizer, &token))
        take_token(reader, &token);
    if (tokenizer->too_long && !is_done(reader))
        end_with_fault(reader, "a tag is longer than 64 KiB");
}

static void feed_xml(struct reader *reader, struct str piece)
{
    size_t nul = str_find(piece, 0);
    bool has_nul = nul < piece.len;

    if (has_nul)
        set_fault(reader, 1 + reader->lines + count_lines(str_sub(piece, 0, nul)),
                  "a NUL byte: this is not text, or UTF-16, which is not read");
    piece.len = nul;
    while (piece.len && !is_done(reader)) {
        size_t n = piece.len < SLICE ? piece.len : SLICE;

        feed_slice(reader, str_sub(piece, 0, n), false);
        piece = str_sub(piece, n, piece.len);
    }
    reader->over |= has_nul;
}

static void finish_xml(struct reader *reader)
{
    if (is_done(reader))
        return;
    feed_slice(reader, STR(""), true);
    if (!is_done(reader) && !reader->has_root)
        end_with_fault(reader, "there is no element");
    else if (!is_done(reader) && reader->depth)
        end_with_fault(reader, "the document ends inside an element");
}

/* ---- lines ---- */

/* The first line tells whether this is a list at all. */
static void end_line(struct reader *reader)
{
    struct str line = str_trim(buf_str(&reader->text));
    bool overlong = reader->text.failed;

    if (!line.len && !overlong)
        return;
    if (reader->report->kind == SITEMAP_NONE && !url_is_absolute(line)) {
        set_reason(reader, "neither XML nor a list of URLs");
        reader->over = true;
    } else {
        reader->report->kind = SITEMAP_TEXT;
    }
    if (!overlong && url_is_absolute(line))
        emit(reader, &(struct sitemap_entry){.url = line, .priority = -1});
    else
        reader->report->refused += reader->report->kind == SITEMAP_TEXT;
    buf_clear(&reader->text);
}

static void feed_text(struct reader *reader, struct str piece)
{
    while (piece.len && !is_done(reader)) {
        size_t end = 0;

        while (end < piece.len && piece.p[end] != '\n' && piece.p[end] != '\r')
            end++;
        if (!reader->text.failed)
            buf_add(&reader->text, str_sub(piece, 0, end));
        if (end < piece.len)
            end_line(reader);
        piece = str_sub(piece, end + (end < piece.len), piece.len);
    }
}

/* ---- bytes ---- */

/* Leading blanks, which XML forbids and many generators write, are passed over. */
static struct str recognise(struct reader *reader, struct str piece)
{
    if (str_starts(piece, STR("\xEF\xBB\xBF")))
        piece = str_sub(piece, 3, piece.len);
    while (piece.len && ascii_is_space(piece.p[0]))
        piece = str_sub(piece, 1, piece.len);
    if (!piece.len)
        return piece;
    reader->form = piece.p[0] == '<' || (unsigned char)piece.p[0] >= 0xFE ? FORM_XML : FORM_TEXT; /* FE FF: UTF-16 */
    if (reader->form == FORM_XML)
        reader->encoding = charset_choose(reader->charset, STR_NONE, piece).name;
    return piece;
}

static void feed(struct reader *reader, struct str piece)
{
    size_t room = SITEMAP_MAX_BYTES - reader->total;
    bool over = piece.len > room;

    if (over)
        piece.len = room;
    reader->total += piece.len;
    if (reader->form == FORM_UNKNOWN)
        piece = recognise(reader, piece);
    if (reader->form == FORM_XML)
        feed_xml(reader, piece);
    else if (reader->form == FORM_TEXT)
        feed_text(reader, piece);
    if (over && !is_done(reader))
        cut(reader, "it is larger than 50 MiB");
    reader->over |= over;
}

static bool is_gzip(struct str body)
{
    return str_starts(body, STR("\x1F\x8B"));
}

/* Unpacks piece by piece, so that a bomb costs no memory. False when there is no more to unpack. */
static bool unpack(struct reader *reader, struct http_inflater *inflater, struct str *rest, struct buf *out)
{
    enum http_step step;
    size_t used;

    buf_clear(out);
    reader->status = http_inflater_feed(inflater, *rest, PIECE, out, &used, &step);
    if (reader->status != SCENT_OK)
        return false;
    *rest = str_sub(*rest, used, rest->len);
    feed(reader, buf_str(out));
    if (step == HTTP_STEP_INPUT)
        cut(reader, "its gzip data ends early");
    if (step == HTTP_STEP_BAD)
        cut(reader, "its gzip data is damaged");
    if (step != HTTP_STEP_DONE || !is_gzip(*rest))
        return step == HTTP_STEP_ROOM;
    http_inflater_reset(inflater);
    return true;
}

static void read_gzip(struct reader *reader, struct str body)
{
    struct http_inflater *inflater = http_inflater_new();
    struct buf out;

    buf_init(&out, PIECE);
    while (!is_done(reader) && unpack(reader, inflater, &body, &out))
        ;
    buf_release(&out);
    http_inflater_free(inflater);
}

scent_status sitemap_read(struct str body, bool (*fn)(void *ctx, const struct sitemap_entry *entry), void *ctx,
                          struct sitemap_report *report)
{
    struct reader reader = {.fn = fn, .ctx = ctx, .report = report, .charset = charset_new()};

    *report = (struct sitemap_report){.kind = SITEMAP_NONE};
    buf_init(&reader.text, FIELD_MAX);
    buf_init(&reader.decoded, 0);
    buf_init(&reader.loose, FIELD_MAX);
    buf_init(&reader.guid, FIELD_MAX);
    buf_init(&reader.links, LINKS_MAX);
    tokenizer_init(&reader.tokenizer);
    tokenizer_start_xml(&reader.tokenizer);
    if (is_gzip(body))
        read_gzip(&reader, body);
    else
        feed(&reader, body);
    if (reader.form == FORM_XML)
        finish_xml(&reader);
    if (reader.form == FORM_TEXT && !is_done(&reader) && !report->cut) /* half a URL is another */
        end_line(&reader);
    if (reader.form == FORM_UNKNOWN)
        set_reason(&reader, "it is empty");
    tokenizer_release(&reader.tokenizer);
    charset_free(reader.charset);
    buf_release(&reader.text);
    buf_release(&reader.decoded);
    buf_release(&reader.loose);
    buf_release(&reader.guid);
    buf_release(&reader.links);
    return reader.status;
}
