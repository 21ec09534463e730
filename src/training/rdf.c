#include "training/rdf.h"

#include "base/buf.h"
#include "base/hash.h"

#include <stdlib.h>

enum { NSLOTS = RDF_MAX_TOPIC_LINKS * 2 };

enum rdf_state { IN_TEXT, IN_TAG, IN_COMMENT };

struct rdf {
    rdf_fn *found;
    void *ctx;
    enum rdf_state state;
    char quote;         /* inside an attribute's value; 0: not */
    char last[2];       /* bytes of a comment: they may have come in an earlier piece */
    bool overlong;      /* the tag is too long to keep */
    bool keeping;       /* the text, of <topic> */
    struct buf tag;     /* between < and > */
    struct buf text;
    struct buf topic;   /* of the Topic that we are in, or that came last */
    struct buf page;    /* of the ExternalPage that we are in */
    struct buf scratch;
    bool in_topic, in_page;
    uint64_t *links; /* hashes of the last topic's; 0: empty */
    size_t nlinks;
};

struct rdf *rdf_new(rdf_fn *found, void *ctx)
{
    struct rdf *rdf = calloc(1, sizeof *rdf);

    SCENT_BUG_IF(!rdf);
    rdf->found = found;
    rdf->ctx = ctx;
    rdf->links = calloc(NSLOTS, sizeof *rdf->links);
    SCENT_BUG_IF(!rdf->links);
    buf_init(&rdf->tag, RDF_MAX_TAG);
    buf_init(&rdf->text, RDF_MAX_TAG);
    buf_init(&rdf->topic, RDF_MAX_TAG);
    buf_init(&rdf->page, RDF_MAX_TAG);
    buf_init(&rdf->scratch, RDF_MAX_TAG);
    return rdf;
}

void rdf_free(struct rdf *rdf)
{
    if (!rdf)
        return;
    buf_release(&rdf->tag);
    buf_release(&rdf->text);
    buf_release(&rdf->topic);
    buf_release(&rdf->page);
    buf_release(&rdf->scratch);
    free(rdf->links);
    free(rdf);
}

/* ---- references ---- */

static void add_utf8(struct buf *out, uint32_t c)
{
    if (c < 0x80) {
        buf_addc(out, (char)c);
    } else if (c < 0x800) {
        buf_addc(out, (char)(0xC0 | c >> 6));
        buf_addc(out, (char)(0x80 | (c & 0x3F)));
    } else {
        if (c >= 0x10000) {
            buf_addc(out, (char)(0xF0 | c >> 18));
            buf_addc(out, (char)(0x80 | (c >> 12 & 0x3F)));
        } else {
            buf_addc(out, (char)(0xE0 | c >> 12));
        }
        buf_addc(out, (char)(0x80 | (c >> 6 & 0x3F)));
        buf_addc(out, (char)(0x80 | (c & 0x3F)));
    }
}

/* The character of "#38" or "#x26"; 0 for none. */
static uint32_t numbered(struct str name)
{
    bool hex = name.len > 1 && ascii_lower(name.p[1]) == 'x';
    char digits[12] = {0};
    unsigned long c;
    char *end;

    if (name.len < 2 || name.len - 1 - hex >= sizeof digits)
        return 0;
    memcpy(digits, name.p + 1 + hex, name.len - 1 - hex);
    c = strtoul(digits, &end, hex ? 16 : 10);
    return *end || end == digits || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? 0 : (uint32_t)c;
}

static uint32_t reference(struct str name)
{
    static const struct {
        const char *name;
        char c;
    } names[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};

    if (name.len && name.p[0] == '#')
        return numbered(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(name, str_of(names[i].name)))
            return (uint32_t)names[i].c;
    return 0;
}

/* What is no reference stays as it is: careless writers mean the ampersand. */
static void add_resolved(struct buf *out, struct str s)
{
    while (s.len) {
        size_t amp = str_find(s, '&');
        struct str name = {NULL, 0};
        uint32_t c;

        buf_add(out, str_sub(s, 0, amp));
        if (amp == s.len)
            return;
        s = str_sub(s, amp + 1, s.len);
        name = str_sub(s, 0, str_find(s, ';'));
        c = name.len < s.len && name.len <= 10 ? reference(name) : 0;
        if (c)
            add_utf8(out, c);
        else
            buf_addc(out, '&');
        if (c)
            s = str_sub(s, name.len + 1, s.len);
    }
}

static struct str resolve(struct buf *out, struct str s)
{
    buf_clear(out);
    add_resolved(out, s);
    out->failed = false;
    return str_trim(buf_str(out));
}

/* ---- the elements ---- */

static struct str local_name(struct str name)
{
    size_t colon = str_find(name, ':');

    return colon < name.len ? str_sub(name, colon + 1, name.len) : name;
}

static struct str take_name(struct str *rest)
{
    size_t n = 0;
    struct str name;

    while (n < rest->len && !ascii_is_space(rest->p[n]) && rest->p[n] != '=' && rest->p[n] != '/')
        n++;
    name = str_sub(*rest, 0, n);
    *rest = str_sub(*rest, n, rest->len);
    return local_name(name);
}

/* The value of the attribute `name`, prefix ignored; empty when absent. */
static struct str attribute(struct str rest, struct str name)
{
    for (;;) {
        struct str key, value;
        char quote;

        while (rest.len && (ascii_is_space(rest.p[0]) || rest.p[0] == '/' || rest.p[0] == '='))
            rest = str_sub(rest, 1, rest.len);
        if (!rest.len)
            return STR_NONE;
        key = take_name(&rest);
        rest = str_trim(rest);
        if (!rest.len || rest.p[0] != '=')
            continue;
        rest = str_trim(str_sub(rest, 1, rest.len));
        quote = rest.len ? rest.p[0] : 0;
        if (quote != '"' && quote != '\'')
            continue;
        rest = str_sub(rest, 1, rest.len);
        value = str_sub(rest, 0, str_find(rest, quote));
        rest = str_sub(rest, value.len < rest.len ? value.len + 1 : value.len, rest.len);
        if (str_eq(key, name))
            return value;
    }
}

/* Is the link one of the last topic's? If not and there is room, from now on it is. */
static bool know_link(struct rdf *rdf, struct str url, bool add)
{
    uint64_t hash = hash_str(url, 0) | 1;
    size_t i = hash & (NSLOTS - 1);

    while (rdf->links[i] && rdf->links[i] != hash)
        i = (i + 1) & (NSLOTS - 1);
    if (rdf->links[i])
        return true;
    if (add && rdf->nlinks < RDF_MAX_TOPIC_LINKS) {
        rdf->links[i] = hash;
        rdf->nlinks++;
    }
    return false;
}

static void begin_topic(struct rdf *rdf, struct str id)
{
    if (rdf->nlinks)
        memset(rdf->links, 0, NSLOTS * sizeof *rdf->links);
    rdf->nlinks = 0;
    resolve(&rdf->topic, id);
    rdf->in_topic = true;
    rdf->in_page = false;
}

static scent_status found_link(struct rdf *rdf, struct str url)
{
    url = resolve(&rdf->scratch, url);
    if (!url.len || !rdf->topic.len || know_link(rdf, url, true))
        return SCENT_OK;
    return rdf->found(rdf->ctx, str_trim(buf_str(&rdf->topic)), url);
}

/* A page says its topic; the topic before it may have listed the page already. */
static scent_status found_page(struct rdf *rdf)
{
    struct str category = resolve(&rdf->scratch, buf_str(&rdf->text));
    struct str url = str_trim(buf_str(&rdf->page));

    if (!url.len || !category.len)
        return SCENT_OK;
    if (str_eq(category, str_trim(buf_str(&rdf->topic))) && know_link(rdf, url, false))
        return SCENT_OK;
    return rdf->found(rdf->ctx, category, url);
}

/* link, and link1, pdf, rss, atom beside it */
static bool is_link(struct str name)
{
    return str_eq(name, STR("link")) || str_eq(name, STR("link1")) || str_eq(name, STR("pdf")) ||
           str_eq(name, STR("pdf1"));
}

static scent_status end_element(struct rdf *rdf, struct str name)
{
    bool was_keeping = rdf->keeping;

    rdf->keeping = false;
    if (str_eq(name, STR("Topic")))
        rdf->in_topic = false;
    else if (str_eq(name, STR("ExternalPage")))
        rdf->in_page = false;
    else if (was_keeping && rdf->in_page && str_eq(name, STR("topic")))
        return found_page(rdf);
    return SCENT_OK;
}

static scent_status take_tag(struct rdf *rdf)
{
    struct str rest = buf_str(&rdf->tag), name;
    bool closed = str_ends(rest, STR("/"));

    if (rest.len && rest.p[0] == '/') {
        rest = str_sub(rest, 1, rest.len);
        return end_element(rdf, take_name(&rest));
    }
    name = take_name(&rest);
    rdf->keeping = false;
    if (str_eq(name, STR("Topic"))) {
        begin_topic(rdf, attribute(rest, STR("id")));
        rdf->in_topic = !closed;
    } else if (str_eq(name, STR("ExternalPage"))) {
        resolve(&rdf->page, attribute(rest, STR("about")));
        rdf->in_page = !closed;
        rdf->in_topic = false;
    } else if (rdf->in_topic && is_link(name)) {
        return found_link(rdf, attribute(rest, STR("resource")));
    } else if (rdf->in_page && str_eq(name, STR("topic"))) {
        buf_clear(&rdf->text);
        rdf->keeping = !closed;
    }
    return SCENT_OK;
}

/* ---- the stream ---- */

static size_t feed_text(struct rdf *rdf, struct str s)
{
    size_t end = str_find(s, '<');

    if (rdf->keeping && !buf_add(&rdf->text, str_sub(s, 0, end)))
        rdf->keeping = false; /* no category is that long */
    rdf->text.failed = false;
    if (end == s.len)
        return end;
    rdf->state = IN_TAG;
    rdf->quote = 0;
    rdf->overlong = false;
    buf_clear(&rdf->tag);
    return end + 1;
}

static size_t feed_comment(struct rdf *rdf, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '>' && rdf->last[0] == '-' && rdf->last[1] == '-') {
            rdf->state = IN_TEXT;
            return i + 1;
        }
        rdf->last[0] = rdf->last[1];
        rdf->last[1] = s.p[i];
    }
    return s.len;
}

static size_t feed_tag(struct rdf *rdf, struct str s, bool *ended)
{
    size_t i = 0;

    *ended = false;
    for (; i < s.len && !*ended && rdf->state == IN_TAG; i++) {
        char c = s.p[i];

        if (rdf->quote ? c == rdf->quote : c == '"' || c == '\'')
            rdf->quote = rdf->quote ? 0 : c;
        /* A broken attribute must not swallow the file: no value has a "<". */
        *ended = (c == '>' && !rdf->quote) || (c == '<' && rdf->quote);
        if (!*ended && !buf_addc(&rdf->tag, c))
            rdf->overlong = true;
        if (rdf->tag.len == 3 && memcmp(rdf->tag.p, "!--", 3) == 0) {
            rdf->state = IN_COMMENT;
            rdf->last[0] = rdf->last[1] = 0;
        }
    }
    rdf->tag.failed = false;
    return *ended && s.p[i - 1] == '<' ? i - 1 : i;
}

scent_status rdf_feed(struct rdf *rdf, struct str s)
{
    scent_status status = SCENT_OK;

    while (s.len && status == SCENT_OK) {
        bool ended = false;
        size_t used;

        if (rdf->state == IN_TEXT)
            used = feed_text(rdf, s);
        else if (rdf->state == IN_COMMENT)
            used = feed_comment(rdf, s);
        else
            used = feed_tag(rdf, s, &ended);
        s = str_sub(s, used, s.len);
        if (ended) {
            rdf->state = IN_TEXT;
            status = rdf->overlong ? SCENT_OK : take_tag(rdf);
        }
    }
    return status;
}
